"""What the S-BPE paper measures beyond BLEU: against hand-made segmentations, brute force and the published values."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.sbpe import paper as sbpe
from papers.sbpe.best_bpe import best_segmentations
from papers.sbpe.gold_morphemes import Analyses, on_surface, read_morpho_challenge, read_sigmorphon, scores
from papers.sbpe.human.measuring import of_outcomes

from replication import report
from replication.claims import AS_PRINTED, CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE, Runs
from replication.measurements import frame, matching, together
from replication.paper import read
from replication.sources import Sources, TextInPieces
from replication.tables import of_value
from subwords.bpe import BPE
from subwords.errors import InputError
from subwords.sbpe import SBPE

SIGMORPHON = "mirror/raw.githubusercontent.com/sigmorphon/2022SegmentationST"


# ---- gold morphemes


def edits(left: str, right: str) -> int:
    """Return the Levenshtein distance."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row, above = [i], row
        for j, b in enumerate(right, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


@given(st.text("abc", min_size=1, max_size=8), st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=3))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_stretches_have_the_fewest_edits_of_all_ways_to_cut_the_word(word: str, morphs: list[str]) -> None:
    found = on_surface(word, morphs)
    if found is None:
        return
    assert "".join(found) == word
    ways = [
        [word[a:b] for a, b in pairwise([0, *cuts, len(word)])]
        for cuts in combinations([*range(len(word) + 1)] * (len(morphs) - 1), len(morphs) - 1)
        if list(cuts) == sorted(cuts)
    ]
    fewest = min(sum(map(edits, morphs, way)) for way in ways)
    assert sum(map(edits, morphs, found)) == fewest


@pytest.mark.parametrize(
    ("word", "morphs", "stretches"),
    [
        ("strides", "stride s", "stride s"),
        ("bioassimilation", "bio assimilate ion", "bio assimilat ion"),
        ("subneural", "sub neuron al", "sub neur al"),
        ("stopped", "stop ed", "stopp ed"),
        ("illegal", "in legal", "il legal"),
        ("fully", "full ly", "ful ly"),
        ("low-paid", "low paid", "low- paid"),
        ("spongologists", "spongology ist s", "spongolog ist s"),
        ("better", "good er", ""),
        ("dirtied", "dirt y ed", ""),
    ],
)
def test_canonical_morphemes_on_the_surface(word: str, morphs: str, stretches: str) -> None:
    assert on_surface(word, morphs.split()) == (stretches.split() or None)


def test_sigmorphon_file(tmp_path: Path) -> None:
    path = tmp_path / "eng.tsv"
    path.write_text(
        "conservation\tconserve @@ation\t010\nhuck\thuck\t000\nbetter\tgood @@er\t100\npoles\tpole @@s\t100\n"
    )
    assert read_sigmorphon(path) == [
        Analyses("conservation", [["conserv", "ation"]]),
        Analyses("huck", [["huck"]]),
        Analyses("poles", [["pole", "s"]]),
    ]


def test_morpho_challenge_file(tmp_path: Path) -> None:
    """Labels, zero morphs, alternatives, a form with a colon; what does not join to the word is left out."""
    path = tmp_path / "gold"
    lines = [
        "flies\tfl:fly_N ies:+PL, flie:fly_V s:+3SG",
        "sheep\tsheep:sheep_N ~:+PL",
        "x:y\tx:y:z_N",
        "feet\tfoot:N s:+PL",
    ]
    path.write_text("\n".join(lines) + "\n")
    assert read_morpho_challenge(path) == [
        Analyses("flies", [["fl", "ies"], ["flie", "s"]]),
        Analyses("sheep", [["sheep"]]),
        Analyses("x:y", [["x:y"]]),
    ]
    path.write_text("flies fly +PL\n")
    with pytest.raises(InputError, match=r"line 1: 'flies fly \+PL'"):
        read_morpho_challenge(path)


def test_of_alternatives_the_one_that_the_pieces_agree_with_counts() -> None:
    """Merges make "ab c@@" into ab|c: the second way is met, the first is not; F1 of the first alone would be 0."""
    segmenter = BPE([("a", "b")])
    first, second = ["a", "bc"], ["ab", "c"]
    assert scores(segmenter, [Analyses("abc", [first])])["macro"]["f1"] == 0
    assert scores(segmenter, [Analyses("abc", [first, second])])["macro"]["f1"] == 1


