"""What the VOLT paper measures: tokenized BLEU, entropy and marginal utility, their correlation with BLEU, costs."""

from __future__ import annotations

import itertools
import json
import math
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.volt import paper as volt
from papers.volt.marginal_utility import (
    by_interval,
    marginal_utilities,
    over_languages,
    piece_counts,
    piece_counts_by_stretch,
    rank_correlation,
    vocabulary_entropy,
)
from papers.volt.paper import split_compounds, tokenized_bleu

from experiment.config import Experiment
from experiment.corpora.gathering import write_origins
from replication.claims import CONFIRMED, UNDECIDED, Runs
from replication.measurements import frame
from replication.paper import FOLDER, from_settings, read
from replication.sources import Sources
from subwords import registry
from subwords.errors import InputError

# --- tokenized BLEU


def multi_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of tokens by its definition (Papineni et al. 2002): no smoothing, one reference."""
    good, total = Counter[int](), Counter[int]()
    lengths = [0, 0]
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        sides = hypothesis.split(), reference.split()
        lengths = [length + len(side) for length, side in zip(lengths, sides, strict=True)]
        for n in range(1, 5):
            grams, wanted = (Counter(tuple(s[i : i + n]) for i in range(len(s) - n + 1)) for s in sides)
            good[n] += sum((grams & wanted).values())
            total[n] += sum(grams.values())
    if not all(good[n] for n in range(1, 5)):
        return 0.0
    penalty = min(0.0, 1 - lengths[1] / lengths[0])
    return 100 * math.exp(penalty + sum(math.log(good[n] / total[n]) for n in range(1, 5)) / 4)


WORDS = ["The", "small", "house", "well-known", "isn't", "red,", "(so-called)", "tree.", "and", "a-b-c"]


def sentences(seed: int, lines: int = 40) -> tuple[list[str], list[str]]:
    chance = random.Random(seed)
    references = [" ".join(chance.choices(WORDS, k=chance.randint(4, 12))) for _ in range(lines)]
    hypotheses = [" ".join(word for word in line.split() if chance.random() < 0.9) or "a" for line in references]
    return hypotheses, references


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tokenized_bleu_by_its_definition(seed: int) -> None:
    from sacremoses import MosesTokenizer

    hypotheses, references = sentences(seed)
    moses = MosesTokenizer("en")
    tokens = [
        [split_compounds(moses.tokenize(line, return_str=True, escape=False)) for line in side]
        for side in (hypotheses, references)
    ]
    expected = multi_bleu(*tokens)
    assert 20 < expected < 100
    assert tokenized_bleu(hypotheses, references, "en") == pytest.approx(expected, abs=1e-9)


def test_case_counts() -> None:
    hypotheses, references = sentences(1)
    lower = [line.lower() for line in hypotheses]
    assert tokenized_bleu(lower, references, "en") < tokenized_bleu(hypotheses, references, "en")
    assert tokenized_bleu(references, references, "en") == pytest.approx(100)


@pytest.mark.skipif(shutil.which("perl") is None, reason="no perl")
def test_compounds_are_split_as_the_script_does() -> None:
    lines = ["a-b-c d", "well-known so-called - x", "--- a--b -c d-", "é-è 1-2-3-4 @-@"]
    script = r"s{(\S)-(\S)}{$1 ##AT##-##AT## $2}g"
    command = ["perl", "-CSDA", "-ple", script]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    assert [split_compounds(line) for line in lines] == done.stdout.split("\n")[:-1]


# --- entropy and utility


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from experiment.corpora.demo import corpus as demo

    folder = tmp_path_factory.mktemp("text")
    demo.write(folder, demo.generate(3, {"train": 400, "dev": 1, "test": 1, "test_unseen": 1}))
    return folder / "train.qmo"


def test_entropy_of_pieces_is_the_one_that_muv_search_takes(text: Path, tmp_path: Path) -> None:
    """muv counts tokens on its way through the merges; here a BPE model of each size segments the text."""
    report = tmp_path / "report.json"
    registry.find("muv").learn([text], None, interval=50, maximum=300, report=str(report))
    steps = {step["size"]: step for step in json.loads(report.read_text())["steps"]}
    assert list(steps) == [50, 100, 150, 200, 250, 300]
    entropies, tokens = {}, {}
    for size in steps:
        bpe = registry.find("bpe").learn([text], size)
        lines = bpe.encode_lines(text.read_text().split("\n")[:-1])
        (tmp_path / "pieces").write_text("".join(f"{line}\n" for line in lines))
        counts = piece_counts([tmp_path / "pieces"])
        entropies[size], tokens[size] = vocabulary_entropy(counts), len(counts)
        assert entropies[size] == pytest.approx(steps[size]["entropy"], rel=1e-9)
    utilities = marginal_utilities(entropies, tokens)
    assert utilities == pytest.approx({size: steps[size]["muv"] for size in list(steps)[1:]})


@given(st.dictionaries(st.sampled_from(["a", "ab@@", "cde", "f@@", "@@"]), st.integers(1, 50), min_size=1))
def test_entropy_by_its_equation(counts: dict[str, int]) -> None:
    total = sum(counts.values())
    length = {"a": 1, "ab@@": 2, "cde": 3, "f@@": 1, "@@": 1}
    mean_length = sum(length[piece] for piece in counts) / len(counts)
    expected = -sum(n / total * math.log(n / total) for n in counts.values()) / mean_length
    assert vocabulary_entropy(counts) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(st.permutations(range(6)), st.permutations(range(6)))
def test_rank_correlation_by_its_formula(first: list[int], second: list[int]) -> None:
    squares = sum((a - b) ** 2 for a, b in zip(first, second, strict=True))
    assert rank_correlation(first, second) == pytest.approx(1 - 6 * squares / (6 * 35))


def test_what_does_not_vary_has_no_correlation() -> None:
    assert rank_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None
    assert rank_correlation([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]) is None
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]) is None


def test_intervals_of_correlations() -> None:
    counts = by_interval([-1.0, -0.8, -0.2, 0.0, 0.2, 0.4, 0.4, 0.8, 1.0])
    assert list(counts.values()) == [2, 2, 3, 2]


def test_errors_over_languages_by_hand() -> None:
    """Of three drawn from three, the median is each end in 7 of 27 cases; a share of them has the binomial's error."""
    found = over_languages([-1.0, 0.0, 1.0])
    assert found["spearman"] == (0.0, pytest.approx((14 / 27) ** 0.5, rel=0.05))
    assert found["spearman_positive_share"] == (pytest.approx(1 / 3), pytest.approx((2 / 27) ** 0.5, rel=0.05))


