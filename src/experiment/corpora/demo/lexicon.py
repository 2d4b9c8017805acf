"""The words of the demo corpus: English entries with the stems and affixes of the constructed language, Qmo.

words.yaml has the entries and describes their form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

#: A word of the constructed language as its morphemes; the word itself is their concatenation.
Word = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One lexical entry: the English word, its second form, and the morphemes of its translation."""

    english: str
    second: str
    stem: Word


def _regular_plural(noun: str) -> str:
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


def third_person(verb: str) -> str:
    """Return the form after he, she or it: `cries`, `watches`, `sees`."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "sh", "ch")) else "s")


def _regular_comparative(adjective: str) -> str:
    return adjective + ("r" if adjective.endswith("e") else "er")


def _read(table: str, regular: Callable[[str], str] = str) -> tuple[Entry, ...]:
    """Return the entries of a table; `regular` makes the second form of a word that has none of its own."""
    entries = []
    for item in _TABLES[table].split():
        english, _, stem = item.partition(":")
        first, *others = english.split("/")
        entries.append(Entry(first, others[0] if others else regular(first), (stem,)))
    return tuple(entries)


def _agents(*tables: str) -> tuple[Entry, ...]:
    """Return the nouns for the one who does something, from the verbs that name one."""
    items = [item.partition(":") for table in tables for item in _TABLES[table].split()]
    named = [(forms.split("/"), stem) for forms, _, stem in items if forms.count("/") == 2]
    return tuple(Entry(forms[2], _regular_plural(forms[2]), (stem, AGENT)) for forms, stem in named)


# Affixes, in the order in which they are attached.
NEGATION = "ta"
LINK = "o"  # between the two stems of a compound
AGENT = "or"
DIMINUTIVE = "ut"
COMPARATIVE = "ek"
PLURAL = "ri"
POSSESSIVES = {"my": "ni", "your": "so", "his": "vä", "our": "nimi", "their": "vädi"}
CASES = {
    "nominative": "",
    "accusative": "du",
    "genitive": "ho",
    "dative": "le",
    "locative": "gan",
    "ablative": "per",
    "instrumental": "kum",
}
TENSES = {"present": "a", "past": "i", "future": "ul"}
PERSONS_OF_VERBS = {"I": "m", "you": "š", "she": "", "we": "ma", "they": "to"}
QUESTION = "ke"

_TABLES = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text(encoding="utf-8"))

TRANSITIVE = _read("transitive")
GIVING = _read("giving")
INTRANSITIVE = _read("intransitive")
#: Names are the same in both languages; they take case endings like every noun.
NAMES = _read("names")
PERSONS = _read("persons", _regular_plural) + _agents("transitive", "giving", "intransitive")
ANIMALS = _read("animals", _regular_plural)
THINGS = _read("things", _regular_plural)
PLACES = _read("places", _regular_plural)
#: What can stand first in a compound, as in `iron door` or `river boat`.
MODIFIERS = _read("materials", _regular_plural) + PLACES[:10]
ADJECTIVES = _read("adjectives", _regular_comparative)

# Words without inflection.
TIMES = {tense: _read(tense) for tense in TENSES}
NUMERALS = _read("numerals")
CONJUNCTIONS = _read("conjunctions")
UNINFLECTED = frozenset(e.stem for e in (*NUMERALS, *CONJUNCTIONS, *(e for times in TIMES.values() for e in times)))
