"""What the HFT paper measures: against its authors' published numbers, and against their computation written again."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pandas
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from papers.hft import paper as hft
from papers.hft.figure4 import PART, corrected, files, published
from papers.hft.frequencies import as_published, of_pieces
from sacrebleu import sentence_bleu

from replication import paper, report
from replication.claims import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE
from replication.measurements import frame, matching, together
from replication.sources import Sources
from replication.tables import of_value
from subwords.errors import InputError

SIZES = (500, 750, 1500, 3000, 4000, 6000, 8000)
PIECES = st.sampled_from(["a", "b", ",", "c,d", "▁e", ",,", "f'", "<unk-x>"])
LINES = st.lists(st.lists(PIECES, max_size=7), min_size=1, max_size=12)


def text(shared: Path, language: str) -> Path:
    folder = "mirror/raw.githubusercontent.com/edoardosignoroni/hftoks-eval/546ee60759127dbc2dd2e391ce735ce48f6bb5a3"
    return shared / folder / "data" / language / "train" / f"train.{language}"


def printed(shared: Path) -> dict[tuple[str, str, int], tuple[float, ...]]:
    """Return (language, tokenizer, size) -> F95, μ and ν of the authors' statistics."""
    rows = (shared / "vectors/hft/published_stats.tsv").read_text(encoding="ascii").rstrip("\n").split("\n")
    cells = [row.split("\t") for row in rows]
    return {(row[0], row[1], int(float(row[2]))): tuple(map(float, row[3:])) for row in cells}


# ---- the numbers


@given(LINES)
def test_definitions(lines: list[list[str]]) -> None:
    ours = of_pieces(lines)
    ranked = sorted(Counter(piece for line in lines for piece in line).values(), reverse=True)
    assert ours.ranked == ranked
    assert ours.mu == pytest.approx(sum(map(len, lines)) / len(lines))
    if ranked:
        # F95: the least frequency among the most frequent 95 % (the smallest such set of ranks)
        fewest = next(n for n in range(1, len(ranked) + 1) if 100 * n >= 95 * len(ranked))
        assert ours.f95 == min(ranked[:fewest])
        weights = range(1, len(ranked) + 1)
        assert ours.nu == pytest.approx(sum(i * f for i, f in zip(weights, ranked, strict=True)) / sum(weights))
    else:
        assert ours.f95 is ours.nu is None


def statistics(counted: dict[str, int], items: list[int]) -> tuple[float, float, float | None]:
    """The authors' statistics, step by step."""
    ranked = sorted(counted.values(), reverse=True)
    last = int((len(ranked) / 100) * 95)
    weighted, place = 0, 1
    for frequency in ranked:
        weighted += frequency * place
        if place > last:
            break
        place += 1
    denominator = sum(range(1, last + 1))
    return ranked[last], sum(items) / len(items), weighted / denominator if denominator else None


@given(LINES)
def test_hft_as_published(lines: list[list[str]]) -> None:
    """Lines of a file, read without taking the line feed off, and split at spaces."""
    vocabulary = {"a", "b", ",", "c,d", "▁e"}
    written = [" ".join(pieces) + "\n" for pieces in lines]
    counted = Counter(token for line in written for token in line.split(" ") if token in vocabulary)
    ours = as_published(lines, vocabulary, "hft")
    if counted:
        assert ours[:3] == pytest.approx(statistics(counted, [len(line.split(" ")) for line in written]))
    else:
        assert ours.f95 is ours.nu is None


@given(LINES, st.sampled_from([{"a", "b", ",", "c,d", ",,", "f'"}, None]))
def test_sentencepiece_as_published(lines: list[list[str]], vocabulary: set[str] | None) -> None:
    """Lines of a file of printed lists, split at commas."""
    written = [f"{pieces}\n" for pieces in lines]
    counted = Counter(
        token for line in written for token in ast.literal_eval(line) if not vocabulary or token in vocabulary
    )
    ours = as_published(lines, vocabulary, "unigram")
    if counted:
        assert ours[:3] == pytest.approx(statistics(counted, [len(line.split(",")) for line in written]))
    else:
        assert ours.f95 is ours.nu is None


