"""Judge the hypotheses of the size sweep (README.md) on one pair's scores, and draw its figure.

cd docs/experiments/size-sweep && python analysis.py --scores ../../../results/size-sweep/scores.csv --output en-de

Writes findings.md, scores.csv, figure.png and, of many algorithms, algorithms.png to the folder. Only algorithms with
all sizes and seeds are judged. Where the folder has morphemes.csv (morphemes.py), agreement with morphemes is one more
measure; words.csv (words.py) adds words by frequency; where it has first-run/scores.csv, this is the second run of a
pair, and its own hypotheses are judged, too; those of a pair that is trained longer are judged beside the shorter run.
A folder `further` in that of a run has algorithms that were trained later: they are judged among themselves, and with
the others. Where ../sampling has trained the algorithms that draw with the same recipe, H2 is judged with them, too;
lengths.csv (lengths.py) adds how long translations are.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import spearmanr
from scipy.stats import t as student_t

from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_algorithms, draw_sweep
from experiment.reporting.findings import (
    Verdict,
    mean_of_sizes,
    read_csv,
    signed,
    table,
    told_apart,
    verdict_table,
    verdicts,
    words_table,
)
from experiment.reporting.table_formats import markdown_table
from experiment.reporting.tables import differences
from experiment.scoring.comparison import (
    BETTER,
    DIFFERENT,
    LEARNED_NOTHING,
    NO_BASELINE,
    SAME,
    WORSE,
    learned_nothing,
)
from experiment.scoring.contrasts import CONFIRMED, OPEN, REFUTED, Interval, Judged, Signed, judge
from experiment.scoring.prediction import (
    FEWEST_ALGORITHMS,
    Prediction,
    Swept,
    partial,
    predict,
    spearman,
    swept_systems,
)
from experiment.scoring.prediction import SIZE as ENTRIES_MEASURE
from experiment.scoring.scorebook import Row, read_scores, write_scores
from experiment.scoring.significance import ALPHA, resampling_seed

METRIC = "chrf"
SIZES = (500, 1000, 2000, 4000)
SEEDS = 3
#: The algorithms that every pair has. H1 to H6 are decided among them.
FIRST = ("bpe", "hft", "unigram", "huffman", "sbpe", "wordpiece", "random-bpe", "volt", "char", "word")
#: The folder, within that of a run, with algorithms that were trained later -> those that its hypotheses are about.
FURTHER = {"further": ("bpe", "spm-bpe", "byte-bpe", "picky-bpe", "pathpiece", "greedtok")}
#: Algorithms whose sizes count the 256 bytes, predicted to be below bpe in the mean of the sizes (I3).
OF_BYTES = ("byte-bpe", "pathpiece", "greedtok")
#: Algorithms that draw the segmentation of train at random -> the same without drawing (G2).
DRAWN = {"bpe-dropout": "bpe", "unigram-sampling": "unigram"}
#: Codes without meaning, and merges drawn at random: made to be worse, and left out of what composes words of pieces.
CONTROLS = ("huffman", "random-bpe")
#: At how many entries algorithms are compared with each other (H2).
ENTRIES = 1000
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (G1, G2).
NO_DIFFERENCE = 0.5
#: Draws of the bootstrap of ranges (H2).
DRAWS = 2000
#: The folder of a longer run -> that of the shorter (D1, D2).
LONGER = {f"en-{language}-2400": f"en-{language}" for language in ("de", "cs", "fr")}
#: The folder of a run -> that of ../sampling with the same texts and training.
SAMPLED = {"en-de-2400": "en-de", "en-ga": "en-ga"}
#: Direction -> the algorithms that are predicted to be below bpe in the mean of the sizes (D3).
BELOW_BPE = {"en-fr": ("unigram", "sbpe", "wordpiece", "volt")}
#: The steps between sizes that were looked at after all hypotheses.
STEPS = ((500, 1000), (1000, 2000), (2000, 4000), (1000, 4000))
RENYI, PIECES = "renyi_efficiency_target", "pieces_per_sentence_target"
#: Side of a translation -> agreement with gold morphemes of its language.
MORPHEMES = {"target": "boundary_f1_target", "source": "boundary_f1_source"}
EVIDENCE = "evidence (chrF, 95% intervals)"
TOO_FEW = "too few algorithms"
#: The verdict on a difference between systems that all learned nothing, and on a range that begins or ends at one.
NOT_TESTABLE = "not testable"

#: An algorithm's systems: size -> entries in the vocabulary, and the score of each seed.
Curve = dict[int, tuple[float, tuple[float, ...]]]
#: Algorithm -> the sizes of its systems that learned something.
Learned = dict[str, set[int]]


def complete(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of algorithms that are there as a whole: each size (or the one they have) with every seed."""
    seeds: dict[str, dict[int | None, set[int]]] = {}
    for row in rows:
        seeds.setdefault(row["algorithm"], {}).setdefault(row["size"], set()).add(row["seed"])
    whole = {
        algorithm
        for algorithm, found in seeds.items()
        if all(len(each) == SEEDS for each in found.values()) and (set(found) == set(SIZES) or len(found) == 1)
    }
    return [row for row in rows if row["algorithm"] in whole]