@pytest.mark.parametrize(
    ("positive", "state"),
    [([0.4] * 22 + [0.2] * 9, UNDECIDED), ([0.4] * 24 + [0.2] * 7, UNDECIDED), ([0.8] * 43, CONFIRMED)],
)
def test_a_median_near_the_printed_one_decides_nothing(positive: list[float], state: str) -> None:
    correlations = positive + [-0.2] * (45 - len(positive))
    keys = {"corpus": "ted-many-en", "row": "all", "freedom": 44}
    measured = frame(
        keys | {"metric": metric, "value": value, "error": error}
        for metric, (value, error) in over_languages(correlations).items()
    )
    assert read("volt", "full").claims["volt-muv"](Runs(measured)).state == state


# --- analyses, on files made by hand

PAIR: dict[str, Any] = {"languages": ["en", "es"], "generated": {"train": 100, "dev": 1, "test": 2, "test_unseen": 1}}
SETTINGS: dict[str, Any] = {
    "experiment": "x",
    "corpora": {
        "pair": PAIR,
        "a": {**PAIR, "generated": {**PAIR["generated"], "seed": 2}},
        "b": {**PAIR, "languages": ["en", "fr"], "generated": {**PAIR["generated"], "seed": 3}},
        "all": {"group": {"es": "a", "fr": "b"}, "into": "en"},
    },
    "directions": ["es-en", "many-en"],
    "testsets": ["test"],
    "segmentations": {
        name: {"algorithm": "bpe", "size": size, "joint": True}
        for name, size in {"s10": 10, "s20": 20, "s30": 30, "s40": 40}.items()
    }
    | {"found": {"algorithm": "muv", "interval": 5, "maximum": 20, "joint": True}},
    "models": ["transformer-tiny"],
    "seeds": [1, 2],
    "baseline": "s10",
    "grids": {"pair": {"corpora": ["pair"]}, "all": {"corpora": ["all"]}},
}