def test_no_text_has_no_numbers() -> None:
    for found in (of_pieces([]), as_published([], set(), "hft"), as_published([], set(), "unigram")):
        assert found == (None, None, None, [])


# ---- as published


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("language", ["am", "en", "ga", "hi", "lt", "ojb"])
def test_hft_equals_the_authors_statistics(shared: Path, language: str) -> None:
    """In every digit."""
    found = published(text(shared, language), "hft", 750).frequencies
    assert found[:3] == printed(shared)[language, "hft", 750]


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("size", [3000, 8000])
def test_hft_has_the_authors_frequencies(shared: Path, size: int) -> None:
    """One by one, as in their file for Irish."""
    file = (shared / f"vectors/hft/ga.{size}.published.freq").read_text(encoding="utf-8")
    found = published(text(shared, "ga"), "hft", size)
    assert found.frequencies.ranked == list(ast.literal_eval(file).values())
    assert found.frequencies[:3] == printed(shared)["ga", "hft", size]
    lines = (shared / f"vectors/hft/ga.{size}.published.vocab").read_bytes().count(b"\n")
    assert found.vocabulary == lines


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("language", "learned_from"), [("ga", "earlier"), ("lt", "earlier"), ("en", "present")])
def test_bpe_was_learned_from_the_whole_folder(shared: Path, language: str, learned_from: str) -> None:
    """In every digit: with the text twice (lt: its last batch empty) and HFT's pretokenized text; and not without."""
    path, wanted = text(shared, language), printed(shared)[language, "bpe", 750]
    assert published(path, "spm-bpe", 750, learned_from=learned_from).frequencies[:3] == wanted
    assert published(path, "spm-bpe", 750).frequencies[:3] != wanted


def test_the_folder_of_a_text() -> None:
    lines = [f"{number}" for number in range(2 * PART)]
    assert files(lines) == [lines, lines[:PART], []]
    assert files(lines[:-1]) == [lines[:-1], *files(lines[:-1], "parts")] == [lines[:-1], lines[:PART], lines[PART:-1]]
    assert files(["e-mail"], "present")[2:] == [["¦e-mail¦"]]
    assert files(["e-mail"], "earlier")[2:] == [["¦e¦ - ¦mail¦"]]


# ---- analyses

STEMS = ["baro", "keli", "mino", "tuva", "sade", "ropi", "vane", "lugo", "fipa", "dora", "nemi", "gatu"]
ENDINGS = ["", "ko", "ri", "sem", "tuna", "lipa", "vo"]
SMALL = "".join(f"{stem}{ending}, {stem} {other}.\n" for stem in STEMS for ending in ENDINGS for other in STEMS[:3])