@pytest.mark.slow
@pytest.mark.shared
def test_the_free_gold_morphemes(shared: Path) -> None:
    """Czech is on the surface as it is; of English nearly all are found, and what needs no alignment is unchanged."""
    (folder,) = (shared / SIGMORPHON).glob("*/data")
    czech = read_sigmorphon(folder / "ces.word.dev.tsv")
    assert len(czech) == 4000
    english = {word: ways[0] for word, ways in read_sigmorphon(folder / "eng.word.dev.tsv")}
    lines = [line.split("\t") for line in (folder / "eng.word.dev.tsv").read_text("utf-8").splitlines()]
    assert len(english) > 0.98 * len(lines)
    for word, morphs, _ in lines:
        plain = morphs.replace(" @@", " ").split()
        if "".join(plain) == word:
            assert english[word] == plain
        elif word in english:
            assert "".join(english[word]) == word
            assert len(english[word]) == len(plain)


# ---- analyses, on a made-up paper's files


def folder_of(corpus: str, pair: str, name: str) -> Path:
    """Return where a made-up segmentation lies."""
    return Path("results/segmented", corpus, pair, name)


@dataclass
class Made:
    """What a measure asks of `Sources`, from files made by hand."""

    places: list[tuple[str, str, str]] = field(default_factory=list)
    sizes: dict[str, int | None] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    every_direction: Sequence[str] = ("en-de", "de-en")
    measured: list[dict[str, Any]] = field(default_factory=list)
    own_gold: list[str] = field(default_factory=list)
    name: str = "made"
    check_segmentations = Sources.check_segmentations

    @property
    def segmented(self) -> list[TextInPieces]:
        return [
            TextInPieces(
                corpus,
                pair,
                name,
                folder_of(corpus, pair, name),
                SimpleNamespace(name=name, algorithm=name.split("-")[0]),
                name.split("-")[0],
            )
            for corpus, pair, name in self.places
        ]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((corpus, pair) for corpus, pair, _ in self.places))

    @property
    def paper(self) -> Any:
        return SimpleNamespace(printed=read("sbpe").printed, where="x", sizes=self.sizes)

    def read_by(self, text: TextInPieces, split: str) -> list[Path]:
        return [Path(f"{split}.{language}") for language in text.languages]

    def directions(self, pair: str) -> list[str]:
        return [d for d in self.every_direction if set(d.split("-")) == set(pair.split("-"))]

    def gold(self, corpus: str, pair: str) -> list[Path]:
        return [Path(path) for path in self.own_gold]

    def scores(self) -> Any:
        return frame(self.measured)

    def text_keys(self, text: TextInPieces) -> dict[str, Any]:
        name = text.name
        return {"corpus": text.corpus, "segmentation": name, "algorithm": name.split("-")[0], "size": self.sizes[name]}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def segmented(folder: Path, model: BPE | SBPE, algorithm: str, languages: Sequence[str] = ("en", "de")) -> None:
    """Write a segmentation's folder as scripts/segment.py does, with the statistics that are read."""
    folder.mkdir(parents=True)
    (folder / "segmentation.json").write_text(json.dumps({"algorithm": algorithm}))
    for language in languages:
        model.save(folder / f"model.{language}")
        (folder / f"encode.{language}.json").write_text("{}")
    (folder / "stats.json").write_text(
        json.dumps({language: {"size_reached": model.reached()} for language in languages})
    )