def made_up(made: Sequence[dict[str, Any]] = (), grid: str = "pair", **settings: Any) -> Any:
    """Return the sources of a paper that is made up, with these scores."""
    experiment = Experiment(SETTINGS | settings)
    paper = SimpleNamespace(
        experiment=experiment,
        options={"m": {"grids": [grid]}},
        measures={"m": SimpleNamespace(reads=("scores",))},
        sizes=dict.fromkeys(experiment.segmentations),
        where="x",
    )

    class WithScores(Sources):
        def scores(self) -> Any:
            return frame(made)

    return WithScores(paper, "m")  # type: ignore[arg-type]


def write_pieces(inputs: Any, languages: Sequence[str], lines: dict[str, str]) -> None:
    """Write the pieces of segmentations by their names, the same for all languages."""
    for text in inputs.segmented:
        for language in languages:
            write(f"{text.folder}/train.{language}", lines.get(text.name, ""))


def write(path: str, content: str | dict[str, Any]) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("directions", [["es-en", "en-es"], ["es-en"]])
def test_both_sides_share_a_vocabulary(place: Path, directions: list[str]) -> None:
    inputs: Any = made_up(directions=[*directions, "many-en"])
    for number, text in enumerate(inputs.segmented, 1):
        write(f"{text.folder}/train.en", "a b@@ a\nc\n")
        write(f"{text.folder}/train.es", " ".join(f"b d{n}" for n in range(number)) + "\n")
    rows = list(volt.vocabularies.measure(inputs))
    found = {(row["segmentation"], row["direction"]): row["value"] for row in rows}
    names = [text.name for text in inputs.segmented]
    assert found == {(name, d): 4 + n for n, name in enumerate(names, 1) for d in directions}


def test_the_vocabulary_of_a_group_is_of_the_direction_that_it_has(place: Path) -> None:
    inputs: Any = made_up(grid="all")
    for text in inputs.segmented:
        for language in ("many", "en"):
            write(f"{text.folder}/train.{language}", "a b@@ a\nc\n")
    rows = list(volt.vocabularies.measure(inputs))
    assert {row["direction"] for row in rows} == {"many-en"}
    assert len(rows) == len(inputs.segmented)


def test_tokenized_bleu_of_a_group_is_by_language(place: Path) -> None:
    inputs: Any = made_up(grid="all")
    hypotheses, references = sentences(4)
    for run in inputs.runs:
        for number, testset in enumerate(("es", "fr")):
            files = run.testsets[testset]
            write(files.hypothesis, "".join(f"{line}\n" for line in (hypotheses, references)[number]))
            write(files.reference, "".join(f"{line}\n" for line in references))
    rows = list(volt.tokenized.measure(inputs))
    assert len(rows) == 2 * len(inputs.runs)
    for row in rows:
        expected = tokenized_bleu(hypotheses, references, "en") if row["testset"] == "es" else 100
        assert row["direction"] == f"{row['testset']}-en"
        assert row["value"] == pytest.approx(expected)


def test_entropy_by_size_marks_the_highest_utility(place: Path) -> None:
    pieces = {"s10": "a@@ b a@@ b", "s20": "ab ab cd ef", "s30": "abcd abcd x@@ y", "s40": "abcd abcd e fg h"}
    scores = [
        {"metric": "bleu", "corpus": "pair", "direction": "es-en", "segmentation": name, "seed": seed, "value": bleu}
        for seed in (1, 2)
        for bleu, name in enumerate(pieces)
    ]
    options = {"corpus": "pair", "direction": "es-en", "segmentations": list(pieces)}
    inputs: Any = made_up(scores)
    write_pieces(inputs, ("en", "es"), {name: f"{line}\n" for name, line in pieces.items()})
    rows = list(volt.entropies.measure(inputs, **options))
    entropies = {row["segmentation"]: row["value"] for row in rows if row["metric"] == "entropy"}
    # 2 types of 1 character; 3 of 2; 3 of 4, 1 and 1; 4 of 4, 1, 2 and 1. The most frequent one is defined twice.
    half = 0.5 * math.log(2) + 0.5 * math.log(4)
    fifths = 0.4 * math.log(2.5) + 0.6 * math.log(5)
    assert entropies == pytest.approx({"s10": math.log(2), "s20": half / 2, "s30": half / 2, "s40": fifths / 2})
    utility = {row["segmentation"]: row["value"] for row in rows if row["metric"] == "muv"}
    assert utility["s20"] == pytest.approx(math.log(2) - half / 2)  # per token, of which there is one more
    assert utility["s30"] == 0.0  # no token more
    assert utility["s40"] == pytest.approx(half / 2 - fifths / 2)
    assert [row for row in rows if row["segmentation"] == "s10" and row["metric"] == "muv"] == []
    marked = {(row["metric"], row["segmentation"], row["value"]) for row in rows if row["row"] == "highest MUV"}
    assert marked == {("entropy", "s20", entropies["s20"]), ("muv", "s20", utility["s20"]), ("bleu", "s20", 1.0)}
    assert sum(row["metric"] == "bleu" and row["row"] == "BPE" for row in rows) == 8