class Texts:
    """Stands in for `replication.sources.Sources`: single texts."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files

    def texts(self, texts: Any) -> dict[str, Path]:
        return self.files


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text(SMALL)
    return path


def test_measurements_go_with_the_published_values(small: Path) -> None:
    """Every published value of a text has one measurement of ours, and one by definition."""
    options = {"sizes": dict.fromkeys(SIZES, 35), "step": 5, "curves": {"sizes": [750], "after": 3}}
    measured = frame(hft.frequencies.measure(Texts({"hftoks-am": small}), **options))
    values = matching(paper.read("hft").printed["figure4"], corpus="hftoks-am").to_dict("records")
    assert len(values) == 63
    assert [len(of_value(value, measured)) for value in values] == [1] * 63
    assert (measured["metric"].isin(["f95_corrected", "mu_corrected", "nu_corrected"])).sum() == 63
    for algorithm, ranks in measured[measured["metric"] == "frequency_corrected"].groupby("algorithm"):
        all_ranks = corrected(small, str(algorithm), 35).frequencies.ranked
        assert list(ranks["value"]) == all_ranks[3:]
        assert list(ranks["x"]) == list(range(4, len(all_ranks) + 1))
        assert set(ranks["size"]) == {750}


def test_hft_as_published_keeps_all_characters(small: Path) -> None:
    """Their program stops after a step, so sizes below the number of characters have one vocabulary."""
    assert published(small, "hft", 3, step=5) == published(small, "hft", 10, step=5)


def test_what_a_text_cannot_give_is_not_measured(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(hft.frequencies.measure(Texts({"x": small}), sizes=[3, 35, 100000]))
    assert {row["size"] for row in rows if row["metric"].endswith("_corrected")} == {35}
    said = capsys.readouterr().err
    for algorithm in ("spm-bpe", "unigram", "hft"):
        assert f"x, {algorithm}, 3_corrected: not measured" in said


@pytest.mark.shared
def test_the_sample_is_the_printed_one(shared: Path) -> None:
    """Figure 1, of which the text at hand has lost some spaces."""
    page = (shared / "papers/hft-2022.txt").read_text(encoding="utf-8")
    figure = next(part for part in page.split("\n\n") if part.startswith("↑|state|"))
    wanted = [line.replace("\\", "").replace(" ", "") for line in figure.split("\n")]
    lines = text(shared, "en").read_text(encoding="utf-8").split("\n")
    options = paper.read("hft", "full").options["sample"]
    found = hft.first_with(lines, options["containing"]).values()
    assert [
        hft.in_signs(line).replace(" ", "")[: len(start)] for line, start in zip(found, wanted, strict=True)
    ] == wanted


def test_lines_of_a_sample() -> None:
    assert hft.first_with(["ab", "b", "a"], {"1": "b", "2": "a"}) == {"1": "ab", "2": "ab"}
    with pytest.raises(InputError, match="no line contains 'c'"):
        hft.first_with(["ab"], {"1": "c"})


def test_counts_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a bb\u2028a\n\nc é\n")
    found = hft.sizes_of(path)
    assert found == {"sentences": 3, "words": 5, "word_types": 4, "characters": 6, "distinct_characters": 4}


SENTENCES = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "."]), min_size=1, max_size=6).map(
    " ".join
)


@given(st.lists(st.tuples(SENTENCES, SENTENCES, SENTENCES), min_size=1, max_size=8), st.integers(1, 5))
def test_most_changed_sentences(triples: list[tuple[str, str, str]], count: int) -> None:
    """Against all differences, sorted; another translation with the same score is no change."""
    bases, systems, references = ([triple[n] for triple in triples] for n in range(3))
    found = hft.most_changed(bases, systems, references, count)
    differences = [
        sentence_bleu(system, [reference]).score - sentence_bleu(base, [reference]).score
        for base, system, reference in triples
    ]
    different = [n for n, difference in enumerate(differences) if difference]
    wanted = sorted(different, key=lambda n: -abs(differences[n]))[:count]  # stable: the earlier line first
    assert [each.line - 1 for each in found] == wanted
    for each in found:
        assert each.system - each.baseline == pytest.approx(differences[each.line - 1])


def test_a_text_is_a_side_of_the_pair_that_has_its_language() -> None:
    """Multi30k has several pairs: German is of the first that has it, whatever pairs come after."""
    settings = yaml.safe_load((paper.FOLDER / "hft/experiment.yaml").read_text(encoding="utf-8"))
    grid = {"corpora": ["multi30k"], "directions": ["en-de", "en-fr"]}
    settings["experiment"] |= {**grid, "testsets": ["test2016"]}
    settings["grids"] = {"both": grid | {"segmentations": ["bpe-2k", "hft-2k"]}}
    settings |= {"scales": {"full": None}, "scale": "full", "measures": {"counts": {"grids": ["both"]}}}
    sources = Sources(paper.from_settings(settings, "papers/hft/experiment.yaml"), "counts")
    languages = {"a": "de", "b": "fr", "c": "en"}
    found = sources.texts({name: ["multi30k", language] for name, language in languages.items()})
    assert {name: path.parts[-2:] for name, path in found.items()} == {
        "a": ("en-de", "train.de"),
        "b": ("en-fr", "train.fr"),
        "c": ("en-de", "train.en"),
    }
    with pytest.raises(InputError, match=r"(?s)'multi30k cs'.*allowed: .*multi30k fr.*next: name its grid"):
        sources.texts({"a": ["multi30k", "cs"]})


# ---- its file


@pytest.mark.parametrize(("scale", "runs"), [("full", 40), ("reduced", 24), ("smoke", 8)])
def test_every_scale_has_the_whole_grid(scale: str, runs: int) -> None:
    """Four directions, two systems; and every text that the authors have statistics of, at smoke those of Figure 4."""
    found = paper.read("hft", scale)
    assert len(found.experiment.runs) == runs
    assert {run.direction for run in found.experiment.runs} == {"en-ga", "ga-en", "en-mr", "mr-en"}
    corpora = {corpus for table in ("figure4", "statistics") for corpus in found.printed[table]["corpus"]}
    for name in ("counts", "frequencies", "sample"):
        analysis = found.options[name]
        texts = set(analysis.get("files") or {}) | set(analysis.get("texts") or {})
        assert texts == (set(hft.SIX) if scale == "smoke" else corpora)
    assert list(found.options["frequencies"]["sizes"]) == list(SIZES)


def wins(metric: str, corpora: set[str], sign: int) -> tuple[int, int]:
    """Count by hand in how many pairs of language and size HFT is better than both others."""
    printed = matching(together(paper.read("hft").printed.values()), metric=metric).itertuples()
    of = {(v.corpus, v.size, v.algorithm): sign * v.value for v in printed if not corpora or v.corpus in corpora}
    cells = [key[:2] for key in of if key[2] == "hft" and (*key[:2], "spm-bpe") in of]
    better = [of[*cell, "hft"] > max(of[*cell, "spm-bpe"], of[*cell, "unigram"]) for cell in cells]
    return sum(better), len(better)


@pytest.mark.slow
def test_claims_on_the_published_numbers() -> None:
    found = report.judged(paper.read("hft", "full"), measured_nothing())
    states = {name.removeprefix("hft-"): verdict.published.state for name, verdict in found.items()}
    lost = {name for name in states if "corrected" in name}
    assert {name for name, state in states.items() if state == NOT_TESTABLE} == lost
    assert states["mu"] == NOT_CONFIRMED
    assert all(states[name] == CONFIRMED for name in ("better", "better-significant", "f95", "nu", "f95-threshold"))
    assert all(states[name] == CONFIRMED for name in ("f95-all", "mu-all", "nu-all", "mu-japanese-burmese"))
    for metric, sign in (("f95", 1), ("mu", -1), ("nu", 1)):
        for name, corpora in ((f"hft-{metric}", set(hft.SIX)), (f"hft-{metric}-all", set())):
            number, total = wins(metric, corpora, sign)
            assert f"{number} of {total}" in found[name].published.reason
    assert wins("mu", set(), -1) == (78, 125)
    assert {verdict.ours.state for verdict in found.values()} == {NOT_TESTABLE}


def measured_nothing() -> dict[str, Any]:
    return {name: frame([]) for name in ("scores", *paper.read("hft").measures)}


PAGE = paper.FOLDER.parent / "docs/reproductions/hft-figure4/README.md"


def test_the_page_says_what_bpe_and_unigram_have_on_hfts_words() -> None:
    """Of the authors' frequencies; half of the pieces of most models are marks."""
    printed = together(paper.read("hft").printed.values()).dropna(subset=["corpus", "size", "value"])
    plain = {
        (v.corpus, v.algorithm, v.size, v.metric): v.value for v in printed.itertuples() if v.metric in hft.STATISTICS
    }
    theirs = pandas.read_csv(PAGE.with_name("pretokenized.csv")).set_index(["corpus", "algorithm", "size"])
    assert len(theirs) == 245
    cells = [key[:3] for key in plain if key[3] == "f95" and key[1] != "hft"]
    columns: list[list[str]] = []
    for algorithm in ("spm-bpe", "unigram"):
        of_hft = {key: {m: plain[key[0], "hft", key[2], m] for m in hft.STATISTICS} for key in cells}
        mine = [key for key in cells if key[1] == algorithm]
        sides = [{key: {m: plain[*key, m] for m in hft.STATISTICS} for key in mine}]
        sides.append({key: theirs.loc[key].to_dict() for key in mine if key in theirs.index})
        for side in sides:
            better = [
                sum(sign * of_hft[key][metric] > sign * values[metric] for key, values in side.items())
                for metric, sign in (("f95", 1), ("mu", -1), ("nu", 1))
            ]
            ratio = median(of_hft[key]["f95"] / values["f95"] for key, values in side.items())
            f95, mu, nu = (f"{number} of {len(side)}" for number in better)
            columns.append([f95, f"{ratio:.1f}", mu, nu])
    page = PAGE.read_text(encoding="utf-8")
    for row in zip(*columns, strict=True):
        assert f" | {' | '.join(row)} |\n" in page
    bpe = theirs[theirs.index.isin([key for key in cells if key[1] == "spm-bpe" and key[0] != "hftoks-ja"])]
    lower = [plain[key[0], "hft", key[2], "mu"] < row.mu - row.marks for key, row in bpe.iterrows()]
    assert f"in {sum(lower)} of {len(lower)} cells" in page