def judged(rows: Sequence[Row], metric: str = METRIC) -> list[Row]:
    """Return the rows that hypotheses are about: those of the metric, on the first test set."""
    return [row for row in rows if (row["testset"], row["metric"]) == (rows[0]["testset"], metric)]


def swept(rows: Sequence[Row]) -> list[Swept]:
    return swept_systems(rows, rows[0]["testset"], rows[0]["metric"]) if rows else []


def curves(rows: Sequence[Row]) -> dict[str, Curve]:
    """Return the curve of each algorithm with several sizes."""
    found: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        if row["size"] is not None:
            found.setdefault(row["algorithm"], {}).setdefault(row["size"], []).append(row)
    return {
        algorithm: {
            size: (statistics.fmean(row["vocabulary"] for row in runs), tuple(row["score"] for row in runs))
            for size, runs in sorted(systems.items())
        }
        for algorithm, systems in found.items()
        if len(systems) > 1
    }


def shown(interval: Interval, decimals: int = 2) -> str:
    return "not defined" if isnan(interval.value) else interval.text(decimals)


def sizes_that_learned(rows: Sequence[Row]) -> Learned:
    found: dict[str, set[int]] = {}
    for row in rows:
        if row["size"] and not learned_nothing(row):
            found.setdefault(row["algorithm"], set()).add(row["size"])
    return found


def gains(found: Mapping[str, Curve], steps: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Judged]]:
    """Yield the algorithm and the gain of each step, corrected for all steps of all algorithms."""
    asked = {
        (name, step): [(1, curve[step[1]][1]), (-1, curve[step[0]][1])]
        for name, curve in found.items()
        for step in steps
    }
    yield from ((name, gain) for (name, _), gain in judge(asked).items())


def more_entries_are_better(found: Mapping[str, Curve], learned: Learned) -> Iterator[Verdict]:
    """H1: of each algorithm, the largest size against the smallest."""
    ends = (SIZES[0], SIZES[-1])
    for algorithm, gain in gains(found, [ends]):
        tested = {*ends} & learned.get(algorithm, set())
        yield f"H1, {algorithm}", gain.text(), gain.verdict if tested else NOT_TESTABLE


def steps_between_sizes(found: Mapping[str, Curve]) -> str:
    """Return the gain of each step between sizes as Markdown: not asked beforehand."""
    cells: dict[str, list[str]] = {}
    for algorithm, gain in gains(found, STEPS):
        cells.setdefault(algorithm, []).append(gain.text())
    head = ["algorithm", *(f"{small:,} to {large:,}" for small, large in STEPS)]
    return table(head, ([algorithm, *each] for algorithm, each in cells.items()), "|".join(["---"] * len(head)))


def at_one_size(rows: Sequence[Row]) -> str:
    """Return Spearman's ρ of measures with the score, among the systems of one size, as Markdown."""
    lines = []
    for size in SIZES:
        runs: dict[str, list[Row]] = {}
        for row in rows:
            if row["size"] == size:
                runs.setdefault(row["segmentation"], []).append(row)
        means = {
            name: [statistics.fmean(row[name] for row in system) for system in runs.values()]
            for name in (PIECES, RENYI, "score")
        }
        found = (spearmanr(means[name], means["score"]).statistic for name in (PIECES, RENYI))
        lines.append([f"{size:,}", *map(signed, found)])
    return table(["size", "target pieces a sentence", "Rényi efficiency"], lines, "--:|--:|--:")


def seed_means(curve: Curve) -> dict[int, float]:
    return {size: statistics.fmean(scores) for size, (_, scores) in curve.items()}


