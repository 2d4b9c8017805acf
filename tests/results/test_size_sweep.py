"""The size sweep's pages: the verdicts that are committed follow from the scores that are committed."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from math import isnan, sqrt
from pathlib import Path
from statistics import fmean, stdev
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata, ttest_1samp, ttest_ind
from scipy.stats import t as student_t

from experiment.scoring.comparison import LEARNED_NOTHING
from experiment.scoring.scorebook import read_scores

SWEEP = "docs/experiments/size-sweep"
PAGES = [
    *("en-de", "en-de-2400", "en-cs", "en-cs-2400", "en-fr", "en-fr-2400"),
    *("en-ga", "en-ga/further", "en-ga/short-run"),
]


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / SWEEP / "analysis.py")


@pytest.fixture(scope="module")
def longer(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / SWEEP / "longer" / "analysis.py")


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAGES)
def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path, pair: str) -> None:
    folder = root / SWEEP / pair
    rows = analysis.with_morphemes(read_scores(folder / "scores.csv"), folder)
    assert analysis.findings(rows, analysis.Beside.of(folder)) == (folder / "findings.md").read_text(encoding="utf-8")


def test_the_words_by_frequency_on_longer_training_are_in_the_table(root: Path) -> None:
    folder, values, number = root / SWEEP / "longer", dict[tuple[str, str], list[float]](), dict[str, str]()
    with (folder / "words.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            value = row["recall" if row["occurrences"] == "0" else "f1"]
            values.setdefault((row["segmentation"], row["occurrences"]), []).append(float(value))
            number[row["occurrences"]] = f"{int(row['words']):,}"
    lines = set((folder / "README.md").read_text(encoding="utf-8").splitlines())
    assert f"| | {' | '.join(number)} |" in lines
    assert f"| *words of the references* | {' | '.join(number.values())} |" in lines
    for name in {name for name, _ in values}:
        assert f"| {name} | {' | '.join(f'{fmean(values[name, each]):.1f}' for each in number)} |" in lines


def test_the_findings_on_longer_training_follow_from_the_scores(longer: ModuleType, root: Path, tmp_path: Path) -> None:
    folder = root / SWEEP / "longer"
    longer.main(["--scores", str(folder / "scores.csv"), "--output", str(tmp_path / "findings.md")])
    assert (tmp_path / "findings.md").read_bytes() == (folder / "findings.md").read_bytes()


def test_how_far_training_is_from_its_end_is_that_of_the_losses(root: Path) -> None:
    """The fall of the loss on dev in the last 400 updates, in bits a sentence: its pieces and its end."""
    found: dict[str, list[str]] = {}
    for pair in ("en-de-2400", "en-fr-2400", "en-cs-2400", "en-ga"):
        folder, falls = root / SWEEP / pair, dict[str, list[float]]()
        pieces = {
            row["segmentation"]: row["pieces_per_sentence_target"] + 1 for row in read_scores(folder / "scores.csv")
        }
        with (folder / "dev_losses.csv").open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                if sign := {"2000": 1, "2400": -1}.get(row["updates"]):
                    falls.setdefault(row["segmentation"], []).append(sign * float(row["loss"]) / 3)
        bits = {name: sum(values) * pieces[name] for name, values in falls.items()}
        for size in ("500", "4000"):
            six = [bits[f"{name}-{size}"] for name in ("bpe", "hft", "unigram", "sbpe", "wordpiece", "volt")]
            found.setdefault(size, []).append(f"{fmean(six):.1f}")
        found.setdefault("char", []).append(f"{bits['char']:.1f}")
    page = (root / SWEEP / "README.md").read_text(encoding="utf-8")
    listed = {name: f"{', '.join(each[:3])} and {each[3]}" for name, each in found.items()}
    assert f"in the mean of the six by {listed['500']} bits at 500" in " ".join(page.split())
    assert f"by {listed['4000']} at 4,000, and by {listed['char']} for `char`" in " ".join(page.split())


def verdicts_of(rows: list[dict[str, Any]]) -> dict[tuple[str, int], str]:
    """Return the shown verdicts of algorithms and sizes; `word`, which has no size, is compared with bpe of 4,000.

    They are in brackets where one vocabulary is more than 1.25 times as large as the other.
    """
    entries, found = {row["segmentation"]: row["vocabulary"] for row in rows}, {}
    for row in rows:
        if row["metric"] == "chrf" and row["verdict"] in ("better", "worse"):
            sizes = entries[row["segmentation"]], entries[row["baseline"]]
            verdict = row["verdict"] if max(sizes) <= 1.25 * min(sizes) else f"({row['verdict']})"
            found[row["algorithm"], row["size"] or 4000] = verdict
    return found


def table_of_scores(rows: list[dict[str, Any]]) -> set[str]:
    """Return the lines of a pair's table: chrF over seeds with its interval (BLEU), by size, and the round trip's.

    With the signs of the pipeline's tables: a difference is shown, and in brackets one beside another vocabulary size.
    """
    found: dict[str, dict[int | None, dict[str, list[float]]]] = {}
    signs = {system: re.sub("better|worse", "†", verdict) for system, verdict in verdicts_of(rows).items()}
    for row in rows:
        system = found.setdefault(row["algorithm"], {}).setdefault(row["size"], {"bleu": [], "chrf": []})
        system[row["metric"]].append(row["score"])
    half = student_t.ppf(0.975, 2) / sqrt(3)
    lines = set()
    for algorithm, systems in found.items():
        cells = {
            size or 500: f"{fmean(s['chrf']):.1f} ± {half * stdev(s['chrf']):.1f} ({fmean(s['bleu']):.1f})"
            + f" {signs.get((algorithm, size or 4000), '')}".rstrip()
            for size, s in systems.items()
        }
        mine = [row for row in rows if row["algorithm"] == algorithm]
        highest, lowest = (fmean(row["round_trip"] for row in mine if row["metric"] == m) for m in ("chrf", "bleu"))
        entries = f" ({mine[0]['vocabulary']} entries)" if set(systems) == {None} else ""
        shown = "".join(f" {cells[size]} |" if size in cells else " |" for size in (500, 1000, 2000, 4000))
        lines.add(f"| {algorithm}{entries} |{shown} {highest:.1f} ({lowest:.1f}) |")
    return lines


@pytest.mark.parametrize("pair", ["en-de", "en-cs"])
def test_what_h2_hangs_on_is_that_of_the_findings(root: Path, pair: str) -> None:
    folder = root / SWEEP / pair
    lines = (folder / "findings.md").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith("| H2, without size 500"))
    value, low, high = (float(each.replace("−", "-")) for each in re.findall(r"[+−][.0-9]+", line)[-3:])
    said = f"{value:+.1f} [{low:+.1f}, {high:+.1f}]".replace("-", "−")
    assert re.search(
        rf"[Ww]ithout it (H2 is refuted \()?{re.escape(said)}", (folder / "README.md").read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("page", [*PAGES, ""])
def test_the_tables_are_those_of_the_scores(root: Path, page: str) -> None:
    """Also the one of German on the front page."""
    path = root / SWEEP / page / "README.md" if page else root / "README.md"
    scores = root / SWEEP / (page or "en-de-2400") / "scores.csv"
    assert table_of_scores(read_scores(scores)) <= set(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("pair", PAGES)
def test_the_verdicts_of_the_tables_of_differences_are_those_of_the_scores(root: Path, pair: str) -> None:
    found = {}
    for line in (root / SWEEP / pair / "README.md").read_text(encoding="utf-8").splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for size, cell in zip((500, 1000, 2000, 4000), cells, strict=False):
            if match := re.fullmatch(r"[+−][\d.]+ \[.*\] (\(?(?:better|worse)\)?)", cell):
                found[name, size] = match[1]
    assert found == verdicts_of(read_scores(root / SWEEP / pair / "scores.csv"))


def test_the_page_of_the_further_algorithms_has_the_verdicts_of_its_findings(root: Path) -> None:
    page, findings = (
        (root / SWEEP / "en-ga/further" / name).read_text(encoding="utf-8") for name in ("README.md", "findings.md")
    )
    lines = {line for line in page.splitlines() if re.match(r"\| [HI]\d", line)}
    assert len(lines) == 16
    assert lines <= {*findings.partition("## Among all algorithms")[0].splitlines()}


def rows_of(systems: dict[str, tuple[float, ...]]) -> list[dict[str, Any]]:
    """Return rows of systems ALGORITHM-SIZE with the scores of three seeds."""
    return [
        {
            "segmentation": name,
            "algorithm": name.rpartition("-")[0],
            "size": int(name.rpartition("-")[2]),
            "seed": seed,
            "score": score,
            "vocabulary": 600,
            "metric": "chrf",
            "testset": "test",
        }
        for name, scores in systems.items()
        for seed, score in enumerate(scores, 1)
    ]


TWO_SIZES = {
    "bpe-500": (30.0, 31.0, 33.0),
    "bpe-1000": (34.0, 33.5, 35.0),
    "bpe-knockout-500": (31.0, 33.0, 32.5),
    "bpe-knockout-1000": (35.5, 36.0, 35.0),
}


def test_a_difference_over_sizes_is_welchs_test_of_the_seeds_means(analysis: ModuleType) -> None:
    found = analysis.curves(rows_of(TWO_SIZES))
    (line,) = analysis.verdicts("K2", analysis.means_less(found, {"bpe-knockout": "bpe"}), none_within=0.5)
    bpe, knockout = [32.0, 32.25, 34.0], [33.25, 34.5, 33.75]
    expected = ttest_ind(knockout, bpe, equal_var=False)
    low, high = expected.confidence_interval()
    shown = f"{fmean(knockout) - fmean(bpe):+.2f} [{low:+.2f}, {high:+.2f}]".replace("-", "−")
    assert line == ("K2, bpe-knockout", f"{shown}, p = {expected.pvalue:.2g}", analysis.OPEN)


@pytest.mark.parametrize(("sign", "verdict"), [(1, "CONFIRMED"), (-1, "REFUTED")])
def test_the_gain_of_longer_training_less_that_of_shorter(analysis: ModuleType, sign: int, verdict: str) -> None:
    """By hand: 9 less 4 chrF, standard error √(4 · 0.01 / 3), 8 degrees of freedom."""
    now, before = [
        rows_of({f"bpe-{size}": (mean - 0.1, mean, mean + 0.1) for size, mean in ((500, 40.0), (4000, 40.0 + gain))})
        for gain in ((9, 4) if sign > 0 else (4, 9))
    ]
    half = student_t.ppf(0.975, 8) * sqrt(4 * 0.01 / 3)
    name, evidence, found = next(analysis.longer_run_hypotheses(now, before))
    shown = f"{sign * 5:+.2f} [{sign * 5 - half:+.2f}, {sign * 5 + half:+.2f}]".replace("-", "−")
    assert (name, found) == ("D1, bpe", getattr(analysis, verdict))
    assert evidence.startswith(shown)


def further_rows(nothing: set[str], worse: str = "") -> list[dict[str, Any]]:
    """Return rows of three seeds with a variance of 0.09, of which some systems learned nothing."""
    scores = {
        "bpe": (30.0, 31.0, 33.0, 36.0),
        "byte-bpe": (20.0, 29.0, 31.0, 34.0),
        "pathpiece": (29.0, 31.0, 33.0, 36.3),
        "greedtok": (9.0, 31.1, 33.1, 36.1),
    }
    rows = rows_of(
        {
            f"{name}-{size}": (mean - 0.3, mean, mean + 0.3)
            for name, means in scores.items()
            for size, mean in zip((500, 1000, 2000, 4000), means, strict=True)
        }
    )
    said = dict.fromkeys(nothing, LEARNED_NOTHING) | {worse: "worse"}
    return [{**row, "verdict": said.get(row["segmentation"], "open"), "copied_source": 1.0} for row in rows]


def test_algorithms_that_were_trained_later_are_judged_beside_the_earlier(analysis: ModuleType) -> None:
    """Size 500 is not in the mean of I3; an algorithm with a size that learned nothing is not testable."""
    rows = further_rows({"byte-bpe-500", "pathpiece-1000"})
    earlier = [{**row, "score": row["score"] + 0.2 * (row["size"] > 1000)} for row in rows]

    def interval(value: float, sizes: int) -> str:
        """Groups with a variance of 0.09 and three seeds, half of them of each side."""
        half = student_t.ppf(0.975, 2 * sizes * 2) * sqrt(2 * sizes * 0.09 / 3 / sizes**2)
        return f"{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}], p".replace("-", "−")

    alike, told, *below = analysis.further_hypotheses(rows, earlier)
    assert (alike[1].partition(" =")[0], alike[2]) == (interval(-0.1, 4), analysis.CONFIRMED)
    assert told[1:] == ("0 of 12: none", analysis.OPEN)
    found = {name: (evidence.partition(" =")[0], verdict) for name, evidence, verdict in below}
    assert found == {
        "I3, byte-bpe": (interval(-2, 3), analysis.CONFIRMED),
        "I3, pathpiece": (interval(0.1, 3), analysis.NOT_TESTABLE),
        "I3, greedtok": (interval(0.1, 3), analysis.REFUTED),  # within ± 0.5
    }


def test_one_loss_tells_the_later_algorithms_from_bpe_and_bpe_itself_has_to_learn(analysis: ModuleType) -> None:
    rows = further_rows({"bpe-2000"}, worse="greedtok-500")
    higher = [{**row, "score": row["score"] + 2} for row in rows]
    alike, told, *below = analysis.further_hypotheses(rows, higher)
    assert (alike[2], told[2]) == (analysis.REFUTED, analysis.CONFIRMED)
    assert {verdict for _, _, verdict in below} == {analysis.NOT_TESTABLE}


def test_the_range_of_bpe_says_nothing_from_a_size_at_which_it_learned_nothing(analysis: ModuleType) -> None:
    curve = {
        size: (float(size), (mean - 0.1, mean, mean + 0.1))
        for size, mean in zip(analysis.SIZES, (20, 23, 26, 29), strict=True)
    }
    found = dict.fromkeys(("bpe", "hft", "volt", "sbpe", "unigram"), curve)
    for learned, expected in (
        ({500, 1000, 2000, 4000}, ["CONFIRMED", "CONFIRMED"]),
        ({1000, 2000, 4000}, ["NOT_TESTABLE", "CONFIRMED"]),
        ({500, 1000, 2000}, ["NOT_TESTABLE", "NOT_TESTABLE"]),
    ):
        judged = [verdict for *_, verdict in analysis.size_matters_more(found, {"bpe": learned, "hft": {4000}}, {})]
        assert judged == [getattr(analysis, name) for name in expected]


def test_bpe_with_as_many_entries_lies_between_its_sizes_in_the_logarithm(analysis: ModuleType) -> None:
    """Nothing is said beyond the sizes of bpe, nor of what learned nothing."""
    bpe = dict(zip(analysis.SIZES, ((100, (10,)), (200, (20,)), (400, (30,)), (800, (40,))), strict=True))
    other = dict(zip(analysis.SIZES, ((50, (1,)), (100, (9,)), (200 * sqrt(2), (26,)), (1600, (50,))), strict=True))
    lines = analysis.less_bpe_at_equal_entries({"bpe": bpe, "other": other}, {"other": {*analysis.SIZES}})
    assert lines.splitlines()[2:] == ["| other |  | −1.0 | +1.0 |  |"]
    lines = analysis.less_bpe_at_equal_entries({"bpe": bpe, "other": other}, {"other": {2000}})
    assert lines.splitlines()[2:] == ["| other |  |  | +1.0 |  |"]


def test_a_partial_correlation_is_that_of_what_entries_leave_over(analysis: ModuleType) -> None:
    """Against the residuals of ranks after a straight line through those of the entries."""
    random = np.random.default_rng(7)
    for _ in range(20):
        entries, measure, scores = random.normal(size=(3, 9))
        ranks = [rankdata(each) for each in (entries, measure, scores)]
        left = [each - np.polyval(np.polyfit(ranks[0], each, 1), ranks[0]) for each in ranks[1:]]
        systems = [
            analysis.Swept("a", {"vocabulary": e, "m": m}, (s - 1, s + 1))
            for e, m, s in zip(entries, measure, scores, strict=True)
        ]
        assert analysis.given_entries(systems, "m") == pytest.approx(np.corrcoef(left)[0, 1])
    determined = [analysis.Swept("a", {"vocabulary": e, "m": -e}, (float(s),)) for e, s in enumerate((3, 1, 2, 5))]
    assert isnan(analysis.given_entries(determined, "m"))
    assert isnan(analysis.given_entries(determined[:2], "m"))


def test_differences_that_one_metric_alone_shows_are_named(analysis: ModuleType, root: Path) -> None:
    rows = read_scores(root / SWEEP / "en-ga/scores.csv")
    told = {"hft-500": {"chrf", "bleu"}, "volt-500": {"chrf"}, "sbpe-500": {"bleu"}}
    for row in rows:
        row["verdict"] = "worse" if row["metric"] in told.get(row["segmentation"], ()) else "open"
    *_, both, chrf, bleu = analysis.by_bleu(rows, analysis.FIRST)
    assert both == "Differences from bpe that both show: hft-500 worse."
    assert chrf == "Differences from bpe that chrF alone shows: volt-500 worse."
    assert bleu == "Differences from bpe that BLEU alone shows: sbpe-500 worse."


def test_algorithms_that_were_trained_later_join_the_earlier_without_bpe(analysis: ModuleType, root: Path) -> None:
    """H1 among all: bpe's gain is that of its first trainings, not of those beside the later algorithms.

    All of it is left out where bpe does not score as in its first trainings (I1).
    """
    earlier = read_scores(root / SWEEP / "en-ga/scores.csv")
    later = [
        {**row, "algorithm": new, "segmentation": row["segmentation"].replace(old, new), "score": row["score"] + 0.1}
        for old, new in (("bpe", "bpe"), *(("hft", name) for name in analysis.FURTHER["further"][1:]))
        for row in earlier
        if row["algorithm"] == old
    ]
    for row in later:
        row["score"] += (row["size"] == 4000) * 2 - 0.5
    beside = analysis.Beside(decided_among=analysis.FURTHER["further"], earlier=earlier)
    own, _, among_all = analysis.findings(later, beside).partition("## Among all algorithms")
    assert ["| H1, bpe | +7.91" in part for part in (own, among_all)] == [True, False]
    assert ["| H1, bpe | +5.91" in part for part in (own, among_all)] == [False, True]
    for name in ("spm-bpe", "byte-bpe", "picky-bpe", "pathpiece", "greedtok"):
        assert all(f"| H1, {name} | +8.42" in part for part in (own, among_all))
    higher = [{**row, "score": row["score"] + 9} for row in later]
    assert "## Among all algorithms" not in analysis.findings(higher, beside)
    assert "H1, hft" not in own


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ((0.1, -0.1, 0.2), "CONFIRMED"),
        ((0.3, 0.35, 0.3), "CONFIRMED"),  # not 0, but less than 0.5
        ((0.9, 1.0, 1.1), "REFUTED"),
        ((-0.9, -1.0, -1.1), "REFUTED"),
        ((0.0, 1.0, 0.5), "OPEN"),
    ],
)
def test_two_runs_are_alike_within_half_a_point(analysis: ModuleType, changes: tuple[float, ...], verdict: str) -> None:
    before = {f"bpe-{size}": (30.0, 31.0, 33.0) for size in (500, 1000, 2000)} | {"hft-500": (1.0, 2.0, 3.0)}
    names = ["bpe-500", "bpe-1000", "bpe-2000"]
    now = {name: tuple(s + change for s in before[name]) for name, change in zip(names, changes, strict=True)}
    found = analysis.changes(rows_of(now | {"other-500": (9.0, 9.0, 9.0)}), rows_of(before))
    assert found == pytest.approx(changes)
    low, high = ttest_1samp(changes, 0).confidence_interval()
    change = analysis.Interval(fmean(changes), low, high)
    assert analysis.alike(change) == getattr(analysis, verdict)


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [(("better", "same"), "CONFIRMED"), (("same", "same"), "REFUTED"), (("same", "open"), "OPEN")],
)
def test_an_algorithm_is_told_from_bpe_by_the_pipelines_verdicts(
    analysis: ModuleType, verdicts: tuple[str, ...], verdict: str
) -> None:
    """What is left out, bpe itself and systems without a size do not count."""
    known = {"better": analysis.BETTER, "same": analysis.SAME, "open": "open"}
    rows = [
        {"segmentation": f"hft-{n}", "algorithm": "hft", "size": n, "verdict": known[v]}
        for n, v in enumerate(verdicts, 1)
    ]
    others = [("bpe", 1), ("bpe-dropout", 1), ("oracle", None)]
    rows += [{"segmentation": n, "algorithm": n, "size": size, "verdict": analysis.WORSE} for n, size in others]
    _, evidence, found = analysis.told_from_bpe("K1", rows, left_out=["bpe-dropout"])
    assert (found, evidence[:6]) == (getattr(analysis, verdict), f"{int(verdict == 'CONFIRMED')} of 2")


def test_the_smallest_difference_that_can_be_shown(analysis: ModuleType) -> None:
    """From effects, intervals and p of t tests with known standard errors and degrees of freedom."""
    tests = [(1.0, 0.5, 3.0), (-4.0, 1.5, 4.0), (2.0, 1.0, 8.0)]
    rows = []
    for number, (effect, error, freedom) in enumerate(tests):
        half = error * student_t.ppf(0.975, freedom)
        p_value = 2 * student_t.sf(abs(effect) / error, freedom)
        known = {"effect": effect, "effect_low": effect - half, "effect_high": effect + half, "effect_p": p_value}
        rows.append({"segmentation": f"system-{number}", **known})
    needed = sorted(error * student_t.ppf(1 - 0.05 / 2 / 3, freedom) for _, error, freedom in tests)
    said = analysis.smallest_shown([*rows, {"segmentation": "bpe", "effect": None, "effect_p": None}])
    assert said.startswith("Corrected for 3 comparisons")
    assert f"is {needed[1]:.1f} chrF (median; quartiles {needed[0]:.1f} and {needed[2]:.1f})" in said


def test_a_difference_between_systems_that_learned_nothing_is_not_testable(analysis: ModuleType, root: Path) -> None:
    """One size that learned something is enough for its algorithm, in H1."""
    rows = read_scores(root / SWEEP / "en-de/scores.csv")
    nothing = [{**row, "verdict": LEARNED_NOTHING} for row in rows]
    some = [row if row["segmentation"] == "hft-4000" else bad for row, bad in zip(rows, nothing, strict=True)]

    def verdicts(rows: list[dict[str, object]]) -> dict[str, str]:
        rows = analysis.judged(rows)
        found, learned = analysis.curves(rows), analysis.sizes_that_learned(rows)
        lines = [*analysis.more_entries_are_better(found, learned), *analysis.composition_matters(rows)]
        return {name: verdict for name, _, verdict in lines}

    assert set(verdicts(nothing).values()) == {analysis.NOT_TESTABLE}
    untested = {name for name, verdict in verdicts(some).items() if verdict == analysis.NOT_TESTABLE}
    assert verdicts(nothing).keys() - untested == {"H1, hft"}
    assert verdicts(some)["H1, hft"] == analysis.CONFIRMED