@pytest.mark.slow
def test_pieces_of_words_stand_in_the_cells_of_table_3(here: Path) -> None:
    merges = [("f", "i"), ("fi", "n"), ("fin", "a"), ("fina", "n"), ("finan", "z")]
    segmented(here / "results/segmented/wmt19-en-de/en-de/bpe-4k", BPE(merges[:2]), "bpe")
    segmented(here / "results/segmented/wmt19-en-de/en-de/sbpe-auto", SBPE(merges), "sbpe")
    inputs = Made(
        [("wmt19-en-de", "en-de", "bpe-4k"), ("wmt19-en-de", "en-de", "sbpe-auto")], {"bpe-4k": 4000, "sbpe-auto": None}
    )
    options = {"corpus": "wmt19-en-de", "language": "de", "words": ["finanz", "anstehenden"]}
    options |= {"segmentations": {"bpe": "bpe-4k", "sbpe": "sbpe-auto"}}
    rows = list(sbpe.examples.measure(inputs, **options))
    found = {(row["segmentation"], row["row"]): row["text"] for row in rows if row["metric"] == "pieces"}
    assert found["bpe", "finanz"] == "fin@@ a@@ n@@ z"
    assert found["sbpe", "finanz"] == "finan@@ z"  # the last letter ends the word, so "z" there is another symbol
    cells = matching(read("sbpe").printed["table3"], row="anstehenden").to_dict("records")
    assert [of_value(value, frame(rows))["text"].tolist() for value in cells] == [
        [" ".join(["a@@", "n@@", "s@@", "t@@", "e@@", "h@@", "e@@", "n@@", "d@@", "e@@", "n"])]
    ] * 2
    assert [row["value"] for row in rows if row["metric"] == "pieces_as_printed"] == [0.0, 0.0]
    with pytest.raises(InputError, match="bpe-32k"):
        list(sbpe.examples.measure(inputs, **options | {"segmentations": {"bpe": "bpe-32k"}}))
    spelled = options | {"words": ["laenge"], "spelled": {"laenge": "Länge"}}
    rows = list(sbpe.examples.measure(inputs, **spelled))
    assert [row["text"] for row in rows] == ["l@@ ae@@ n@@ g@@ e"] * 2  # the pieces of Länge, spelled as printed


def test_the_printed_sizes_are_those_of_the_program() -> None:
    """Which does not write the last merge of a batch of five: that is why experiment.yaml has its variant."""
    printed = [int(size) for size in matching(read("sbpe").printed["table7"], metric="merges")["value"]]
    assert {size % 5 for size in printed} == {4}
    assert len(printed) == 12
    assert read("sbpe", "full").experiment.segmentations["sbpe-auto"].learn["variant"] == "reference"


def test_merges_are_those_of_the_model_in_both_directions(here: Path) -> None:
    segmented(here / "results/segmented/wmt19-en-de/en-de/sbpe-auto", SBPE([("a", "b"), ("ab", "c")]), "sbpe")
    inputs = Made(
        [("wmt19-en-de", "en-de", "sbpe-auto")],
        {"sbpe-auto": None, "other": None},
        every_direction=["en-de", "de-en", "en-fi"],
    )
    rows = list(sbpe.merges.measure(inputs))
    assert [(row["direction"], row["value"]) for row in rows] == [("en-de", 2), ("de-en", 2)]
    (value,) = matching(read("sbpe").printed["table7"], row="En→De", metric="merges").to_dict("records")
    assert of_value(value, frame(rows))["value"].tolist() == [2]
    assert not list(sbpe.merges.measure(inputs, segmentations=["other"]))


def test_gains_are_those_of_brute_force(here: Path) -> None:
    """Every gain that is drawn is Eq. 7 with the paper's smoothing, computed here by counting anew at each merge."""
    text = here / "text"
    text.write_text("abab abc cab\nbca abab aa aaa\ncabab b\n" * 3)
    folder = here / "results/segmented/c/en-de/sbpe-8"
    folder.mkdir(parents=True)
    model = SBPE.learn([text], 8, report=str(folder / "report.en-de.json"))
    inputs = Made([("c", "en-de", "sbpe-8")], {"x": 9, "sbpe-8": 8})
    rows = list(sbpe.likelihood.measure(inputs, segmentations=["x", "sbpe-8"]))
    gains = {row["x"]: row["value"] for row in rows if row["metric"] == "likelihood_gain"}
    means = {row["x"]: row["value"] for row in rows if row["metric"] == "likelihood_gain_mean"}
    words = [[*word[:-1], f"{word[-1]}</w>"] for line in text.read_text().splitlines() for word in line.split()]
    seen = {symbol for word in words for symbol in word}
    expected = []
    for left, right in model.merges:
        before = Counter(symbol for word in words for symbol in word)
        words = [merged(word, left, right) for word in words]
        after = Counter(symbol for word in words for symbol in word)
        seen.add(left + right)
        # What merging made, not what stood there before: the same string may have had another way to arise.
        c = after[left + right] - before[left + right]
        total, kinds = sum(after.values()), len(seen)

        def log_p(count: int, total: int = total, kinds: int = kinds) -> float:
            return math.log((count + 1) / (total + kinds))

        expected.append(c * (log_p(c) - log_p(before[left] - c) - log_p(before[right] - c)))
    assert list(gains) == list(range(1, len(expected) + 1))
    assert list(gains.values()) == pytest.approx(expected)
    for end, mean in means.items():
        last = expected[max(0, end - 5) : end]
        assert mean == pytest.approx(sum(last) / len(last) / expected[0])