def test_correlation_of_utility_and_bleu(place: Path) -> None:
    """Spanish: the utility falls as BLEU does. French: it falls while BLEU rises."""
    # One type a word: the entropy of n equally frequent words of two letters is ln(n) / 2.
    types = {"s10": 40, "s20": 20, "s30": 12, "s40": 8}
    lines = {}
    for name, number in types.items():
        line = " ".join(
            f"{chr(97 + n)}{chr(97 + n)}" if n < 26 else f"{chr(39 + n)}{chr(39 + n)}" for n in range(number)
        )
        lines[name] = f"{line}\n{line}\n{line}\n"
    bleu = {"es-en": [9.0, 6.0, 3.0], "fr-en": [1.0, 2.0, 3.0]}
    scores = [
        {"metric": "bleu", "corpus": "all", "direction": direction, "segmentation": name, "seed": 1, "value": value}
        for direction, values in bleu.items()
        for name, value in zip(("s20", "s30", "s40"), values, strict=True)
    ]
    options = {"corpus": "all", "pairs": {"s20": "s10", "s30": "s20", "s40": "s30"}, "languages": ["es", "fr", "de"]}
    inputs: Any = made_up(scores, "all")
    write_pieces(inputs, ("many", "en"), lines)
    origins = inputs.text_folder("all", "many-en", "raw") / "train.origin"
    origins.parent.mkdir(parents=True)
    write_origins(origins, {"es": [1, 4], "fr": [2]})
    rows = list(volt.correlation.measure(inputs, **options))
    found = {row["direction"]: row["value"] for row in rows if row["metric"] == "spearman_of_pair"}
    assert found == pytest.approx({"es-en": 1.0, "fr-en": -1.0})
    utility = [row["value"] for row in rows if row["metric"] == "muv" and row["direction"] == "es-en"]
    counts = list(types.values())
    assert utility == pytest.approx([math.log(a / b) / 2 / 10 for a, b in itertools.pairwise(counts)])
    assert [row["value"] for row in rows if row["metric"] == "spearman"] == [pytest.approx(0)]
    assert [row["value"] for row in rows if row["metric"] == "spearman_positive_share"] == [0.5]
    assert {row["freedom"] for row in rows if "error" in row} == {1}
    assert [row["value"] for row in rows if row["metric"] == "pairs"] == [1, 0, 0, 1]


def test_stretches_of_a_file(place: Path) -> None:
    write("pieces", "a b\nb\n\nc c\n")
    assert piece_counts_by_stretch("pieces", {"x": 2, "y": 2}) == {"x": {"a": 1, "b": 2}, "y": {"c": 2}}
    assert piece_counts(["pieces"]) == {"a": 1, "b": 2, "c": 2}


