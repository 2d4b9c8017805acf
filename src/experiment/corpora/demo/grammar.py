"""The grammar of the demo corpus: random sentence pairs, English-like and Qmo, with the morphemes of every Qmo word.

The Qmo side is a function of the English one: what English says with word order, prepositions, auxiliaries and
pronouns, Qmo says with affixes (subject first, verb last). docs/demo-language.md describes both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from experiment.corpora.demo import lexicon
from experiment.corpora.demo.lexicon import Entry, Word

#: An entry's frequency is (rank in its table + offset) to the power of minus the exponent.
ZIPF_EXPONENT, ZIPF_OFFSET = 0.6, 2

#: A comma, written directly after the word before it.
COMMA = ","


@dataclass(frozen=True)
class Phrase:
    """Words of both sides."""

    source: tuple[str, ...] = ()
    target: tuple[Word, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence pair as text, and the morphemes of its target words."""

    source: str
    target: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Clause:
    """The parts of a clause: each side puts them into its own order."""

    source: tuple[str, ...]
    before_verb: tuple[Word, ...]
    verb: Word
    tense: str


class Grammar:
    """A source of random sentence pairs.

    `fits` says which inflected words may be used; phrases are drawn again until all of theirs fit. Without
    `uninflected`, there are no adverbs, numerals and conjunctions, so that every word is one that `fits`.
    """

    def __init__(self, random: Random, fits: Callable[[Word], bool], *, uninflected: bool = True) -> None:
        self.random = random
        self.fits = fits
        self.uninflected = uninflected

    def sentence(self) -> Sentence:
        if self._chance(0.07) and self.uninflected:
            first, second = self._clause("intransitive"), self._clause("intransitive")
            joint = self._pick(lexicon.CONJUNCTIONS)
            source = (*first.source, COMMA, joint.english, *second.source)
            target = (*first.before_verb, first.verb, (COMMA,), joint.stem, *second.before_verb, second.verb)
            return _write(source, target, ".")
        question = self._chance(0.1)
        clause = self._clause(question=question)
        source, target = clause.source, (*clause.before_verb, clause.verb)
        if self.uninflected and not question and self._chance(0.16):
            time = self._pick(lexicon.TIMES[clause.tense])
            if self._chance(0.6):
                source, target = (time.english, COMMA, *source), (time.stem, (COMMA,), *target)
            else:
                source, target = (*source, time.english), (*target[:-1], time.stem, target[-1])
        return _write(source, target, "?" if question else ".")

    def _clause(self, kind: str = "", *, question: bool = False) -> Clause:
        kind = kind or self.random.choices(["transitive", "giving", "intransitive"], [0.5, 0.12, 0.38])[0]
        subject, person = self._subject()
        objects, circumstance = Phrase(), Phrase()
        if kind == "transitive":
            objects, _ = self._noun_phrase("accusative", lexicon.THINGS + lexicon.ANIMALS)
            if self._chance(0.15):
                circumstance = self._prepositional("with", "instrumental", lexicon.THINGS)
        elif kind == "giving":
            given, _ = self._noun_phrase("accusative", lexicon.THINGS)
            receiver = self._prepositional("to", "dative", lexicon.PERSONS)
            objects = Phrase(given.source + receiver.source, receiver.target + given.target)
        if not circumstance.source and self._chance({"intransitive": 0.5, "transitive": 0.15, "giving": 0.0}[kind]):
            preposition, case = self.random.choice([("in", "locative"), ("from", "ablative")])
            circumstance = self._prepositional(preposition, case, lexicon.PLACES)
        verbs = {"transitive": lexicon.TRANSITIVE, "giving": lexicon.GIVING, "intransitive": lexicon.INTRANSITIVE}[kind]
        auxiliary, english_verb, verb, tense = self._verb(verbs, person, question)
        begin = (*auxiliary, *subject.source) if question else (*subject.source, *auxiliary)
        source = (*begin, *english_verb, *objects.source, *circumstance.source)
        return Clause(source, subject.target + circumstance.target + objects.target, verb, tense)

    def _subject(self) -> tuple[Phrase, str]:
        """Return a subject and the pronoun that stands for it; a pronoun has no word of its own in Qmo."""
        if self._chance(0.25):
            pronoun = self.random.choice(list(lexicon.PERSONS_OF_VERBS))
            return Phrase((pronoun,)), pronoun
        phrase, plural = self._noun_phrase("nominative", lexicon.PERSONS + lexicon.ANIMALS)
        return phrase, "they" if plural else "she"

    def _prepositional(self, preposition: str, case: str, nouns: Sequence[Entry]) -> Phrase:
        phrase, _ = self._noun_phrase(case, nouns)
        return Phrase((preposition, *phrase.source), phrase.target)

    def _noun_phrase(self, case: str, nouns: Sequence[Entry]) -> tuple[Phrase, bool]:
        """Return a noun phrase in `case` and whether it is plural, of words that fit."""
        while True:
            phrase, plural = self._any_noun_phrase(case, nouns)
            if all(word in lexicon.UNINFLECTED or self.fits(word) for word in phrase.target):
                return phrase, plural

    def _any_noun_phrase(self, case: str, nouns: Sequence[Entry]) -> tuple[Phrase, bool]:
        ending = lexicon.CASES[case]
        if nouns[0] in lexicon.PERSONS and self._chance(0.2):
            name = self._pick(lexicon.NAMES)
            return Phrase((name.english,), (_word(*name.stem, ending),)), False

        kind = self.random.choices(["the", "a", "possessive", "genitive", "numeral"], [0.5, 0.18, 0.2, 0.06, 0.06])[0]
        if kind == "numeral" and not self.uninflected:
            kind = "the"
        plural = kind == "numeral" or (kind != "a" and self._chance(0.3))
        number = lexicon.PLURAL if plural else ""

        noun = self._pick(nouns)
        english, stem = [noun.second if plural else noun.english], noun.stem
        adjectives: tuple[Word, ...] = ()
        # One modifier at most: sentences stay short enough for a tiny model, and words are long all the same.
        modifier = self.random.choices(["", "compound", "diminutive", "adjective"], [0.6, 0.15, 0.07, 0.18])[0]
        if modifier == "compound" and noun in lexicon.THINGS + lexicon.PLACES:
            first = self._pick([entry for entry in lexicon.MODIFIERS if entry != noun])
            english, stem = [first.english, *english], (*first.stem, lexicon.LINK, *stem)
        elif modifier == "diminutive":
            english, stem = ["little", *english], (*stem, lexicon.DIMINUTIVE)
        elif modifier == "adjective":
            adjective = self._pick(lexicon.ADJECTIVES)
            degree = lexicon.COMPARATIVE if self._chance(0.2) else ""
            english = [adjective.second if degree else adjective.english, *english]
            adjectives = (_word(*adjective.stem, degree, number, ending),)

        determiner, before, possessor = self._determiner(kind, english[0])
        return Phrase((*determiner, *english), (*before, *adjectives, _word(*stem, number, possessor, ending))), plural

    def _determiner(self, kind: str, next_word: str) -> tuple[tuple[str, ...], tuple[Word, ...], str]:
        """Return the English determiner, the words it puts before the noun in Qmo, and the noun's possessive affix."""
        if kind == "possessive":
            possessive = self.random.choice(list(lexicon.POSSESSIVES))
            return (possessive,), (), lexicon.POSSESSIVES[possessive]
        if kind == "genitive":
            owner = self._pick(lexicon.NAMES + lexicon.PERSONS[:8])
            word = _word(*owner.stem, lexicon.CASES["genitive"])
            article = () if owner in lexicon.NAMES else ("the",)
            return (*article, owner.english + "'s"), (word,), ""
        if kind == "numeral":
            numeral = self._pick(lexicon.NUMERALS)
            return (numeral.english,), (numeral.stem,), ""
        if kind == "a":
            return ("an" if next_word[0] in "aeiou" else "a",), (), ""
        return ("the",), (), ""

    def _verb(
        self, verbs: Sequence[Entry], person: str, question: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...], Word, str]:
        """Return the English auxiliary and verb, the Qmo verb (one that fits), and the tense."""
        while True:
            entry = self._pick(verbs)
            tense = self.random.choices(list(lexicon.TENSES), [0.3, 0.45, 0.25])[0]
            negated = not question and self._chance(0.12)
            word = _word(
                lexicon.NEGATION if negated else "",
                *entry.stem,
                lexicon.TENSES[tense],
                lexicon.PERSONS_OF_VERBS[person],
                lexicon.QUESTION if question else "",
            )
            if self.fits(word):
                break
        third = person == "she"
        if tense == "future" or question or negated:
            auxiliary = {"future": "will", "past": "did", "present": "does" if third else "do"}[tense]
            return (auxiliary, "not") if negated else (auxiliary,), (entry.english,), word, tense
        if tense == "past":
            return (), (entry.second,), word, tense
        return (), (lexicon.third_person(entry.english) if third else entry.english,), word, tense

    def _chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _pick(self, entries: Sequence[Entry]) -> Entry:
        weights = [(rank + ZIPF_OFFSET) ** -ZIPF_EXPONENT for rank in range(len(entries))]
        return self.random.choices(entries, weights)[0]


def _word(*morphemes: str) -> Word:
    """Return the word of these morphemes; those that are nothing on the surface are left out."""
    return tuple(morpheme for morpheme in morphemes if morpheme)


def _write(source: Sequence[str], target: Sequence[Word], end: str) -> Sentence:
    words = tuple(word for word in target if word != (COMMA,))
    return Sentence(_text(source, end), _text(["".join(word) for word in target], end), words)


def _text(words: Sequence[str], end: str) -> str:
    text = " ".join(words).replace(f" {COMMA}", COMMA)
    return text[0].upper() + text[1:] + end