TRAIN, DEV = "abab abc cab\nbca abab aa aaa\ncabab b\n" * 3, "aab abax cba\nba bca abc\n"


def log_likelihoods_by_counting(text: str, merges: Sequence[tuple[str, str]], added: int) -> list[float]:
    """Return Eq. 1 of DEV after 0, 1, ... merges by the unigrams of a text, with everything counted anew each time."""
    learned, dev = ([[*w[:-1], f"{w[-1]}</w>"] for w in each.split()] for each in (text, DEV))
    alphabet = {unit for word in [*learned, *dev] for unit in word}
    found = []
    for left, right in [("", ""), *merges]:
        learned, dev = ([merged(word, left, right) for word in words] for words in (learned, dev))
        alphabet |= {left + right} - {""}
        units = [unit for word in learned for unit in word]
        p = {unit: (units.count(unit) + added) / (len(units) + added * len(alphabet)) for unit in alphabet}
        assert sum(p.values()) == pytest.approx(1)
        found.append(sum(math.log(p[unit]) for word in dev for unit in word))
    return found


@pytest.mark.parametrize("algorithm", [SBPE, BPE])
def test_the_likelihood_of_dev_is_that_of_brute_force(here: Path, algorithm: type[SBPE] | type[BPE]) -> None:
    """Also of dev's "x", which training lacks, and which ends a word."""
    name = f"{algorithm.algorithm}-8"
    for language, part in (("en", slice(1)), ("de", slice(1, None))):
        for split, text in (("train", TRAIN), ("dev", DEV)):
            (here / f"{split}.{language}").write_text("".join(text.splitlines(keepends=True)[part]))
    (here / "text").write_text(TRAIN)
    model = algorithm.learn([here / "text"], 8)
    segmented(folder_of("c", "en-de", name), model, model.algorithm)
    rows = list(sbpe.dev_likelihood.measure(Made([("c", "en-de", name)], {name: 8}), segmentations=[name]))
    assert [row["value"] for row in rows if row["metric"] == "dev_units_unseen"] == [1]
    by_train = log_likelihoods_by_counting(TRAIN, model.merges, 1)
    curve = {row["x"]: row["value"] for row in rows if row["metric"] == "dev_likelihood"}
    assert curve == pytest.approx(dict(enumerate(by_train[1:], 1)))
    for row, expected in ((sbpe.OF_TRAIN, by_train), (sbpe.OF_DEV, log_likelihoods_by_counting(DEV, model.merges, 0))):
        of_row = [each for each in rows if each["row"] == row and "x" not in each]
        found = {each["metric"][15:]: each["value"] for each in of_row if each["metric"] != "dev_units_unseen"}
        steps = [after - before for before, after in pairwise(expected)]
        falls = [merge for merge, step in enumerate(steps, 1) if step < -1e-6]
        of_falls = {"first_fall": falls[0], "largest_fall": pytest.approx(-min(steps))} if falls else {}
        rise, highest = pytest.approx(expected[-1] - expected[0]), expected.index(max(expected))
        assert found == {"falls": len(falls), "rise": rise, "highest": highest, **of_falls}


def test_falls_of_a_curve_by_single_merges_and_by_thousands() -> None:
    curve = [float(merge) for merge in range(2001)]
    assert sbpe.changes(curve) == {"falls": 0, "falls_1000": 0, "rise": 2000, "highest": 2000}
    curve[700], curve[2000] = 698.5, 999.0
    found = sbpe.changes(curve)
    assert (found["falls"], found["first_fall"], found["largest_fall"]) == (2, 700, 1000)
    assert (found["falls_1000"], found["highest"]) == (1, 1999)


@pytest.mark.parametrize(("falls", "state"), [(0, CONFIRMED), (1, NOT_CONFIRMED)])
def test_dev_is_monotonic_where_no_merge_lowers_it(falls: int, state: str) -> None:
    keys = {"corpus": "c", "direction": "en-de", "segmentation": "sbpe-96k", "algorithm": "sbpe", "size": 96000}
    paper = read("sbpe", "full", ["dev-likelihood"])
    numbers = [(sbpe.OF_TRAIN, "falls", falls), (sbpe.OF_TRAIN, "falls_1000", 0), (sbpe.OF_DEV, "falls", 0)]
    rows = [keys | {"row": row, "metric": f"dev_likelihood_{metric}", "value": n} for row, metric, n in numbers]
    verdicts = report.judged(paper, {"dev-likelihood": frame(rows)})
    assert verdicts["sbpe-dev-monotonic"].ours.state == state
    assert verdicts["sbpe-dev-monotonic"].published.state == NOT_TESTABLE
    for name in ("sbpe-dev-monotonic-by-its-own", "sbpe-dev-never-stops"):
        assert verdicts[name].ours.state == CONFIRMED


