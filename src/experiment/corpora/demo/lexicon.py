"""The words of the demo corpus: English entries with the stems and affixes of the constructed language, Qmo.

Every table lists its entries from frequent to rare. An entry is `english:stem`, with the English form that is not
regular after a slash (the plural of a noun, the past of a verb, the comparative of an adjective) and, for some verbs,
the name of the one who does it (`hunt/hunted/hunter`). No stem begins with another one, and none ends in a vowel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def _read(table: str, kind: str) -> tuple[Entry, ...]:
    regular: dict[str, Callable[[str], str]] = {"noun": _regular_plural, "adjective": _regular_comparative}
    entries = []
    for item in table.split():
        english, _, stem = item.partition(":")
        forms = english.split("/")
        entries.append(Entry(forms[0], forms[1] if len(forms) > 1 else regular.get(kind, str)(forms[0]), (stem,)))
    return tuple(entries)


def _agents(*tables: str) -> tuple[Entry, ...]:
    """Return the nouns for the one who does something, from the verbs that name one."""
    items = [item.partition(":") for table in tables for item in table.split()]
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

_TRANSITIVE = """
    see/saw:tubil  find/found:seras  love/loved:tajel  carry/carried/carrier:šädus  buy/bought:julk
    hunt/hunted/hunter:rutus  paint/painted/painter:dilk  follow/followed:lešet  hear/heard:pinem  wash/washed:divon
    hide/hid:šopul  break/broke:konal  lose/lost:riron  watch/watched:jotulk  build/built/builder:dodät
    steal/stole:bugest  wrap/wrapped:jägav  drop/dropped:diguk  count/counted:pidin  pull/pulled:husus
    choose/chose:višarm  burn/burned:gusost  lift/lifted:vubov  admire/admired/admirer:masas
"""
_GIVING = """
    give/gave:vären  show/showed:gašov  sell/sold/seller:kedoš  bring/brought:vokor  send/sent:dant
    throw/threw:pipan
"""
_INTRANSITIVE = """
    sleep/slept:jirem  sing/sang/singer:dituv  work/worked/worker:tärm  wait/waited:burn  run/ran/runner:relel
    dance/danced/dancer:vasät  laugh/laughed:monir  swim/swam/swimmer:täjir  cry/cried:gunt  rest/rested:raluk
    live/lived:jelos  listen/listened/listener:dukek
"""
_NAMES = """
    Maria:Maria  Tomas:Tomas  Elena:Elena  Viktor:Viktor  Anna:Anna  Pavel:Pavel  Nora:Nora  Simon:Simon
    Clara:Clara  Ivan:Ivan  Marek:Marek  Petra:Petra
"""
_PERSONS = """
    man/men:jejäk  woman/women:girav  child/children:vohul  king:tetov  friend:tahov  teacher:sekes  brother:vorn
    sister:gudor  queen:bagir  farmer:lust  soldier:verm  doctor:boväv  neighbour:panust  fisherman/fishermen:lakov
    merchant:piluk  giant:nabarn  witch:jobik  priest:nunäm
"""
_ANIMALS = """
    dog:vavok  cat:gäšuš  horse:vibuš  bird:jošev  bear:vihat  wolf/wolves:pevuk  cow:bavem  fox:disom  goat:goviš
    mouse/mice:kireš  eagle:horn  snake:pähirm  duck:gajis  frog:gasilk  owl:lurarn
"""
_THINGS = """
    house:mätam  boat:burm  book:detäl  door:petev  knife/knives:došäm  stone:hunt  apple:nutär  letter:midum
    rope:mäkarm  coin:reniv  lamp:dädunt  basket:vovav  bell:mamerm  ring:šulat  chair:tohoš  table:gelulk
    bottle:gokan  hammer:bigast  mirror:gedev  key:lävern  coat:gavuv  wheel:sunet  sword:nalern  drum:matum
    crown:rederm  blanket:sujust  spoon:kevarn  candle:rajun  map:motat
"""
_PLACES = """
    village:rušet  forest:hudur  river:lobär  garden:šešos  town:hujäl  mountain:poket  field:jomon  market:jošun
    bridge:roleš  castle:mepon  island:post  valley:šaniš  harbour:girus  school:hosint  tower:kätom  mill:nalast
    lake:jurulk  cave:bilar
"""
_MATERIALS = """
    iron:gahäk  wood:ludov  gold:divuš  silver:vošin  glass:kapaš  winter:šast  night:mekiv  water:jälurm  fire:mänel
    summer:pälir
"""
_ADJECTIVES = """
    old:vipen  young:beläv  big/bigger:mint  good/better:gulk  red/redder:dapiv  strong:sanos  quiet:vojan  black:palk
    green:ninot  poor:vurak  rich:gomok  white:jähim  cold:dakast  wise:ranon  dark:jobut  slow:rudirn  tall:laler
    heavy/heavier:daraš  brave:jibir  clever:tedar  clean:beleš  sad/sadder:dahis  happy/happier:nakäk
    lazy/lazier:koget
"""

TRANSITIVE = _read(_TRANSITIVE, "verb")
GIVING = _read(_GIVING, "verb")
INTRANSITIVE = _read(_INTRANSITIVE, "verb")
#: Names are the same in both languages; they take case endings like every noun.
NAMES = _read(_NAMES, "name")
PERSONS = _read(_PERSONS, "noun") + _agents(_TRANSITIVE, _GIVING, _INTRANSITIVE)
ANIMALS = _read(_ANIMALS, "noun")
THINGS = _read(_THINGS, "noun")
PLACES = _read(_PLACES, "noun")
#: What can stand first in a compound, as in `iron door` or `river boat`.
MODIFIERS = _read(_MATERIALS, "noun") + PLACES[:10]
ADJECTIVES = _read(_ADJECTIVES, "adjective")

# Words without inflection.
TIMES = {
    "past": _read("yesterday:dalk  earlier:nihok", "word"),
    "present": _read("today:kapuv  now:voniv", "word"),
    "future": _read("tomorrow:tojor  soon:jokil", "word"),
}
NUMERALS = _read("two:tolk  three:selk  four:bist  five:nust  many:rerm", "word")
CONJUNCTIONS = _read("and:jurm  but:talk  because:gost", "word")
UNINFLECTED = frozenset(e.stem for e in (*NUMERALS, *CONJUNCTIONS, *(e for times in TIMES.values() for e in times)))