def test_the_page_says_where_f95_starts() -> None:
    found = pandas.read_csv(PAGE.with_name("start.csv")).fillna("")
    found = found.set_index(["algorithm", "variant", "corpus"]).sort_index()
    assert found.loc["hft"].index.get_level_values("corpus").nunique() == 17
    columns = [(1.0, "count"), (0.9995, "count"), (0.9995, "do not count")]
    for variant in ("published", "paper"):
        above = []
        for coverage, unknown in columns:
            sides = found[(found["coverage"] == coverage) & (found["unknown"] == unknown)]["f95"]
            others = sides.loc[["spm-bpe", "unigram"]].groupby("corpus").max()
            above.append(int((found.loc["hft", variant]["f95"] > others).sum()))
        assert f"| `variant={variant}` | {' | '.join(map(str, above))} |" in PAGE.read_text(encoding="utf-8")


def test_the_page_says_how_often_hft_is_better() -> None:
    """In the six languages of Figure 4, and in all that were measured."""
    tables = [pandas.read_csv(PAGE.with_name(f"{name}-numbers.csv")) for name in ("figure4", "statistics")]
    rows = pandas.concat(tables).dropna(subset=["ours"])
    page = PAGE.read_text(encoding="utf-8")
    for measured in (rows[rows["corpus"].isin(hft.SIX)], rows):
        plain, by_definition = (measured[measured["extra"].fillna("") == extra] for extra in ("", "corrected"))
        columns = _how_often(plain, "published"), _how_often(plain, "ours"), _how_often(by_definition, "ours")
        for row in zip(*columns, strict=True):
            assert f" | {' | '.join(row)} |\n" in page
    for language, of_language in rows[rows["extra"].isna()].groupby("corpus"):
        assert f"| {str(language).removeprefix('hftoks-')} | {' | '.join(_how_near(of_language))} |\n" in page