def test_costs_of_a_search(place: Path) -> None:
    seconds = {"s10": 3600, "s20": 7200, "found": 1800}
    bleu = {"s10": 5.0, "s20": 4.0, "found": 4.5}
    hypotheses, references = sentences(5)
    inputs: Any = made_up(
        [
            {"metric": "bleu", "corpus": "pair", "direction": "es-en", "model": "transformer-tiny"}
            | {"segmentation": name, "seed": seed, "value": value}
            for seed in (1, 2)
            for name, value in bleu.items()
        ]
    )
    for run in inputs.runs:
        if run.segmentation in seconds:
            took = seconds[run.segmentation] * (1 if run.seed == 1 else 2)  # the mean over seeds is 1.5 times that
            write(run.run_json, {"gpus": 2, "runs_per_gpu": 4, "train_seconds": took, "device": "X"})
            write(run.testsets["test"].reference, "".join(f"{line}\n" for line in references))
            write(run.testsets["test"].scores, {"metrics": {"bleu": {"score": bleu[run.segmentation]}}})
            write(run.testsets["test"].hypothesis, "".join(f"{line}\n" for line in hypotheses))
    for text in inputs.segmented:
        write(f"{text.folder}/segmentation.json", {"learn_cpu_seconds": 36.0})
        for language in ("en", "es"):
            write(
                f"{text.folder}/train.{language}",
                {"s10": "a b", "s20": "a b c", "found": "a"}.get(text.name, "") + "\n",
            )
    place_of = {"corpus": "pair", "direction": "es-en", "model": "transformer-tiny"}
    options = place_of | {"name": "search", "search": ["s10", "s20"], "found": ["found"]}
    rows = list(volt.search.measure(inputs, **options))
    assert all(row.items() >= place_of.items() for row in rows)
    values = {(row["segmentation"], row["metric"], row.get("seed")): row["value"] for row in rows}
    tokens = tokenized_bleu(hypotheses, references, "en")
    assert values == pytest.approx(
        {
            **{("search", "bleu", seed): 5.0 for seed in (1, 2)},
            **{("search", "bleu_tokenized", seed): tokens for seed in (1, 2)},
            ("search", "vocabulary", None): 2,
            ("search", "gpu_hours", None): 1.5 * (1 + 2) / 2,
            **{("found", "bleu", seed): 4.5 for seed in (1, 2)},
            **{("found", "bleu_tokenized", seed): tokens for seed in (1, 2)},
            ("found", "vocabulary", None): 1,
            ("found", "cpu_hours", None): 0.01,
            ("found", "gpu_hours", None): 1.5 * 0.5 / 2,
        }
    )
    for run in inputs.runs:  # on a CPU, an hour of two processes of two threads is four hours of a core
        write(
            run.run_json,
            {"gpus": 0, "runs_per_gpu": None, "threads": 2, "processes": 2, "train_seconds": 3600, "device": "CPU"},
        )
    rows = list(volt.search.measure(inputs, **options))
    hours = {row["segmentation"]: row["value"] for row in rows if row["metric"] == "gpu_hours"}
    assert hours == {"search": 8.0, "found": 4.0}


def test_shares_of_a_vocabulary_by_hand() -> None:
    ours = {f"p{n:02}": 100 - n for n in range(20)}  # p00 and p01 are the most frequent tenth
    theirs = {"p00", "p01", "p05", "p19", "else"}
    assert volt.shared(ours, theirs) == {"all": 4 / 20, volt.FREQUENT: 1.0, volt.OTHERS: 2 / 18}
    assert volt.shared({"a": 1, "b": 9, "c": 1}, {"b"}) == {"all": 1 / 3, volt.FREQUENT: 1.0, volt.OTHERS: 0.0}
    assert volt.shared({"a": 1}, set()) == {"all": 0.0, volt.FREQUENT: 0.0}


def test_volt_is_compared_with_bpe_of_its_number_of_merges(place: Path) -> None:
    """By hand: of VOLT's four pieces, BPE with 20 merges has b, which is the most frequent, and of the others one."""
    known: dict[str, Any] = SETTINGS["segmentations"]
    options = {"algorithm": "volt", "candidates": 100, "interval": 5, "maximum": 20, "joint": True, "text": "moses"}
    inputs: Any = made_up(segmentations=known | {"found": options})
    write_pieces(inputs, ("en", "es"), {"found": "b b@@ c d b b\n", "s10": "a b@@ c d\n", "s20": "b c x\n"})
    for text in inputs.segmented:
        merges = 18 if text.name == "found" else int(text.name[1:])
        write(f"{text.folder}/stats.json", {"en": {"size_reached": merges}})
    folder = inputs.text_folder("pair", "en-es", "moses")
    write(f"{folder}/train.en", "low low lower\n")
    write(f"{folder}/train.es", "low lo\n")
    rows = list(volt.overlap.measure(inputs, found=["found"], bpe=["s10", "s20", "s30"]))
    assert {(row["metric"], row.get("row")): row["value"] for row in rows} == {
        # "lo" 5 times and then "low" 3 times; what is left ("w" and "e" in "lower") occurs once
        ("candidates", None): 2,
        ("merges", None): 18,
        ("merges_of_bpe", None): 20,
        ("overlap", "all"): 2 / 4,
        ("overlap", volt.FREQUENT): 1.0,
        ("overlap", volt.OTHERS): 1 / 3,
    }


def test_speed_of_training(place: Path) -> None:
    inputs: Any = made_up()
    for run in inputs.runs:
        write(run.run_json, {"tokens_per_second": 310.0 * run.seed, "epochs": 2, "train_seconds": 5})
        statistics = {"en": {"pieces_per_sentence": 30.0, "sentences": 100}}
        write(run.stats_json, statistics)
    rows = list(volt.speed.measure(inputs))
    assert {(row["seed"], row["value"]) for row in rows} == {(1, 10.0), (2, 20.0)}


