"""Right words and sentences, against brute force and hand-made examples."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from small_experiment import write_lines

import score
from experiment.scoring.metrics import make_metric, score_corpus
from experiment.scoring.words import CLASSES, edit_distance, training_words, words_by_frequency

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=5)


def alignments(first: list[str], second: list[str]) -> int:
    """Return the edit distance by trying every way to pair words in order."""
    best = len(first) + len(second)
    for size in range(min(len(first), len(second)) + 1):
        for left in itertools.combinations(first, size):
            for right in itertools.combinations(second, size):
                replaced = sum(a != b for a, b in zip(left, right, strict=True))
                best = min(best, replaced + len(first) + len(second) - 2 * size)
    return best


@given(WORDS, WORDS)
def test_edit_distance_is_the_best_of_all_alignments(first, second):
    assert edit_distance(first, second) == alignments(first, second)


def test_word_accuracy_and_exact_match_by_hand():
    references = ["The cat sat.", "A dog ran away", "x"]
    hypotheses = ["The cat sat.", "A dog away now", "y z"]
    found = score_corpus(hypotheses, references, ["word_accuracy", "exact_match"])["metrics"]
    # 4 + 4 + 1 words of the reference; 0, 2 and 2 edits
    assert found["word_accuracy"]["score"] == pytest.approx(100 * (9 - 4) / 9)
    assert found["exact_match"]["score"] == pytest.approx(100 / 3)
    version = make_metric("bleu", references).get_signature().info["version"]
    assert found["word_accuracy"]["signature"] == f"nrefs:1|case:mixed|tok:13a|version:{version}"


def test_words_are_those_of_bleus_tokenizer():
    found = score_corpus(["我喜欢房子"], ["我喜欢屋子"], ["word_accuracy"], target="zh")["metrics"]["word_accuracy"]
    assert found["score"] == pytest.approx(80)
    assert "tok:zh" in found["signature"]


def test_words_by_frequency_by_hand():
    training = {"the": 100, "cat": 3, "dog": 1}
    hypotheses = ["the the cat", "zebra dog yak"]
    references = ["the cat cat", "zebra dog dog"]
    found = words_by_frequency(hypotheses, references, training, str)
    assert list(found) == ["0", "1", "2-4", "5-9", "10-99", "100-999", "1000+"]
    assert found["100-999"] == {"words": 1, "precision": 50.0, "recall": 100.0, "f1": pytest.approx(200 / 3)}
    assert found["2-4"] == {"words": 2, "precision": 100.0, "recall": 50.0, "f1": pytest.approx(200 / 3)}
    assert found["1"] == {"words": 2, "precision": 100.0, "recall": 50.0, "f1": pytest.approx(200 / 3)}
    assert found["0"] == {"words": 1, "precision": 50.0, "recall": 100.0, "f1": pytest.approx(200 / 3)}
    assert found["5-9"] == {"words": 0, "precision": None, "recall": None, "f1": None}


@given(st.lists(st.tuples(WORDS, WORDS), max_size=6), st.dictionaries(st.sampled_from("abc"), st.integers(0, 2000)))
def test_every_word_is_in_the_class_of_its_frequency(pairs, training):
    lines = [[" ".join(side) for side in pair] for pair in pairs]
    found = words_by_frequency([one for one, _ in lines], [other for _, other in lines], training, str)
    for low, high, name in zip(CLASSES, [*CLASSES, 10**9][1:], found, strict=True):
        inside = {word for word in "abc" if low <= training.get(word, 0) < high}
        wanted = sum(word in inside for _, reference in pairs for word in reference)
        right = sum((Counter(h) & Counter(r))[word] for h, r in pairs for word in inside)
        assert found[name]["words"] == wanted
        assert found[name]["recall"] == (pytest.approx(100 * right / wanted) if wanted else None)


def test_words_of_training_are_those_of_tokenized_sentences(tmp_path):
    """13a looks at neighbouring characters, which at a word's ends are spaces in both cases."""
    lines = ['The U.S. paid 3,14 -- or 1.000? "Yes," (he said).', "x-y, 5-6 'tis a.b &quot; end.", "end."]
    write_lines(tmp_path / "train", lines)
    tokenize = BLEU().tokenizer
    expected = Counter(word for line in lines for word in tokenize(line).split())
    assert training_words(tmp_path / "train", tokenize) == expected


def test_the_program_writes_them(tmp_path: Path):
    write_lines(tmp_path / "hyp", ["a new house", "a boat"])
    write_lines(tmp_path / "ref", ["a new home", "the boat"])
    write_lines(tmp_path / "train", ["a house"] * 6 + ["the"])
    words = ["--hypothesis", f"{tmp_path}/hyp", "--reference", f"{tmp_path}/ref", "--metrics", "exact_match"]
    assert score.main([*words, "--train", f"{tmp_path}/train", "--output", f"{tmp_path}/out.json"]) == 0
    found = json.loads((tmp_path / "out.json").read_text())["words_by_frequency"]
    # unseen: new, home, boat; new and boat are there
    assert (found["0"]["words"], found["0"]["recall"]) == (3, pytest.approx(200 / 3))
    assert (found["1"]["words"], found["1"]["recall"]) == (1, 0)