def merged(word: list[str], left: str, right: str) -> list[str]:
    """Return a word with every pair merged, from left to right."""
    out: list[str] = []
    for symbol in word:
        if out and out[-1] == left and symbol == right:
            out[-1] = left + right
        else:
            out.append(symbol)
    return out


@pytest.mark.parametrize(("number", "points"), [(0, 300), (1, 300), (7, 300), (96000, 300), (50, 2)])
def test_points_of_a_curve(number: int, points: int) -> None:
    found = sbpe.spread(number, points)
    assert found == sorted(set(found))
    assert len(found) <= points
    if number:
        assert (found[0], found[-1]) == (1, number)
    if number == 96000:
        assert len(found) > 200
        assert max(b / a for a, b in pairwise(found)) <= 2.0


def bleu(
    segmentation: str, value: float, size: int, direction: str = "en-de", algorithm: str = "bpe"
) -> dict[str, Any]:
    names = {"metric": "bleu", "corpus": "wmt19-en-de", "direction": direction, "model": "m", "seed": 1}
    return names | {"segmentation": segmentation, "algorithm": algorithm, "size": size, "value": value}


def test_the_best_bpe_is_that_of_each_direction_by_the_mean_over_seeds() -> None:
    rows = [bleu("bpe-4k", 20, 4000), bleu("bpe-8k", 24, 8000), bleu("sbpe-4k", 30, 4000, algorithm="sbpe")]
    rows += [bleu("bpe-8k", 10, 8000) | {"seed": 2}, bleu("bpe-4k", 20, 4000) | {"seed": 2}]
    rows += [bleu("bpe-8k", 9, 8000, "de-en"), bleu("bpe-4k", 9, 4000, "de-en")]
    found = best_segmentations(frame(rows))
    assert found == {("wmt19-en-de", "en-de"): "bpe-4k", ("wmt19-en-de", "de-en"): "bpe-4k"}
    best = best_segmentations(matching(read("sbpe").printed["table7"], direction=["en-fi", "de-en"]))
    assert best == {("wmt19-en-fi", "en-fi"): "bpe-96k", ("wmt19-en-de", "de-en"): "bpe-32k"}


def test_boundaries_are_scored_with_the_best_bpe_of_the_direction(here: Path) -> None:
    """walk|s: BPE with the merges of "walk" ends pieces where the gold does, the other BPE nowhere near."""
    walk = [("w", "a"), ("wa", "l"), ("wal", "k")]
    segmented(here / "results/segmented/wmt19-en-de/en-de/bpe-4k", BPE([]), "bpe")
    segmented(here / "results/segmented/wmt19-en-de/en-de/bpe-8k", BPE(walk), "bpe")
    segmented(here / "results/segmented/wmt19-en-de/en-de/sbpe-auto", SBPE(walk[:2]), "sbpe")
    (here / "gold.en").write_text("walks\twalk:N s:+PL\n")
    (here / "sig.en").write_text("walks\twalk @@s\t100\n")
    places = [("wmt19-en-de", "en-de", name) for name in ("bpe-4k", "bpe-8k", "sbpe-auto")]
    inputs = Made(places, {"bpe-4k": 4000, "bpe-8k": 8000, "sbpe-auto": None})
    inputs.files = {"morpho-challenge-en": here / "gold.en", "sigmorphon-en": here / "sig.en"}
    inputs.measured = [bleu("bpe-4k", 20, 4000), bleu("bpe-8k", 24, 8000)]
    options = {"segmentations": {"bpe-best": "best bpe", "sbpe": "sbpe-auto"}}
    rows = list(sbpe.boundaries.measure(inputs, **options))
    found = {(row["metric"], row["segmentation"]): row["value"] for row in rows}
    assert {row["direction"] for row in rows} == {"en-de"}  # German has no gold here
    assert found["boundary_f1", "bpe-best"] == found["boundary_f1_sigmorphon", "bpe-best"] == 1
    assert found["boundary_f1", "sbpe"] == pytest.approx(2 / 3)  # wal@@ k@@ s: one of two, one of one
    (value,) = matching(read("sbpe").printed["table4"], row="English →De", algorithm="bpe").to_dict("records")
    assert of_value(value, frame(rows))["value"].tolist() == [1]
    inputs.measured = [bleu("bpe-4k", 29, 4000), bleu("bpe-8k", 24, 8000)]
    rows = list(sbpe.boundaries.measure(inputs, **options))
    assert next(row for row in rows if row["segmentation"] == "bpe-best")["text"] == "bpe-4k"
    inputs.files = {"morpho-en": here / "gold.en"}
    with pytest.raises(InputError, match=r"files\.morpho-en"):
        list(sbpe.boundaries.measure(inputs, **options))