def at_entries(curve: Curve, means: Mapping[int, float], number: float = ENTRIES) -> float:
    """Return the score at a number of entries, interpolated in the logarithm of entries."""
    entries = [np.log(curve[size][0]) for size in curve]
    return float(np.interp(np.log(number), entries, [means[size] for size in curve]))


def less_bpe_at_equal_entries(found: Mapping[str, Curve], learned: Learned) -> str:
    """Return how far each system is from bpe at as many entries, as Markdown.

    A cell is empty beyond the entries of bpe, and where the system learned nothing.
    """
    bpe = found["bpe"]
    means, entries = seed_means(bpe), [number for number, _ in bpe.values()]
    lines = []
    for algorithm, curve in found.items():
        if algorithm == "bpe":
            continue
        cells = [algorithm]
        for (size, score), (number, _) in zip(seed_means(curve).items(), curve.values(), strict=True):
            known = entries[0] <= number <= entries[-1] and size in learned.get(algorithm, set())
            cells.append(signed(score - at_entries(bpe, means, number), 1) if known else "")
        lines.append(cells)
    return table(["algorithm", *(f"{size:,}" for size in SIZES)], lines)


def standard_error(found: Iterable[Curve]) -> tuple[float, int]:
    """Return the standard error of a system's mean, by the variance that all systems share, and its degrees of freedom.

    Three seeds of one system say too little of its variance: drawing them again gives intervals that are too narrow.
    """
    seeds = [scores for curve in found for _, scores in curve.values()]
    degrees = sum(len(scores) - 1 for scores in seeds)
    pooled = sum((len(scores) - 1) * statistics.variance(scores) for scores in seeds) / degrees
    return float(np.sqrt(pooled / SEEDS)), degrees


def range_difference(
    composing: Mapping[str, Curve], sizes: Sequence[int] = SIZES, draws: int = DRAWS
) -> tuple[float, float, Interval]:
    """Return the range of bpe over some sizes, the range of algorithms at equal entries, and their difference (H2).

    The interval is a basic bootstrap: draws around the means, reflected, because noise makes every range wider.
    """

    def ranges(scores: Mapping[str, Mapping[int, float]]) -> tuple[float, float]:
        equal = [at_entries(curve, scores[name]) for name, curve in composing.items()]
        return float(np.ptp([scores["bpe"][size] for size in sizes])), float(np.ptp(equal))

    means = {name: seed_means(curve) for name, curve in composing.items()}
    of_size, of_algorithm = ranges(means)
    error, degrees = standard_error(composing.values())
    random = np.random.default_rng(resampling_seed())
    differences = []
    for _ in range(draws):
        drawn = {
            name: {size: mean + error * float(random.standard_t(degrees)) for size, mean in curve.items()}
            for name, curve in means.items()
        }
        differences.append(np.subtract(*ranges(drawn)))
    low, high = 2 * (of_size - of_algorithm) - np.percentile(differences, [97.5, 2.5])
    return of_size, of_algorithm, Interval(of_size - of_algorithm, float(low), float(high))


def size_matters_more(found: Mapping[str, Curve], learned: Learned, drawing: Mapping[str, Curve]) -> Iterator[Verdict]:
    """H2: the range of bpe over its sizes, less the range of the composing algorithms at equal entries.

    What it hangs on, asked afterwards: the same with huffman, without those that draw or with them (`drawing`), of bpe
    without the smallest size (which the others keep: their scores at equal entries lie between two sizes). Where bpe
    has learned nothing at its smallest or largest size, its range confirms nothing.
    """
    composing = {name: curve for name, curve in found.items() if name not in CONTROLS}
    asked = {"H2": composing}
    if "huffman" in found:
        asked["H2, with huffman"] = composing | {"huffman": found["huffman"]}
    if {*DRAWN} & {*composing}:
        plain = {name: curve for name, curve in composing.items() if name not in DRAWN}
        asked["H2, without random segmentation"] = plain
    for count in range(1, len(drawing) + 1):
        more = [*drawing][:count]
        asked[f"H2, with {' and '.join(more)}"] = composing | {name: drawing[name] for name in more}
    ways = [(label, chosen, SIZES) for label, chosen in asked.items()]
    for label, chosen, sizes in [*ways, (f"H2, without size {SIZES[0]}", composing, SIZES[1:])]:
        of_size, of_algorithm, difference = range_difference(chosen, sizes)
        few = len(chosen) < FEWEST_ALGORITHMS
        verdict = TOO_FEW if few else CONFIRMED if difference.low > 0 else REFUTED if difference.high < 0 else OPEN
        ends, added = {sizes[0], sizes[-1]}, chosen.keys() - composing.keys()
        if not (ends <= learned.get("bpe", set()) and all(learned.get(name) for name in added)):
            verdict = NOT_TESTABLE
        text = f"range of bpe {of_size:.2f}, of {len(chosen)} algorithms at {ENTRIES:,} entries {of_algorithm:.2f}; "
        yield label, f"{text}difference {shown(difference)}", verdict