def _how_often(rows: pandas.DataFrame, column: str) -> Iterator[str]:
    """Count by hand in F95, its threshold, μ and ν; a cell without all three algorithms is left out."""
    for metric, sign in (("f95", 1), ("mu", -1), ("nu", 1)):
        of = rows[rows["metric"] == metric]
        values = sign * of.pivot(index=["corpus", "size"], columns="algorithm", values=column).dropna()
        above = values["hft"] > values[["spm-bpe", "unigram"]].max(axis=1)
        yield f"{above.sum()} of {len(above)}"
        if metric == "f95":
            sizes = [list(won) for _, won in above.groupby("corpus")]
            late = [not won[0] and won[-1] and won == sorted(won) for won in sizes]
            yield f"{sum(late)} of {len(late)}"


def _how_near(rows: pandas.DataFrame) -> Iterator[str]:
    """Count the sizes whose three numbers are all equal to 15 digits, and the largest distances in %."""
    away = (rows["ours"] - rows["published"].astype(float)).abs() / rows["published"].astype(float)
    for algorithm, metrics in (("hft", ()), ("spm-bpe", ("mu", "nu")), ("unigram", ("f95", "mu", "nu"))):
        mine = rows["algorithm"] == algorithm
        largest = away[mine].groupby(rows["size"]).max()
        yield f"{(largest < 1e-14).sum()} of {len(largest)}"
        for metric in metrics:
            percent = round(100 * away[mine & (rows["metric"] == metric)].max(), 4)
            yield f"{percent:.2g}" if percent < 100 else f"{percent:.0f}"