def test_a_corpus_with_morphemes_of_its_own_and_without_scores(here: Path) -> None:
    segmented(here / "results/segmented/c/en-de/bpe-4k", BPE([("a", "b")]), "bpe")
    (here / "gold.de").write_text("abc\tab c\n")
    inputs = Made([("c", "en-de", "bpe-4k")], {"bpe-4k": 4000, "sbpe-auto": None}, own_gold=[str(here / "gold.de")])
    options = {"segmentations": {"bpe-best": "best bpe", "sbpe": "sbpe-auto"}}
    assert not list(sbpe.boundaries.measure(inputs, **options))
    rows = list(sbpe.boundaries.measure(inputs, **options, without_scores="bpe-4k"))
    found = {(row["metric"], row["direction"]): row["value"] for row in rows}
    assert {direction for _, direction in found} == {"de-en"}
    assert found["boundary_f1", "de-en"] == found["boundary_f1_sigmorphon", "de-en"] == 1.0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("boundaries", {"segmentations": {"bpe-best": "best bpe", "sbpe": "sbpe-atuo"}}),
        ("boundaries", {"segmentations": {"bpe-best": "best bpe"}, "without_scores": "sbpe-atuo"}),
        ("merges", {"segmentations": ["sbpe-atuo"]}),
        ("likelihood", {"segmentations": ["sbpe-atuo"]}),
        ("dev_likelihood", {"segmentations": ["sbpe-atuo"]}),
    ],
)
def test_a_segmentation_that_the_paper_does_not_have_is_named(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"measures\.made in x: 'sbpe-atuo': did you mean 'sbpe-auto'"):
        list(getattr(sbpe, name).measure(Made(sizes={"sbpe-auto": None}), **options))


# ---- bootstrap


def test_rivals_are_of_one_size_or_the_best_and_of_the_same_seed() -> None:
    systems = [
        bleu("bpe-4k", 0, 4000),
        bleu("bpe-8k", 0, 8000),
        bleu("bpe-4k", 0, 4000) | {"seed": 2},
        bleu("bpe-4k", 0, 4000, "de-en"),
        bleu("sbpe-4k", 0, 4000, algorithm="sbpe"),
    ]
    best = {("wmt19-en-de", "en-de"): "bpe-8k"}
    expected = {"bleu_p_against_bpe": 0, "bleu_p_against_best_bpe": 1}
    assert sbpe.rivals(systems[4], systems, best) == expected
    auto = bleu("sbpe-auto", 0, 4000, algorithm="sbpe") | {"size": None}
    assert sbpe.rivals(auto, systems, best) == {"bleu_p_against_best_bpe": 1}
    assert not sbpe.rivals(auto | {"seed": 3}, systems, best)


def test_bootstrap_of_outputs_that_are_far_apart_near_and_equal(here: Path) -> None:
    lines = [f"the small house number {n} stands near the old river {n * 7}" for n in range(80)]

    def run(name: str, outputs: list[str]) -> Any:
        Path(f"{name}.hyp").write_text("".join(f"{line}\n" for line in outputs))
        return SimpleNamespace(hypotheses=Path(f"{name}.hyp"), target="de")

    target = Path("references.de")
    target.write_text("".join(f"{line}\n" for line in lines))
    good, bad = run("good", lines), run("bad", [line.replace("house", "tree").replace("old", "new") for line in lines])
    sources = SimpleNamespace(
        test_text=lambda run, testset, language: target,
        hypotheses=lambda run, testset: run.hypotheses,
    )
    near = run("near", [lines[0].replace("house", "hut"), *lines[1:]])
    assert sbpe.bootstrap(sources, bad, good, "test", 300) < 0.01
    assert sbpe.bootstrap(sources, near, good, "test", 300) > 0.01
    assert sbpe.bootstrap(sources, good, good, "test", 300) == 1.0