def composition_matters(rows: Sequence[Row]) -> Iterator[Verdict]:
    """H3: the pipeline's verdicts on the controls against bpe of the same size."""
    for control in CONTROLS:
        if here := {row["size"]: row for row in rows if row["algorithm"] == control}:
            verdicts = [row["verdict"] for row in here.values()]
            refuted = sum(verdict in (SAME, BETTER) for verdict in verdicts) >= 2
            verdict = CONFIRMED if set(verdicts) == {WORSE} else REFUTED if refuted else OPEN
            if set(verdicts) <= {LEARNED_NOTHING, NO_BASELINE}:
                verdict = NOT_TESTABLE
            listed = "; ".join(
                f"{size:,}: {shown(Interval.effect(row))} {row['verdict']}" for size, row in sorted(here.items())
            )
            yield f"H3, {control}", listed, verdict


def prediction_verdicts(found: Prediction) -> Iterator[Verdict]:
    """H4 to H6."""
    few = found.algorithms < FEWEST_ALGORITHMS
    for name, measure, sign in (("H4", RENYI, 1), ("H5", PIECES, -1)):
        rho = found.rho[measure]
        low, high = sorted((sign * rho.low, sign * rho.high))
        verdict = CONFIRMED if low > 0 else REFUTED if high < 0.3 else OPEN
        text = f"ρ = {shown(rho)}; given entries {shown(found.beyond_size[measure])}"
        yield name, text, TOO_FEW if few else verdict
    better = found.better[PIECES, RENYI]
    turned = Interval(-better.value, -better.high, -better.low)
    verdict = CONFIRMED if turned.low > 0 else REFUTED if turned.high < 0 else OPEN
    yield "H6", f"absolute ρ of Rényi efficiency, less that of pieces: {shown(turned)}", TOO_FEW if few else verdict