def test_the_speed_of_a_short_training_is_of_the_sentences_that_it_saw(place: Path) -> None:
    """Thirty updates of 32 sentences in 10 seconds, less than one pass over 29,000."""
    inputs: Any = made_up()
    for run in inputs.runs:
        write(run.run_json, {"tokens_per_second": None, "epochs": 1, "sentences_seen": 960, "train_seconds": 10})
        write(run.stats_json, {"en": {"pieces_per_sentence": 30.0, "sentences": 29000}})
    assert {row["value"] for row in volt.speed.measure(inputs)} == {96.0}


def test_a_groups_test_sets_are_measured_in_directions_of_their_own() -> None:
    inputs = Sources(read("volt", "smoke"), "tokenized")
    grouped, single = (next(run for run in inputs.runs if (run.source == "many") is many) for many in (True, False))
    assert (inputs.keys(grouped, "ar")["direction"], inputs.keys(grouped, "ar")["testset"]) == ("ar-en", "ar")
    assert inputs.keys(grouped)["direction"] == "many-en"
    assert inputs.keys(single, "test")["direction"] == single.direction


# --- typing errors in experiment.yaml


def test_a_measures_grids_are_those_of_the_file() -> None:
    document = yaml.safe_load((FOLDER / "volt/experiment.yaml").read_text(encoding="utf-8"))
    document["measures"]["overlap"]["grids"] = ["table2-ko"]  # a text
    assert Sources(from_settings(document, "papers/volt/experiment.yaml"), "overlap").segmented
    document["measures"]["speed"]["grids"] = ["tabel1-wmt"]
    with pytest.raises(InputError, match=r"grid of the measure speed in .*: 'tabel1-wmt': did you mean 'table1-wmt'"):
        from_settings(document, "papers/volt/experiment.yaml")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("search", {"search": ["s10", "s2O"], "found": ["found"]}),
        ("search", {"search": ["s10"], "found": ["s2O"]}),
        ("overlap", {"found": ["s2O"], "bpe": ["s10"]}),
        ("overlap", {"found": ["found"], "bpe": ["s2O"]}),
        ("entropies", {"segmentations": ["s2O"]}),
        ("correlation", {"pairs": {"s2O": "s10"}}),
        ("correlation", {"pairs": {"s20": "s2O"}}),
    ],
)
def test_a_segmentation_that_the_paper_does_not_have_is_named(name: str, options: dict[str, Any]) -> None:
    place_of = {"corpus": "pair", "direction": "es-en", "model": "transformer-tiny", "name": "search"}
    needed = {key: value for key, value in place_of.items() if key in getattr(volt, name).options}
    with pytest.raises(InputError, match=r"unknown segmentation of measures\.m in x: 's2O': did you mean 's20'"):
        list(getattr(volt, name).measure(made_up(), **needed, **options))


# --- Table 2


@pytest.mark.parametrize("measured", ["all", "all but one"])
def test_the_averages_of_table_2_are_those_of_whole_rows(measured: str) -> None:
    """chrF has an average beside BLEU's, which the paper has not printed; there is none where a language is missing."""
    paper = read("volt", "full")
    shown = paper.printed["table2"]
    row = shown[(shown["row"] == "X-En BPE-1K") & (shown["column"] != "Avg")]
    keys = row[["corpus", "direction", "segmentation", "algorithm", "size"]].to_dict("records")
    scored = keys if measured == "all" else keys[1:]
    scores = [
        {**each, "metric": metric, "value": start + k, "model": "volt-big-ted", "selection": "dev", "testset": "test"}
        for metric, start in (("bleu", 20), ("chrf", 40))
        for k, each in enumerate(scored)
    ]
    cells = paper.tables["table2"](paper.printed, frame(scores))
    averages = cells[(cells["row"] == "X-En BPE-1K") & (cells["column"] == "Avg")].set_index("extra")
    middle = (len(keys) - 1) / 2
    whole = {"": 20 + middle, "chrF": 40 + middle}
    found = averages["ours"].dropna().to_dict()
    assert found == (pytest.approx(whole) if measured == "all" else {})
    assert averages["state"].to_dict().get("chrF") == ("ours alone" if measured == "all" else None)