# ---- people


def test_outcomes_are_the_cells_of_table_6() -> None:
    """The paper's own wins (15, 32 and 35, 62 of 150) give the paper's own shares."""
    same = {"system_1": "bpe", "system_2": "sbpe", "p_value": 0.01, "p_one_sided": 0.009}
    wins = {"word": (15, 32), "sentence": (35, 62)}
    found = [{"question": q, "wins_1": a, "wins_2": b, "evaluated": 150, **same} for q, (a, b) in wins.items()]
    outcomes = pandas.DataFrame(found)
    rows = [{"corpus": "wmt19-en-de", "direction": "en-de"} | row for row in of_outcomes(outcomes)]
    for value in matching(read("sbpe").printed["table6"], row="En→De").to_dict("records"):
        (ours,) = of_value(value, frame(rows))["value"]
        assert ours == pytest.approx(value["value"], abs=0.0005)
    assert not list(of_outcomes(outcomes.assign(evaluated=0)))


# ---- the paper's file


@pytest.mark.parametrize("scale", ["full", "reduced", "smoke"])
@pytest.mark.slow
def test_the_file_has_the_papers_grid(scale: str) -> None:
    found = read("sbpe", scale)
    runs = found.experiment.runs
    printed = {name: list(read("sbpe").printed[name].itertuples()) for name in ("table7", "appendix-b")}
    arcs = {value.direction for value in printed["appendix-b"]}
    assert {run.direction for run in runs} == arcs
    cells = {(v.corpus, v.direction, v.segmentation) for table in printed.values() for v in table}
    ours = {(run.corpus, run.direction, run.segmentation) for run in runs}
    assert ours <= cells
    assert {name for *_, name in ours} == {name for *_, name in cells}  # every size of both, and auto
    assert scale == "smoke" or ours == cells
    sizes = {v.segmentation: v.size for v in printed["appendix-b"]}
    assert {name: size for name, size in found.sizes.items() if size} == sizes


@pytest.mark.slow
def test_claims_on_the_papers_own_numbers() -> None:
    found = read("sbpe", "full")
    nothing = {name: frame([]) for name in ("scores", *found.measures)}
    states = {name.removeprefix("sbpe-"): verdict for name, verdict in report.judged(found, nothing).items()}
    of_dev = {"dev-monotonic", "dev-monotonic-by-its-own", "dev-never-stops"}  # printed in words alone
    not_printed = {"morphology-sigmorphon", "not-different", "examples-as-printed", *of_dev}
    certain = {"morphology", "finnish-turkish", "word-preferred", "sentence-preferred", "stops", "whole-morphemes"}
    for name, verdict in states.items():
        expected = NOT_TESTABLE if name in not_printed else CONFIRMED if name in certain else AS_PRINTED
        assert verdict.published.state == expected, (name, verdict.published)
    assert "10 of 12" in states["optimal"].published.reason
    assert "9 of 12" in states["size-matters-more"].published.reason
    assert {verdict.ours.state for verdict in states.values()} == {NOT_TESTABLE}


def test_a_word_of_ones_own_is_not_judged() -> None:
    """There are no morphemes of it by hand: the verdict is that of the five words."""
    found = read("sbpe", "full")
    keys = {"metric": "pieces", "corpus": "wmt19-en-de", "row": "haus", "text": "ha@@ us"}
    own = frame(keys | {"segmentation": name.upper(), "algorithm": name} for name in ("sbpe", "bpe"))
    printed, whole = together(found.printed.values()), found.claims["sbpe-whole-morphemes"]
    assert whole(Runs(together([printed, own]))) == whole(Runs(printed))


def test_latvian_values_of_sbpe_are_values_of_bpe() -> None:
    """13 of 14, and none of the other ten directions' 70: readers are told (README.md)."""
    rows = list(read("sbpe").printed["appendix-b"].itertuples())
    bpe: dict[str, set[str]] = {}
    for value in rows:
        if value.algorithm == "bpe":
            bpe.setdefault(value.direction, set()).add(value.value)
    same = Counter(v.direction for v in rows if v.algorithm == "sbpe" and v.value in bpe[v.direction])
    assert same["en-lv"] + same["lv-en"] == 13
