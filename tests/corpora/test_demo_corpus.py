"""The demo corpus against the grammar as docs/demo-language.md states it, restated here on its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from experiment.corpora.demo import corpus as demo
from experiment.corpora.demo import lexicon
from subwords.errors import InputError

SPLITS = {"train": 4000, "dev": 200, "test": 250, "test_unseen": 250}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    demo.write(out, demo.generate())
    return out


def lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text[:-1].split("\n")


def gold(folder: Path) -> dict[str, list[str]]:
    return {word: parts.split(" ") for word, parts in (line.split("\t") for line in lines(folder / "gold.qmo"))}


def words(sentence: str, names: frozenset[str]) -> list[str]:
    """Return the words of a Qmo sentence; a sentence-initial capital is dropped where the word is not a name."""
    found = re.findall(r"[^\W\d_]+", sentence)
    first = found[0]
    if not any(first.startswith(name) for name in names):
        first = first[0].lower() + first[1:]
    return [first, *found[1:]]


NAMES = frozenset(entry.english for entry in lexicon.NAMES)


def test_sizes_and_alignment(folder: Path) -> None:
    for split, size in SPLITS.items():
        assert len(lines(folder / f"{split}.en")) == len(lines(folder / f"{split}.qmo")) == size


def test_sentences_look_like_text_and_none_occurs_twice(folder: Path) -> None:
    for language in ("en", "qmo"):
        sentences = [sentence for split in SPLITS for sentence in lines(folder / f"{split}.{language}")]
        assert len(set(sentences)) == len(sentences)
        assert all(re.fullmatch(r"[A-ZŠ][a-zA-Zäš' ,]*[.?]", sentence) for sentence in sentences)
        assert 0.05 < sum("," in sentence for sentence in sentences) / len(sentences) < 0.4
        assert sum(sentence.endswith("?") for sentence in sentences) > 100


def test_gold_has_every_word_and_joins_to_it(folder: Path) -> None:
    segmented = gold(folder)
    assert all("".join(parts) == word for word, parts in segmented.items())
    used = {word for split in SPLITS for line in lines(folder / f"{split}.qmo") for word in words(line, NAMES)}
    assert used == set(segmented)


def analyses(word: str) -> set[tuple[str, ...]]:
    """Return every way to read a word by the rules of docs/demo-language.md: templates of optional morphemes."""
    cases = ["", "du", "ho", "le", "gan", "per", "kum"]
    possessives = ["", "ni", "so", "vä", "nimi", "vädi"]
    verbs = [e.stem[0] for table in (lexicon.TRANSITIVE, lexicon.GIVING, lexicon.INTRANSITIVE) for e in table]
    nouns = [
        e.stem[0] for table in (lexicon.PERSONS, lexicon.ANIMALS, lexicon.THINGS) for e in table if len(e.stem) < 2
    ]
    nouns += [e.stem[0] for e in lexicon.PLACES]
    modifiers = [e.stem[0] for e in lexicon.MODIFIERS]
    adjectives = [e.stem[0] for e in lexicon.ADJECTIVES]
    templates = [
        [["", "ta"], verbs, ["a", "i", "ul"], ["", "m", "š", "ma", "to"], ["", "ke"]],
        [nouns, ["", "ut"], ["", "ri"], possessives, cases],
        [modifiers, ["o"], nouns, ["", "ri"], possessives, cases],
        [verbs, ["or"], ["", "ut"], ["", "ri"], possessives, cases],
        [adjectives, ["", "ek"], ["", "ri"], cases],
        [list(NAMES), cases],
        [[stem[0] for stem in lexicon.UNINFLECTED]],
    ]

    def read(rest: str, slots: list[list[str]]) -> list[tuple[str, ...]]:
        if not slots:
            return [] if rest else [()]
        found = []
        for morpheme in slots[0]:
            if rest.startswith(morpheme):
                tails = read(rest[len(morpheme) :], slots[1:])
                found += [(morpheme, *tail) if morpheme else tail for tail in tails]
        return found

    return {reading for template in templates for reading in read(word, template)}


def test_gold_is_the_only_reading_that_the_grammar_allows(folder: Path) -> None:
    for word, parts in gold(folder).items():
        assert analyses(word) == {tuple(parts)}, word


def test_the_unseen_test_set_has_unseen_words_of_seen_morphemes(folder: Path) -> None:
    segmented = gold(folder)
    train = Counter(word for line in lines(folder / "train.qmo") for word in words(line, NAMES))
    morphemes = Counter(m for word, count in train.items() for m in segmented[word] for _ in range(count))
    unseen = [word for line in lines(folder / "test_unseen.qmo") for word in words(line, NAMES)]
    assert not set(unseen) & set(train)
    assert all(morphemes[m] >= 5 for word in unseen for m in segmented[word])
    test = [word for line in lines(folder / "test.qmo") for word in words(line, NAMES)]
    assert sum(word in train for word in test) / len(test) > 0.85  # drawn like train


def test_rich_enough_to_tell_systems_apart(folder: Path) -> None:
    segmented = gold(folder)
    counts = Counter(word for line in lines(folder / "train.qmo") for word in words(line, NAMES))
    assert len(segmented) > 3000
    assert 200 <= len({m for parts in segmented.values() for m in parts}) <= 400
    assert max(map(len, segmented.values())) >= 6
    frequent = counts.most_common(len(counts) // 10)
    assert sum(count for _, count in frequent) > 0.5 * counts.total()  # a few words are most of the text
    assert sum(count == 1 for count in counts.values()) > 0.3 * len(counts)


def pairs(folder: Path) -> list[tuple[str, str]]:
    return [
        pair
        for split in SPLITS
        for pair in zip(lines(folder / f"{split}.en"), lines(folder / f"{split}.qmo"), strict=True)
    ]


def test_negation_tense_person_and_question_follow_the_tables(folder: Path) -> None:
    """Translate `She will not sing.` and `Did you sleep?` with the tables alone, and compare."""
    stems = {e.english: e.stem[0] for e in lexicon.INTRANSITIVE}
    persons = {"i": "m", "you": "š", "she": "", "we": "ma", "they": "to"}
    tenses = {"will": "ul", "did": "i", "do": "a", "does": "a"}
    compared: Counter[str] = Counter()
    for source, target in pairs(folder):
        negated = re.fullmatch(r"(I|You|She|We|They) (will|did|do|does) not (\w+)\.", source)
        asked = re.fullmatch(r"(Will|Did|Do|Does) (I|you|she|we|they) (\w+)\?", source)
        if negated and negated[3] in stems:
            expected = "Ta" + stems[negated[3]] + tenses[negated[2]] + persons[negated[1].lower()] + "."
            assert target == expected
            compared["negated"] += 1
        if asked and asked[3] in stems:
            expected = stems[asked[3]] + tenses[asked[1].lower()] + persons[asked[2].lower()] + "ke?"
            assert target == expected.capitalize()
            compared["asked"] += 1
    assert compared["negated"] > 5
    assert compared["asked"] > 5


def test_simple_sentences_follow_the_lexicon(folder: Path) -> None:
    """Translate `The NOUN VERBed.` with the tables alone, and compare."""
    nouns = {e.english: (e.stem, "") for e in lexicon.PERSONS + lexicon.ANIMALS}
    nouns |= {e.second: (e.stem, "ri") for e in lexicon.PERSONS + lexicon.ANIMALS}
    verbs = {e.second: e.stem[0] for e in lexicon.INTRANSITIVE}
    compared = 0
    for source, target in pairs(folder):
        match = re.fullmatch(r"The (\w+) (\w+)\.", source)
        if match and match[2] in verbs:
            stem, plural = nouns[match[1]]
            expected = f"{''.join(stem)}{plural} {verbs[match[2]]}i{'to' if plural else ''}."
            assert target == expected[0].upper() + expected[1:]
            compared += 1
    assert compared > 20


def test_the_examples_of_the_documentation(root: Path) -> None:
    text = (root / "docs/demo-language.md").read_text(encoding="utf-8")
    examples = re.findall(r"^- \*[^*]+\* `([^`]+)`", text, re.MULTILINE)
    assert len(examples) >= 5
    for word in {word for example in examples for word in words(example, NAMES)}:
        assert len(analyses(word)) == 1, word
    shown = set(re.findall(r"`(\w+)`", text))
    affixes = [*lexicon.POSSESSIVES.values(), *lexicon.CASES.values(), *lexicon.TENSES.values()]
    affixes += [*lexicon.PERSONS_OF_VERBS.values(), lexicon.NEGATION, lexicon.LINK, lexicon.AGENT, lexicon.DIMINUTIVE]
    affixes += [lexicon.COMPARATIVE, lexicon.PLURAL, lexicon.QUESTION]
    assert {affix for affix in affixes if affix} <= shown


@pytest.mark.slow
def test_the_same_everywhere(folder: Path, tmp_path: Path, root: Path) -> None:
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root / "src")}
        code = "import pathlib, sys; from experiment.corpora.demo.corpus import generate, write\n"
        code += "write(pathlib.Path(sys.argv[1]), generate())"
        out = tmp_path / seed
        subprocess.run([sys.executable, "-c", code, out], check=True, env=environment)
        for path in folder.iterdir():
            assert (out / path.name).read_bytes() == path.read_bytes()


def test_another_seed_is_another_corpus(folder: Path) -> None:
    other = demo.generate(seed=2, sizes={"train": 200, "dev": 5, "test": 5, "test_unseen": 1})
    assert [s.source for s in other.splits["train"]] != lines(folder / "train.en")[:200]


def test_more_sentences_than_there_are_is_an_error() -> None:
    with pytest.raises(InputError, match="0 sentences for test_unseen, not 20"):
        demo.generate(sizes={"train": 10, "test_unseen": 20})