def with_morphemes(rows: Sequence[Row], folder: Path) -> Sequence[Row]:
    """Return the rows with the agreement with gold morphemes (F1, 0 to 1) of their system and seed.

    It is that of morphemes.csv in the folder; without this file the rows stay as they are.
    """
    if not (path := folder / "morphemes.csv").exists():
        return rows
    f1: dict[tuple[str, int], dict[str, float | None]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for each in csv.DictReader(stream):
            value = float(each["f1"]) if each["f1"] else None
            f1.setdefault((each["segmentation"], int(each["seed"])), {})[MORPHEMES[each["side"]]] = value
    return [{**row, **f1[row["segmentation"], row["seed"]]} for row in rows]


def morphemes_predict(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Asked with no hypothesis, of sources afterwards: does agreement with gold morphemes predict chrF?"""
    for side, measure in MORPHEMES.items():
        if found := predict(swept([row for row in rows if row[measure] is not None])):
            rho, beyond = found.rho[measure], found.beyond_size[measure]
            few = found.algorithms < FEWEST_ALGORITHMS
            verdict = TOO_FEW if few else "excludes 0" if rho.low > 0 or rho.high < 0 else OPEN
            text = f"ρ = {shown(rho)}; given entries {shown(beyond)}"
            yield f"morphemes of the {side}, {found.systems} systems", text, verdict


def what_differs(rows: Sequence[Row]) -> str:
    """Return the pipeline's table of what differs between the systems besides the segmentation, as Markdown."""
    systems: dict[str, list[Row]] = {}
    for row in rows:
        systems.setdefault(row["segmentation"], []).append(row)
    table = differences(systems)
    return "\n\n".join([f"## {table.title}", markdown_table(table), *table.notes])


def composing_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the algorithms that compose words of pieces, and have sizes."""
    return [row for row in rows if row["size"] and row["algorithm"] not in (*CONTROLS, "word")]


def mean_less(one: Curve, other: Curve, sizes: Collection[int]) -> Signed:
    """Return the mean of an algorithm's sizes less that of another's; each size's seeds are a group of their own."""
    return [(sign / len(sizes), curve[size][1]) for sign, curve in ((1, one), (-1, other)) for size in sizes]


def mean_of_learned_sizes(found: Mapping[str, Curve], learned: Learned) -> Iterator[str]:
    """Yield, as Markdown, how far each algorithm is from bpe in the mean of the sizes at which both learned something.

    Each size's seeds are a group of their own: a seed of one size has nothing in common with that of another.
    """
    both = {name: learned.get("bpe", set()) & learned.get(name, set()) for name in found if name != "bpe"}
    sizes = {name: sorted(common) for name, common in both.items() if common}
    asked = {name: mean_less(found[name], found["bpe"], of) for name, of in sizes.items()}
    yield "## The mean of the sizes, less that of bpe"
    lines = ([name, ", ".join(map(str, sizes[name])), each.text()] for name, each in judge(asked).items())
    yield table(["algorithm", "sizes", "chrF"], lines, "---|---|---")
    yield (
        "95% intervals (Welch, seeds; the seeds of each size are a group of their own); p is corrected for all "
        f"{len(sizes)} (Holm). Not asked beforehand. Hypotheses about such a mean (D3, G2 and K2 of rules.md) take "
        f"each seed's mean over the sizes first, which leaves {SEEDS - 1} to {2 * (SEEDS - 1)} degrees of freedom."
    )


def asked_afterwards(rows: Sequence[Row]) -> Iterator[str]:
    """Yield, as Markdown, what was looked at after all hypotheses."""
    found, learned = curves(rows), sizes_that_learned(rows)
    yield f"## Steps between sizes\n\n{steps_between_sizes(found)}"
    count = len(found) * len(STEPS)
    yield f"chrF with its 95% interval (Welch, seeds); p is corrected for all {count} (Holm). Not asked beforehand."
    yield from mean_of_learned_sizes(found, learned)
    yield "## Less bpe at as many entries"
    yield (
        "chrF; that of bpe is interpolated in the logarithm of entries, also from sizes at which it learned nothing. "
        "Not asked beforehand, not tested."
    )
    yield less_bpe_at_equal_entries(found, learned)
    yield from among_one_size(rows)


def among_one_size(rows: Sequence[Row]) -> Iterator[str]:
    yield f"## Among the {len(curves(rows))} algorithms at one size"
    yield "Spearman's ρ with chrF; not asked beforehand, without intervals."
    yield at_one_size(rows)


def given_entries(systems: Sequence[Swept], measure: str) -> float:
    """Return Spearman's partial ρ of a measure with the score, given the entries.

    nan where the entries determine the measure, or of fewer than three systems.
    """
    if len(systems) < 3:
        return float("nan")
    values = [
        [system.measures[measure] for system in systems],
        [statistics.fmean(system.scores) for system in systems],
        [system.measures[ENTRIES_MEASURE] for system in systems],
    ]
    return float(partial(spearman(np.array(values)), 0, 1, given=2))


def without_each_algorithm(rows: Sequence[Row]) -> str:
    """Return partial ρ given the entries without one algorithm at a time, as Markdown."""
    systems = [system for system in swept(rows) if system.learned]
    lines = []
    for left_out in ("", *dict.fromkeys(system.algorithm for system in systems)):
        kept = [system for system in systems if system.algorithm != left_out]
        values = [given_entries(kept, measure) for measure in (PIECES, RENYI)]
        lines.append([left_out or "none", *("not defined" if isnan(rho) else signed(rho) for rho in values)])
    return table(["left out", "target pieces a sentence", "Rényi efficiency"], lines)


def smallest_shown(rows: Sequence[Row]) -> str:
    """Return how large a difference from bpe must be for the first step of Holm's correction, in the tests of the rows.

    Standard error and degrees of freedom are found from the effect, its interval and p.
    """
    compared = {row["segmentation"]: row for row in rows if row["effect_p"] is not None and row["effect"]}
    needed = []
    for row in compared.values():
        effect, half = abs(row["effect"]), (row["effect_high"] - row["effect_low"]) / 2

        def excess(freedom: float, effect: float = effect, half: float = half, p: float = row["effect_p"]) -> float:
            return float(2 * student_t.sf(effect / half * student_t.ppf(1 - ALPHA / 2, freedom), freedom)) - p

        freedom = brentq(excess, 1.01, 1e4)
        error = half / student_t.ppf(1 - ALPHA / 2, freedom)
        needed.append(error * student_t.ppf(1 - ALPHA / 2 / len(compared), freedom))
    low, middle, high = statistics.quantiles(needed, n=4)
    return (
        f"Corrected for {len(needed)} comparisons with bpe, the smallest difference that the first step of Holm's "
        f"correction can show is {middle:.1f} chrF (median; quartiles {low:.1f} and {high:.1f})."
    )


def scores_of_seeds(rows: Sequence[Row]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["segmentation"], []).append(row["score"])
    return found


def changes(rows: Sequence[Row], earlier: Sequence[Row]) -> list[float]:
    """Return the changes in chrF of the systems that were trained before, each of its mean over seeds."""
    now, before = scores_of_seeds(rows), scores_of_seeds(judged(earlier))
    return [statistics.fmean(now[name]) - statistics.fmean(before[name]) for name in before if name in now]


def means_less(found: Mapping[str, Curve], plain: Mapping[str, str]) -> dict[str, Signed]:
    """Return for each algorithm its mean of the sizes less that of another, seed by seed."""
    means = {name: mean_of_sizes(scores for _, scores in curve.values()) for name, curve in found.items()}
    return {one: [(1, means[one]), (-1, means[other])] for one, other in plain.items()}


def told_from_bpe(label: str, rows: Sequence[Row], left_out: Iterable[str]) -> Verdict:
    """Judge whether an algorithm with sizes is told from bpe of the same size, by the pipeline's verdicts."""
    return told_apart(label, [row for row in rows if row["size"] and row["algorithm"] not in (*left_out, "bpe")])


def second_run_hypotheses(rows: Sequence[Row], first_run: Sequence[Row]) -> Iterator[Verdict]:
    """G1 to G3 of German. Of the other pairs, which have gold morphemes, G2 and K1 to K3."""
    found = curves(rows)
    of_systems = changes(rows, first_run)
    change = judge({"": [(1, of_systems)]}, expected=1, none_within=NO_DIFFERENCE)[""]
    evidence = f"{len(of_systems)} systems: {change.text()}"
    yield from verdicts("G2", means_less(found, DRAWN), -1, NO_DIFFERENCE)
    if "bpe-knockout" in found:
        yield told_from_bpe("K1", rows, left_out=(*FIRST, *DRAWN))
        yield from verdicts("K2", means_less(found, {"bpe-knockout": "bpe"}), 1, NO_DIFFERENCE)
        yield "K3", evidence, alike(change.change)
    else:
        yield "G1", evidence, change.verdict
        yield told_from_bpe("G3", rows, left_out=FIRST)


def longer_run_hypotheses(rows: Sequence[Row], shorter: Sequence[Row]) -> Iterator[Verdict]:
    """D1 and D2: the gain from the smallest to the largest size, less that of the shorter run; differences from bpe.

    Of French also D3: the mean of the sizes.
    """
    now, before = curves(composing_rows(rows)), curves(judged(shorter))
    small, large = SIZES[0], SIZES[-1]
    signs = [(1, now, large), (-1, now, small), (-1, before, large), (1, before, small)]
    asked = {each: [(sign, run[each][size][1]) for sign, run, size in signs] for each in now}
    yield from verdicts("D1", asked)
    yield told_from_bpe("D2", rows, left_out=(*CONTROLS, "word"))
    if predicted := BELOW_BPE.get(rows[0].get("direction")):
        yield from verdicts("D3", means_less(now, dict.fromkeys(predicted, "bpe")), -1, NO_DIFFERENCE)


def further_hypotheses(rows: Sequence[Row], earlier: Sequence[Row]) -> Iterator[Verdict]:
    """I1 to I3: bpe against its first trainings, differences from bpe size by size and in the mean of the sizes."""
    found, learned = curves(rows), sizes_that_learned(rows)
    change = judge({"": mean_less(found["bpe"], curves(judged(earlier))["bpe"], SIZES)})[""]
    yield "I1", change.text(), alike(change.change)
    yield told_from_bpe("I2", rows, left_out=())
    sizes = {*SIZES[1:]}
    asked = {name: mean_less(found[name], found["bpe"], sizes) for name in OF_BYTES if name in found}
    for label, evidence, verdict in verdicts("I3", asked, -1, NO_DIFFERENCE):
        name = label.removeprefix("I3, ")
        testable = sizes <= learned.get(name, set()) & learned.get("bpe", set())
        yield label, evidence, verdict if testable else NOT_TESTABLE


def alike(change: Interval) -> str:
    """K3, I1: is the change less than what counts as a difference?"""
    within = max(-change.low, change.high) < NO_DIFFERENCE
    return CONFIRMED if within else REFUTED if max(change.low, -change.high) > NO_DIFFERENCE else OPEN


def hypotheses(rows: Sequence[Row], drawing: Sequence[Row] = ()) -> Iterator[Verdict]:
    """Yield name, evidence and verdict of H1 to H6, with what they hang on, among the algorithms of the rows.

    `drawing` are rows of algorithms that draw, of another experiment with the same training (H2).
    """
    found, systems, learned = curves(rows), swept(rows), sizes_that_learned(rows)
    yield from more_entries_are_better(found, learned)
    yield from size_matters_more(found, learned | sizes_that_learned(drawing), curves(drawing))
    yield from composition_matters(rows)
    larger = swept([row for row in rows if row["size"] != SIZES[0]])  # asked afterwards
    for size, of_sizes in (("", systems), (f", without size {SIZES[0]}", larger)):
        without = [system for system in of_sizes if system.algorithm not in CONTROLS]
        for label, chosen in ((size, of_sizes), (f"{size}, without controls", without)):
            if (chosen is of_sizes or len(without) < len(of_sizes)) and (prediction := predict(chosen)):
                yield from ((name + label, text, verdict) for name, text, verdict in prediction_verdicts(prediction))
    yield from morphemes_predict(rows)


def by_bleu(every: Sequence[Row], decided_among: Collection[str]) -> Iterator[str]:
    """Yield, as Markdown, H1 to H6 by BLEU, and which differences from bpe one metric shows and the other does not."""

    def told(metric: str) -> set[str]:
        rows = judged(every, metric)
        return {f"{row['segmentation']} {row['verdict']}" for row in rows if row["verdict"] in DIFFERENT}

    rows = [row for row in judged(every, "bleu") if row["algorithm"] in decided_among]
    yield "## By BLEU"
    yield "Not asked beforehand."
    yield verdict_table(hypotheses(rows), EVIDENCE.replace("chrF", "BLEU"))
    chrf, bleu = told(METRIC), told("bleu")
    for label, found in (
        ("both show", chrf & bleu),
        ("chrF alone shows", chrf - bleu),
        ("BLEU alone shows", bleu - chrf),
    ):
        yield f"Differences from bpe that {label}: {', '.join(sorted(found)) or 'none'}."


def lengths_table(rows: Sequence[Row], lengths: Sequence[Mapping[str, str]]) -> str:
    """Return how long the translations of each algorithm and size are, and its chrF with β = 1 less that of bpe."""
    found: dict[str, list[tuple[float, float]]] = {}
    for each in lengths:
        found.setdefault(each["segmentation"], []).append((float(each["length"]), float(each["chrf_beta1"])))
    means = {name: [statistics.fmean(values) for values in zip(*seeds, strict=True)] for name, seeds in found.items()}
    systems = {(row["algorithm"], row["size"]): row for row in rows}
    lines = []
    for algorithm in dict.fromkeys(name for name, _ in systems):
        cells = [algorithm]
        for size in [*SIZES, None]:
            cells.append("")
            if row := systems.get((algorithm, size)):
                length, even = means[row["segmentation"]]
                cells[-1] = f"{length:.2f}"
                if row["baseline"] in {*means} - {row["segmentation"]}:
                    cells[-1] += f" ({signed(even - means[row['baseline']][1], 1)})"
        lines.append(cells)
    return table(["algorithm", *(f"{size:,}" for size in SIZES), "no size"], lines)


class Beside(NamedTuple):
    """What is read beside a run's scores; empty where it is not there."""

    first_run: Sequence[Row] = ()
    shorter: Sequence[Row] = ()
    sampled: Sequence[Row] = ()  # by the algorithms that draw, with the same training
    words: Sequence[Mapping[str, str]] = ()
    lengths: Sequence[Mapping[str, str]] = ()
    decided_among: Collection[str] = FIRST
    earlier: Sequence[Row] = ()  # of the algorithms that were trained before

    @classmethod
    def of(cls, folder: Path) -> Beside:
        """Return what there is beside scores.csv in the folder of a run."""
        folder = folder.resolve()

        def scores(path: Path) -> list[Row]:
            return read_scores(path / "scores.csv") if (path / "scores.csv").exists() else []

        def table(name: str) -> list[dict[str, str]]:
            return read_csv(folder / name) if (folder / name).exists() else []

        return cls(
            first_run=scores(folder / "first-run"),
            shorter=scores(folder.parent / LONGER[folder.name]) if folder.name in LONGER else (),
            sampled=scores(folder.parents[1] / "sampling" / SAMPLED[folder.name]) if folder.name in SAMPLED else (),
            words=table("words.csv"),
            lengths=table("lengths.csv"),
            decided_among=FURTHER.get(folder.name, FIRST),
            earlier=with_morphemes(scores(folder.parent), folder.parent) if folder.name in FURTHER else (),
        )


def findings(every: Sequence[Row], beside: Beside) -> str:
    """Return the hypotheses' evidence and verdicts, and what differs between the systems, as Markdown."""
    rows = judged(every)
    first = [row for row in rows if row["algorithm"] in beside.decided_among]
    systems = swept(rows)
    said = f"{len(systems)} systems, {SEEDS} seeds each: {', '.join(curves(rows))}."
    if untrained := sum(not system.learned for system in systems):
        said += f" {untrained} learned nothing (not part of H4 to H6)."
    unseen = max(row["unseen_recall"] for row in rows)
    said += f" Recall of words that training has not seen, of any run: at most {unseen:.2f}%."
    drawing = [row for row in judged(beside.sampled) if row["algorithm"] in DRAWN] if beside.sampled else []
    parts = [said, smallest_shown(rows)]
    parts += [smallest_shown(first)] if len(first) < len(rows) else []
    parts.append(verdict_table(hypotheses(first, drawing), EVIDENCE))
    if beside.first_run:
        second = sorted(second_run_hypotheses(rows, beside.first_run))
        parts += ["## The second run", verdict_table(second, EVIDENCE)]
    if beside.shorter:
        parts += ["## Beside the shorter run", verdict_table(longer_run_hypotheses(rows, beside.shorter), EVIDENCE)]
    if beside.earlier:
        both = [*judged(beside.earlier), *(row for row in first if row["algorithm"] not in FIRST)]
        further = [*further_hypotheses(rows, beside.earlier)]
        parts += ["## Beside the algorithms that were trained before", verdict_table(further, EVIDENCE)]
        if ("I1", REFUTED) not in {(name, verdict) for name, _, verdict in further}:
            parts += [
                "## Among all algorithms, bpe with its first trainings",
                verdict_table(hypotheses(both), EVIDENCE),
                *among_one_size(composing_rows(both)),
            ]
    elif len(first) < len(rows):
        parts += [
            "## Among all algorithms",
            verdict_table(hypotheses(rows), EVIDENCE),
            *among_one_size(composing_rows(rows)),
        ]
    if sizes_that_learned(rows):
        parts += asked_afterwards(composing_rows(first))
        parts += ["## Given the entries, without one algorithm", "Spearman's partial ρ; not asked beforehand."]
        parts.append(without_each_algorithm(first))
    parts += by_bleu(every, beside.decided_among)
    if beside.lengths:
        parts += ["## Lengths of translations", lengths_table(rows, beside.lengths)]
        parts.append(
            "Words by those of the references, mean over seeds; in brackets chrF with β = 1 (precision weighs as much "
            "as recall) less that of the baseline. Looked at afterwards."
        )
    if beside.words:
        sizes = {
            f"{size:,}": {row["segmentation"] for row in composing_rows(first) if row["size"] == size} for size in SIZES
        }
        parts.append("## Words by how often training has them")
        parts.append(
            "F1 in percent (of unseen words, 0, recall), mean over seeds and the algorithms that compose words."
        )
        parts.append(words_table(beside.words, sizes, "size"))
    parts.append(what_differs(rows))
    return "\n\n".join(parts) + "\n"


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--scores", type=Path, required=True, help="scores.csv of one pair of languages")
    parser.add_argument("--output", type=Path, required=True, help="folder for findings.md, scores.csv and figure.png")
    arguments = parser.parse_args(argv)
    rows = complete(read_scores(arguments.scores))
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_scores(arguments.output / "scores.csv", rows)
    rows = with_morphemes(rows, arguments.output)
    found = findings(rows, Beside.of(arguments.output))
    (arguments.output / "findings.md").write_text(found, encoding="utf-8")
    for name, figure in (
        # one point far off, for which all others would be drawn small
        ("figure", draw_sweep([row for row in rows if row["algorithm"] != "char"], [(rows[0]["testset"], METRIC)])),
        ("algorithms", draw_algorithms(rows, rows[0]["testset"], METRIC)),
    ):
        if figure is not None:
            save_png(figure, arguments.output / f"{name}.png", dots_per_inch=100)
    print(found)


if __name__ == "__main__":
    raise SystemExit(main())
