"""Claims: what they compare against plain arithmetic, what their intervals decide, and what makes them untestable."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.claims import (
    AS_PRINTED,
    CONFIRMED,
    LARGEST,
    NOT_AS_PRINTED,
    NOT_CONFIRMED,
    NOT_TESTABLE,
    PLACE,
    UNDECIDED,
    Finding,
    Runs,
    claim,
    crossing,
    difference,
    in_all,
    in_at_least,
    in_most,
    in_none,
    of,
    ratio,
    rising,
    significant,
    values,
    verdict,
)
from replication.measurements import at_least, frame, other_than

NEW, OLD = of(algorithm="new"), of(algorithm="old")


def score(algorithm: str, value: float | None, direction: str = "en-xx", **more: Any) -> dict[str, Any]:
    keys = {"metric": "bleu", "corpus": "c", "direction": direction, "selection": "dev"}
    return {**keys, "algorithm": algorithm, "segmentation": algorithm, "value": value, **more}


def runs_of(scores: dict[str, list[float]], **more: Any) -> list[dict[str, Any]]:
    """Return one score per algorithm and seed."""
    return [
        score(name, value, seed=seed, **more) for name, each in scores.items() for seed, value in enumerate(each, 1)
    ]


def sizes(metric: str, **by_size: float) -> list[dict[str, Any]]:
    return [
        score("new", value, metric=metric, size=int(size[1:]), segmentation=f"new-{size}")
        for size, value in by_size.items()
    ]


# ---- what is compared


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 9)), min_size=1, max_size=30))
def test_differences_are_those_of_means(rows: list[tuple[str, str, int]]) -> None:
    measured = frame(
        score({"a": "new", "b": "old"}[side], float(value), metric="vocabulary", direction=direction, seed=seed)
        for seed, (side, direction, value) in enumerate(rows)
    )
    found = difference(Runs(measured), "vocabulary", NEW, OLD, each=["direction"])
    sides = {
        (side, direction): [value for s, d, value in rows if (s, d) == (side, direction)]
        for side in "ab"
        for direction in "xyz"
    }
    expected = {
        ("vocabulary", d): statistics.mean(sides["a", d]) - statistics.mean(sides["b", d])
        for d in "xyz"
        if sides["a", d] and sides["b", d]
    }
    assert found.cells == pytest.approx(expected)


def test_extremes_ratios_rounding_and_the_largest() -> None:
    measured = frame([*sizes("vocabulary", s10=1.0, s20=4.0, s40=2.5), score("old", 2.0, metric="vocabulary")])
    runs = Runs(measured)
    for take, expected in (("max", 4.0), ("min", 1.0), ("range", 3.0), ("mean", 2.5)):
        found = values(runs, "vocabulary", of(take=take, algorithm="new"))
        assert list(found.cells.values()) == [expected]
    assert list(values(runs, "vocabulary", of(algorithm="new", size=LARGEST)).cells.values()) == [2.5]
    assert list(values(runs, "vocabulary", of(algorithm="new", size=at_least(20))).cells.values()) == [3.25]
    assert list(values(runs, "vocabulary", of(algorithm=other_than("new"))).cells.values()) == [2.0]
    assert list(ratio(runs, "vocabulary", NEW, OLD).cells.values()) == [1.25]
    assert in_all(values(runs, "vocabulary", NEW).rounded(2) <= 2).state == CONFIRMED  # 2.5 is nearer to 2 than to 4


def test_trends() -> None:
    runs = Runs(frame(sizes("vocabulary", s10=1.0, s20=4.0, s40=5.0)))
    along = values(runs, "vocabulary", NEW, along="size")
    assert in_all(rising(along)).state == CONFIRMED
    assert in_all(crossing(along > 2)).state == CONFIRMED
    assert in_all(crossing(along > 0)).state == NOT_CONFIRMED  # it is so from the first
    assert in_all(crossing(along > 9)).state == NOT_CONFIRMED
    backwards = values(runs, "vocabulary", NEW, along="size", order=[40, 20, 10])
    assert in_all(rising(backwards)).state == NOT_CONFIRMED


@pytest.mark.parametrize("good", range(6))
def test_in_how_many(good: int) -> None:
    rows = [score("new", float(n < good), f"l{n}-en", metric="vocabulary") for n in range(5)]
    cases = values(Runs(frame(rows)), "vocabulary", NEW, each=PLACE) > 0.5
    expected = {in_all: good == 5, in_most: good > 2.5, in_none: good == 0}
    for function, so in expected.items():
        assert (function(cases).state == CONFIRMED) == so
    assert (in_at_least(3, cases).state == CONFIRMED) == (good >= 3)
    assert (in_at_least(0.6, cases).state == CONFIRMED) == (good >= 3)


# ---- intervals


def test_the_interval_of_a_difference_is_that_of_students_t() -> None:
    from scipy import stats

    new, old = [20.0, 21.0, 22.5], [18.0, 18.5, 20.0]
    found = difference(Runs(frame(runs_of({"new": new, "old": old}))), "bleu", NEW, OLD)
    halves = [float(stats.t.interval(0.95, 2, loc=0, scale=stats.sem(each))[1]) for each in (new, old)]
    assert found.halves["bleu",] == pytest.approx(math.hypot(*halves))


@pytest.mark.parametrize(
    ("scores", "state"),
    [
        ({"new": [22.0, 22.1, 22.2], "old": [20.0, 20.1, 20.2]}, CONFIRMED),
        ({"new": [20.0, 22.1, 24.2], "old": [19.0, 20.1, 22.2]}, UNDECIDED),
        ({"new": [20.0, 20.1, 20.2], "old": [22.0, 22.1, 22.2]}, NOT_CONFIRMED),
        ({"new": [22.0], "old": [20.0]}, UNDECIDED),  # one run each, and nothing known of its noise
    ],
)
def test_confirmed_needs_an_interval_that_excludes_the_contrary(scores: dict[str, list[float]], state: str) -> None:
    printed = Runs(frame([score("new", 21.0), score("old", 20.0)]))
    assert in_all(difference(printed, "bleu", NEW, OLD) > 0).state == AS_PRINTED
    assert in_all(difference(Runs(printed.measured), "bleu", OLD, NEW) > 0).state == NOT_AS_PRINTED
    ours = Runs(frame(runs_of(scores)), printed)
    assert in_all(difference(ours, "bleu", NEW, OLD) > 0).state == state


@pytest.mark.parametrize("metric", ["undecodable_output", "sentences_per_second", "spearman"])
def test_what_trained_systems_give_needs_an_interval(metric: str) -> None:
    printed = Runs(frame([score("new", 3.0, metric=metric)]))
    assert in_all(values(printed, metric, NEW) < 4).state == AS_PRINTED
    for of_seeds, state in (([3.0], UNDECIDED), ([3.0, 3.1, 3.2], CONFIRMED), ([1.0, 3.0, 5.0], UNDECIDED)):
        ours = Runs(frame(runs_of({"new": of_seeds}, metric=metric)), printed)
        assert in_all(values(ours, metric, NEW) < 4).state == state


def test_runs_that_enter_twice_count_twice() -> None:
    """2 new − old − third is 1.4, 2.6 and 3.8 by seed: 2.6 ± 2.98."""
    scores = {"new": [21.4, 22.0, 22.6], "old": [23.49, 23.5, 23.51], "third": [17.89, 17.9, 17.91]}
    runs = Runs(frame(runs_of(scores)))
    over, rest = difference(runs, "bleu", NEW, of(algorithm="third")), difference(runs, "bleu", OLD, NEW)
    found = over.minus(rest)
    assert found.cells["bleu",] == pytest.approx(2.6)
    assert found.halves["bleu",] >= 2.98
    assert in_all(found > 0).state == UNDECIDED


def test_metrics_of_the_same_trainings_err_together() -> None:
    """A second metric that repeats the first says nothing new: the mean over both is as uncertain as over one."""
    rows = [
        score("new", value, direction, metric=metric, seed=seed)
        for metric in ("bleu", "chrf")
        for direction, of_seeds in (("en-xx", [20.0, 21.0, 22.0]), ("xx-en", [30.0, 30.5, 32.0]))
        for seed, value in enumerate(of_seeds)
    ]
    one, both = (values(Runs(frame(rows)), metrics, NEW, each=PLACE).mean() for metrics in ("bleu", ["bleu", "chrf"]))
    assert both.cells == pytest.approx(one.cells)
    assert both.halves == pytest.approx(one.halves)


def test_a_standard_error_has_an_interval_of_its_own() -> None:
    """By simulation: how much the standard error of five normal scores varies, as a share of what it is."""
    drawn = numpy.random.default_rng(1).normal(size=(20000, 5)).std(axis=1, ddof=1)
    runs = Runs(frame(runs_of({"new": [19.0, 20.0, 21.0, 20.5, 19.5]})))
    found = values(runs, "bleu", of(algorithm="new", error=True))
    error = statistics.stdev([19.0, 20.0, 21.0, 20.5, 19.5]) / 5**0.5
    assert found.cells["bleu",] == pytest.approx(error)
    assert found.halves["bleu",] == pytest.approx(1.96 * error * drawn.std() / drawn.mean(), rel=0.05)
    printed = Runs(frame([score("new", 20.0, error=0.3)]))  # of nobody knows how many runs
    assert in_all(values(printed, "bleu", of(algorithm="new", error=True)) > 0.2).state == AS_PRINTED


def test_single_runs_have_the_interval_of_their_sentences() -> None:
    rows = runs_of({"new": [22.0], "old": [20.0]})
    wide, narrow = ([row | {"metric": "bleu_ci95", "value": half} for row in rows] for half in (1.5, 1.0))
    for intervals, state in ((wide, UNDECIDED), (narrow, CONFIRMED)):  # hypot(1.5, 1.5) > 2 > hypot(1, 1)
        ours = Runs(frame(rows + intervals), Runs(frame([])))
        ours.printed.asked.append(difference(Runs(frame([score("new", 1), score("old", 1)])), "bleu", NEW, OLD))  # type: ignore[union-attr]
        assert in_all(difference(ours, "bleu", NEW, OLD) > 0).state == state


@pytest.mark.parametrize(
    ("error", "freedom", "state"),
    [(0.2, None, CONFIRMED), (0.9, None, UNDECIDED), (0.7, None, CONFIRMED), (0.7, 9, UNDECIDED)],  # 1.94 < 2 < 2.24
)
def test_printed_errors_are_intervals(error: float, freedom: int | None, state: str) -> None:
    both = {"error": error, "freedom": freedom}
    printed = frame([score("new", 22.0, **both), score("old", 20.0, **both)])
    assert in_all(difference(Runs(printed), "bleu", NEW, OLD) > 0).state == state


@pytest.mark.parametrize(("half", "state"), [(0.02, CONFIRMED), (0.05, UNDECIDED)])  # from 0.46, from 0.43: 0.4
def test_intervals_come_first_and_rounding_last(half: float, state: str) -> None:
    rows = [score("new", 0.48), score("new", half, metric="bleu_ci95")]
    assert in_all(values(Runs(frame(rows)), "bleu", NEW).rounded(0.1) >= 0.5).state == state


def test_most_are_clear_however_the_unclear_ones_turn_out() -> None:
    clear = [{"new": [22.0, 22.1, 22.2], "old": [20.0, 20.1, 20.2]}] * 3
    unclear = [{"new": [20.0, 22.1, 24.2], "old": [19.0, 20.1, 22.2]}] * 2
    rows = [row for n, scores in enumerate(clear + unclear) for row in runs_of(scores, direction=f"l{n}-en")]
    cases = difference(Runs(frame(rows)), "bleu", NEW, OLD, each=PLACE) > 0
    assert in_most(cases).state == CONFIRMED
    assert in_all(cases).state == UNDECIDED
    assert in_at_least(4, cases).state == UNDECIDED
    assert "decides it in 3 of 5" in in_all(cases).reason


def test_welch_needs_three_seeds() -> None:
    two = Runs(frame(runs_of({"new": [22.0, 22.1], "old": [20.0, 20.1]})))
    found = in_all(significant(difference(two, "bleu", NEW, OLD) > 0))
    assert (found.state, found.reason) == (NOT_TESTABLE, "a test over seeds needs 3 a side, here 2 and 2")


@pytest.mark.parametrize(
    ("half", "state"),
    [(0.2, NOT_CONFIRMED), (1.5, UNDECIDED), (3.0, UNDECIDED)],  # 0.8 ± 0.2 misses the window; ± 1.5 contains it
)
def test_a_window_inside_the_interval_is_not_missed(half: float, state: str) -> None:
    rows = [score("new", 0.8), score("new", half, metric="bleu_ci95")]
    found = in_all(values(Runs(frame(rows)), "bleu", NEW).between(-0.5, 0.5))
    assert found.state == state


@pytest.mark.parametrize(
    ("new", "state"),
    [
        ([22.0, 22.1, 22.2], CONFIRMED),
        ([18.0, 18.1, 18.2], NOT_CONFIRMED),  # significantly worse
        ([19.0, 20.3, 21.0], UNDECIDED),  # no difference was found, and none was excluded
    ],
)
def test_what_a_test_does_not_find_is_undecided(new: list[float], state: str) -> None:
    runs = Runs(frame(runs_of({"new": new, "old": [20.0, 20.1, 20.2]})))
    assert in_all(significant(difference(runs, "bleu", NEW, OLD) > 0)).state == state


# ---- what makes a claim untestable


@claim("new is better", where="nowhere")
def better(runs: Runs) -> Finding:
    """New has a higher BLEU than old."""
    return in_all(difference(runs, "bleu", NEW, OLD, each=PLACE) > 0)


PRINTED = frame([score(name, value, d) for d in ("en-xx", "xx-en") for name, value in (("new", 21.0), ("old", 20.0))])
OURS = [
    row
    for d in ("en-xx", "xx-en")
    for row in runs_of({"new": [22.0, 22.1, 22.2], "old": [20.0, 20.1, 20.2]}, direction=d, testset="test", model="m")
]
LENGTHS = [row | {"metric": "test_sentences", "value": 500} for row in OURS]


@pytest.mark.parametrize(
    ("ours", "reason"),
    [
        (OURS + LENGTHS, ""),
        ([row for row in OURS if row["direction"] == "en-xx"], "not measured: bleu c xx-en new, bleu c xx-en old"),
        ([row for row in OURS if row["algorithm"] == "new"], "the numbers that the rule needs were not measured: bleu"),
        (OURS + [row | {"testset": "other"} for row in OURS], "scores of several test sets, other, test"),
        (OURS + [{**row, "value": 199.0} for row in LENGTHS], "a test set of 199 lines; 200 are needed"),
        (
            [*OURS, {**OURS[0], "metric": "learned_nothing", "value": 1}],
            "learned nothing: new",
        ),
        (
            OURS + [row | {"model": "n"} for row in OURS if row["algorithm"] == "new"],
            "left and right are not of the same",
        ),
        ([], "the numbers that the rule needs were not measured: bleu"),
    ],
)
def test_obstacles(ours: list[dict[str, Any]], reason: str) -> None:
    found = verdict(better, PRINTED, frame(ours)).ours
    assert found.state == (NOT_TESTABLE if reason else CONFIRMED), found
    assert found.reason.startswith(reason)


@pytest.mark.slow
def test_scales_and_generated_text() -> None:
    ours = frame(OURS)
    found = verdict(better, PRINTED, ours, generated=True).ours
    assert found.state == NOT_TESTABLE
    assert "there by the rule confirmed" in found.reason
    of_full = claim("x", where="y", scales=["full"])(better.make)
    assert verdict(of_full, PRINTED, ours, "smoke").ours.reason == "about corpora of scale full"
    assert verdict(of_full, PRINTED, ours, "full").ours.state == CONFIRMED


def test_lost_numbers() -> None:
    lost = frame([score("new", 21.0), score("old", 20.0), *(score(n, None, "xx-en") for n in ("new", "old"))])
    assert "1 of 2 numbers are lost" in verdict(better, lost, frame([])).published.reason
    most = frame([score("new", None), score("old", 20.0)])
    assert verdict(better, most, frame([])).published.state == NOT_TESTABLE


def test_findings_together_are_as_weak_as_the_weakest() -> None:
    states = [NOT_CONFIRMED, NOT_AS_PRINTED, NOT_TESTABLE, UNDECIDED, AS_PRINTED, CONFIRMED]
    for place, one in enumerate(states):
        for other in states[place:]:
            assert (Finding(one, "a") & Finding(other, "b")).state == one
            assert (Finding(other, "b") & Finding(one, "a")).state == one


def test_a_difference_of_differences_that_lacks_one_is_not_testable() -> None:
    rows = [score(name, 1.0, metric="share", size=size) for name in ("new", "old") for size in (1, 2)]
    paper = Runs(frame(rows))
    runs = Runs(frame(rows[:1] + rows[2:3]), paper)
    for each in (paper, runs):
        first, second = (
            difference(each, "share", of(algorithm="new", size=size), of(algorithm="old", size=size), each=["corpus"])
            for size in (1, 2)
        )
        found = in_all(first.minus(second) >= 0)
        assert found.state == (CONFIRMED if each is paper else NOT_TESTABLE)
