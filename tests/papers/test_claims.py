"""Claims are judged by their rules: on made-up numbers, and on the papers' own as docs/papers.md says they end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pandas import DataFrame

from papers import paper, published
from papers.claims import judging
from papers.claims.judging import judge
from papers.claims.rules import condition
from papers.claims.verdicts import (
    CONFIRMED,
    NOT_CONFIRMED,
    NOT_TESTABLE,
    Outcome,
    Verdict,
    read_verdicts,
    write_verdicts,
)
from papers.claims.wording import in_words
from papers.measurements import COLUMNS, NUMBERS, WHOLE_NUMBERS, frame, published_frame
from papers.selection import RELATIONS
from subwords.errors import InputError

PAPERS = {"Huffman": "huffman", "S-BPE": "sbpe", "HFT": "hft", "VOLT": "volt", "random-bpe": "random-bpe"}


def scores(**systems: Any) -> DataFrame:
    """Return BLEU by direction and algorithm: `hft={"en-ga": [1, 2, 3]}` are three seeds."""
    return frame(
        {"metric": "bleu", "algorithm": name.replace("_", "-"), "direction": direction, "seed": seed, "value": value}
        for name, directions in systems.items()
        for direction, values in directions.items()
        for seed, value in enumerate(values, 1)
    )


def outcome(rule: dict[str, Any] | list[dict[str, Any]], ours: DataFrame, theirs: DataFrame | None = None) -> Outcome:
    claim = {"says": "it is so", "holds": rule if isinstance(rule, list) else [rule]}
    return judge("claim", claim, frame([]) if theirs is None else theirs, ours).ours


HIGHER = {"metric": "bleu", "left": {"algorithm": "hft"}, "right": {"algorithm": "bpe"}, "each": ["direction"]}


def test_seeds_are_averaged_before_anything_is_compared() -> None:
    found = scores(hft={"a-b": [1, 9], "b-a": [4]}, bpe={"a-b": [4.9], "b-a": [3]})
    assert outcome(HIGHER, found).state == CONFIRMED
    assert outcome(HIGHER | {"is": {"above": 0.5}}, found).state == NOT_CONFIRMED
    assert outcome(HIGHER | {"is": {"above": 0.5}, "in": {"at_least": 1}}, found).state == CONFIRMED
    assert outcome(HIGHER | {"is": {"above": 0.5}, "in": "most"}, found).state == NOT_CONFIRMED  # 1 of 2 is not most
    assert outcome(HIGHER | {"is": {"above": 0.5}, "in": {"share": 0.5}}, found).state == CONFIRMED
    assert outcome(HIGHER | {"is": {"above": 5}, "in": "none"}, found).state == CONFIRMED
    assert outcome(HIGHER | {"is": {"between": [0.5, 0.6]}, "in": "mean"}, found).state == CONFIRMED  # (0.1 + 1) / 2


def test_the_reason_names_what_fails() -> None:
    found = scores(hft={"a-b": [1], "b-a": [4]}, bpe={"a-b": [2], "b-a": [3]})
    told = outcome(HIGHER, found)
    assert told.state == NOT_CONFIRMED
    assert "1 of 2" in told.reason
    assert "a-b" in told.reason
    assert "-1" in told.reason


@pytest.mark.parametrize(
    ("relation", "state"),
    [
        ({"above": 0.1}, NOT_CONFIRMED),  # 0.3 - 0.2 is 0.09999999999999998 in floats, and 0.1 to a reader
        ({"at_least": 0.1}, CONFIRMED),
        ({"at_most": 0.1}, CONFIRMED),
        ({"below": 0.1}, NOT_CONFIRMED),
        ({"between": [0.1, 0.2]}, CONFIRMED),
    ],
)
def test_numbers_are_compared_as_they_are_read(relation: dict[str, Any], state: str) -> None:
    found = scores(hft={"a-b": [0.3]}, bpe={"a-b": [0.2]}).assign(metric="share")
    assert outcome(HIGHER | {"metric": "share", "is": relation}, found).state == state


def test_a_ratio_and_rounding() -> None:
    found = scores(huffman={"a-b": [20.3]}, bpe={"a-b": [24.4]})
    rule = {"metric": "bleu", "left": {"algorithm": "huffman"}, "right": {"algorithm": "bpe"}, "measure": "ratio"}
    assert outcome(rule | {"is": {"between": [0.83, 0.83]}, "round": 2}, found).state == CONFIRMED  # 83.2 %
    assert outcome(rule | {"is": {"between": [0.832, 0.832]}, "round": 2}, found).state == NOT_CONFIRMED


RATIO = HIGHER | {"measure": "ratio"}


@pytest.mark.parametrize("inside", ["all", "most", "none", "max", {"at_least": 1}])
@pytest.mark.parametrize("numerator", [10.0, 0.0, -10.0])
def test_a_ratio_to_zero_confirms_nothing(numerator: float, inside: Any) -> None:
    some = scores(hft={"a-b": [numerator], "b-a": [4]}, bpe={"a-b": [0], "b-a": [2]})
    every = scores(hft={"a-b": [numerator]}, bpe={"a-b": [0]})
    wanted = Outcome(NOT_TESTABLE, "the ratio's denominator is zero: bleu a-b")
    for found in (some, every):
        assert outcome(RATIO | {"in": inside}, found) == wanted
        verdict = judge("c", {"says": "", "holds": [RATIO | {"in": inside}]}, found, frame([]))
        assert verdict.published == wanted


def test_a_zero_is_no_denominator_of_what_is_not_compared() -> None:
    found = scores(hft={"a-b": [4]}, bpe={"a-b": [2], "b-a": [0]})
    assert outcome(RATIO, found) == Outcome(CONFIRMED, "2")
    assert outcome(HIGHER, scores(hft={"a-b": [4]}, bpe={"a-b": [0]})) == Outcome(CONFIRMED, "4")


def test_infinity_confirms_nothing() -> None:
    found = scores(hft={"a-b": [float("inf")], "b-a": [4]}, bpe={"a-b": [2], "b-a": [2]})
    for rule in (HIGHER, RATIO, {"metric": "bleu", "left": {"algorithm": "hft"}, "each": ["direction"]}):
        assert outcome(rule, found) == Outcome(NOT_TESTABLE, "not measured: bleu a-b")


def curve(values: dict[int, float], algorithm: str = "hft", corpus: str = "ga") -> list[dict[str, Any]]:
    return [
        {"metric": "f95", "corpus": corpus, "algorithm": algorithm, "size": size, "value": value}
        for size, value in values.items()
    ]


def test_several_are_taken_together() -> None:
    found = frame(curve({1: 5, 2: 7, 3: 6}) + curve({1: 6}, "bpe"))
    rule = {"metric": "f95", "left": {"algorithm": "hft"}, "right": {"algorithm": "bpe"}, "each": ["corpus"]}

    def differs(take: str, by: float) -> bool:
        sides = {"left": {"algorithm": "hft", "take": take}, "is": {"between": [by, by]}}
        return outcome(rule | sides, found).state == CONFIRMED

    assert differs("max", 1)
    assert differs("min", -1)
    assert differs("mean", 0)
    assert differs("range", -4)
    largest = rule | {"left": {"algorithm": "hft", "size": "largest"}, "is": {"between": [0, 0]}}
    assert outcome(largest, found).state == CONFIRMED  # 6 - 6
    some = rule | {"left": {"algorithm": "hft", "size": {"at_least": 2}}, "is": {"between": [0.5, 0.5]}}
    assert outcome(some, found).state == CONFIRMED  # (7 + 6) / 2 - 6


def test_trends() -> None:
    rule = {"metric": "f95", "left": {"algorithm": "hft"}, "each": ["corpus"], "along": "size"}
    rising, falling = frame(curve({10: 1, 9: 0, 100: 2})), frame(curve({10: 1, 9: 2, 100: 0}))
    assert outcome(rule | {"trend": "rising"}, rising).state == CONFIRMED  # 9, 10, 100: numbers, not words
    assert outcome(rule | {"trend": "rising"}, falling).state == NOT_CONFIRMED
    assert outcome(rule | {"trend": "falling"}, falling).state == CONFIRMED
    assert outcome(rule | {"along": {"size": [100, 9, 10]}, "trend": "falling"}, rising).state == NOT_CONFIRMED
    assert outcome(rule | {"along": {"size": [100, 10, 9]}, "trend": "falling"}, rising).state == CONFIRMED


@pytest.mark.parametrize(
    ("differences", "state"),
    [
        ([-1, -1, 1, 1], CONFIRMED),
        ([1, 1, 1, 1], CONFIRMED),
        ([-1, 1, -1, 1], NOT_CONFIRMED),
        ([-1, 1, 1, -1], NOT_CONFIRMED),
        ([-1, -1, -1, -1], NOT_CONFIRMED),
    ],
)
def test_what_lasts(differences: list[float], state: str) -> None:
    sizes = [500, 1000, 4000, 8000]
    hft = {size: 5 + difference for size, difference in zip(sizes, differences, strict=True)}
    found = frame(curve(hft) + curve(dict.fromkeys(sizes, 5), "bpe"))
    sides = {"left": {"algorithm": "hft"}, "right": {"algorithm": "bpe"}}
    rule = {"metric": "f95", **sides, "each": ["corpus"], "along": "size", "trend": "lasting"}
    assert outcome(rule, found).state == state


def test_what_crosses_begins_on_the_other_side() -> None:
    sides = {"left": {"algorithm": "hft"}, "right": {"algorithm": "bpe"}}
    rule = {"metric": "f95", **sides, "each": ["corpus"], "along": "size", "trend": "crossing"}
    for differences, state in (([-1, 1, 1], CONFIRMED), ([1, 1, 1], NOT_CONFIRMED), ([-1, 1, -1], NOT_CONFIRMED)):
        hft = dict(zip((500, 1000, 4000), (5 + difference for difference in differences), strict=True))
        assert outcome(rule, frame(curve(hft) + curve(dict.fromkeys(hft, 5), "bpe"))).state == state


def test_a_test_is_over_seeds_and_not_over_test_sets() -> None:
    rows = [
        {"metric": "bleu", "algorithm": name, "direction": "a-b", "seed": 1, "testset": testset, "value": value}
        for name, values in (("hft", (5.0, 5.1, 5.2)), ("bpe", (4.0, 4.1, 4.2)))
        for testset, value in zip("xyz", values, strict=True)
    ]
    assert "several test sets, x, y, z" in outcome(HIGHER | {"test": "welch"}, frame(rows)).reason
    assert "here 1 and 1" in outcome(HIGHER | {"test": "welch", "each": ["direction", "testset"]}, frame(rows)).reason


def test_scores_of_several_test_sets_are_not_mixed() -> None:
    rows = [
        {"metric": "bleu", "algorithm": name, "corpus": "c", "direction": "a-b", "testset": testset, "value": value}
        for name, values in (("hft", (5.0, 1.0)), ("bpe", (4.0, 9.0)))
        for testset, value in zip("xy", values, strict=True)
    ]
    assert outcome(HIGHER, frame(rows)).state == NOT_TESTABLE
    for testset, state in (("x", CONFIRMED), ("y", NOT_CONFIRMED)):
        sides = {side: {**HIGHER[side], "testset": testset} for side in ("left", "right")}
        assert outcome(HIGHER | sides, frame(rows)).state == state
    # A paper with one test set does not say which: its numbers are meant wherever a rule names ours.
    printed = frame([{**row, "testset": ""} for row in rows[::2]])
    assert (
        outcome(HIGHER | {side: {**HIGHER[side], "testset": "x"} for side in ("left", "right")}, printed).state
        == CONFIRMED
    )


def test_every_metric_of_a_rule_has_to_be_there() -> None:
    found = scores(hft={"a-b": [2]}, bpe={"a-b": [1]})
    both = outcome(HIGHER | {"metric": ["bleu", "chrf"]}, found)
    assert (both.state, both.reason.endswith(": chrf")) == (NOT_TESTABLE, True)


def test_one_value_is_no_trend() -> None:
    rule = {"metric": "bleu", "left": {"algorithm": "hft"}, "each": ["direction"], "along": "size"}
    (row,) = scores(hft={"a-b": [2]}).dropna(axis=1).to_dict("records")
    for more in ({"trend": "rising"}, {"trend": "lasting"}, {"along": {"size": [1, 2]}, "trend": "rising"}):
        found = outcome(rule | more, frame([row | {"size": 500}]))
        assert found == Outcome(NOT_TESTABLE, "fewer than two values along size")


def test_too_few_seeds_test_nothing_whatever_the_sign() -> None:
    found = scores(hft={"a-b": [1]}, bpe={"a-b": [5]})
    for inside in ("all", "none"):
        assert outcome(HIGHER | {"test": "welch", "in": inside}, found).state == NOT_TESTABLE


def test_generated_text_has_no_verdict_but_says_what_the_rule_comes_to() -> None:
    found = scores(hft={"a-b": [2]}, bpe={"a-b": [1]})
    verdict = judge("c", {"says": "", "holds": [HIGHER]}, found, found, "smoke", generated=True)
    assert verdict.published.state == CONFIRMED
    assert verdict.ours == Outcome(NOT_TESTABLE, "on generated text (there by the rule confirmed: 1)")


def test_only_what_is_compared_has_to_be_measured() -> None:
    theirs = scores(hft={"a-b": [2]}, bpe={"a-b": [1], "c-d": [1]})  # nothing to compare c-d with
    assert outcome(HIGHER, scores(hft={"a-b": [2]}, bpe={"a-b": [1]}), theirs).state == CONFIRMED


def test_a_test_over_seeds() -> None:
    rule = HIGHER | {"test": "welch"}
    apart = scores(hft={"a-b": [5.0, 5.1, 5.2]}, bpe={"a-b": [4.0, 4.1, 4.2]})
    near = scores(hft={"a-b": [4.0, 5.0, 6.3]}, bpe={"a-b": [4.0, 5.0, 6.0]})
    few = scores(hft={"a-b": [5.0, 5.1]}, bpe={"a-b": [4.0, 4.1, 4.2]})
    assert outcome(rule, apart).state == CONFIRMED  # t = 12.2
    assert outcome(rule, near).state == NOT_CONFIRMED
    assert outcome(rule, few).state == NOT_TESTABLE
    short = frame([*apart.dropna(axis=1).to_dict("records"), {"metric": "test_sentences", "value": 199}])
    assert outcome(rule, short).state == CONFIRMED  # of another direction
    lines = {"metric": "test_sentences", "direction": "a-b", "value": 199}
    short = frame([*apart.dropna(axis=1).to_dict("records"), lines])
    assert "199" in outcome(rule, short).reason
    assert outcome(rule, short).state == NOT_TESTABLE


def test_translations_of_a_few_lines_confirm_nothing() -> None:
    close = HIGHER | {"is": {"between": [-0.5, 0.5]}}
    rows = scores(hft={"a-b": [9.01]}, bpe={"a-b": [9.0]}).dropna(axis=1).to_dict("records")

    def of_lines(count: int, direction: str = "a-b", metric: str = "bleu") -> Outcome:
        renamed = [{**row, "metric": metric} for row in rows]
        lines = {"metric": "test_sentences", "direction": direction, "value": count}
        return outcome(close | {"metric": metric}, frame([*renamed, lines]))

    assert of_lines(200).state == CONFIRMED
    assert of_lines(199).state == NOT_TESTABLE
    assert "199 lines; 200" in of_lines(199).reason
    assert of_lines(199, "b-a").state == CONFIRMED  # another direction's
    assert of_lines(199, metric="merges").state == CONFIRMED  # of no translation
    assert of_lines(199, metric="chrf_percent_of_bpe").state == NOT_TESTABLE


def on_places(**systems: dict[str, float]) -> DataFrame:
    """Return BLEU by segmentation and place: `wp_4k={"ga en-ga": 5}` is of a corpus and a direction."""
    return frame(
        {"metric": "bleu", "segmentation": name, "corpus": corpus, "direction": direction, "value": value}
        for name, places in systems.items()
        for corpus, _, direction in (where.partition(" ") for where in places)
        for value in [places[f"{corpus} {direction}" if direction else corpus]]
    )


SIDES = {"metric": "bleu", "left": {"segmentation": "wp_4k"}, "right": {"segmentation": "uni_8k"}}


def both_of(**selector: Any) -> dict[str, Any]:
    """Return `SIDES` with the same selector on both sides."""
    return {"metric": "bleu", **{side: {**SIDES[side], **selector} for side in ("left", "right")}}


def test_averages_over_other_corpora_are_not_compared() -> None:
    found = on_places(wp_4k={"ga": 5, "mr": 20, "uz": 30}, uni_8k={"ga": 6})  # 18.3 against 6, and on ga 5 against 6
    wanted = Outcome(NOT_TESTABLE, "left and right are not of the same corpus: left has mr, uz, which right has not")
    assert outcome(SIDES, found) == wanted
    assert judge("c", {"says": "", "holds": [SIDES]}, found, frame([])).published == wanted
    other_way = SIDES | {"left": SIDES["right"], "right": SIDES["left"]}
    assert "right has mr, uz, which left has not" in outcome(other_way, found).reason
    for take in ("max", "range"):
        assert outcome(SIDES | {"left": {"segmentation": "wp_4k", "take": take}}, found).state == NOT_TESTABLE
    assert outcome(both_of(corpus=["ga", "mr"]), found).reason.endswith("left has mr, which right has not")
    for alike in (SIDES | {"each": ["corpus"]}, both_of(corpus="ga")):
        assert outcome(alike, found) == Outcome(NOT_CONFIRMED, "-1")


def test_averages_over_other_directions_are_not_compared() -> None:
    found = on_places(wp_4k={"ga en-ga": 5, "ga ga-en": 20}, uni_8k={"ga en-ga": 6})
    wanted = "left and right are not of the same direction: left has ga-en, which right has not"
    assert outcome(SIDES | {"each": ["corpus"]}, found) == Outcome(NOT_TESTABLE, wanted)
    assert outcome(SIDES, found).reason.endswith("same corpus, direction: left has ga ga-en, which right has not")
    assert outcome(SIDES | {"each": ["direction"]}, found) == Outcome(NOT_CONFIRMED, "-1")
    crossed = on_places(wp_4k={"x a-b": 5, "y b-a": 5}, uni_8k={"x b-a": 6, "y a-b": 6})
    assert outcome(SIDES, crossed).state == NOT_TESTABLE


def test_scores_of_one_test_set_are_not_compared_with_those_of_another() -> None:
    found = on_places(wp_4k={"ga": 5}, uni_8k={"ga": 6})
    found["testset"] = ["old", "new"]
    assert outcome(SIDES | {"each": ["corpus"]}, found).reason.endswith(
        "same testset: left has old, which right has not; right has new, which left has not"
    )


def test_a_place_without_a_value_is_not_covered() -> None:
    found = on_places(wp_4k={"ga": 5, "mr": 20}, uni_8k={"ga": 6, "mr": float("nan")})
    assert "left has mr, which right has not" in outcome(SIDES, found).reason


def test_places_that_a_rule_sets_against_each_other_may_differ() -> None:
    found = on_places(wp_4k={"ga en-ga": 5, "mr en-mr": 20})
    rule = {"metric": "bleu", "left": {"corpus": "mr"}, "right": {"corpus": {"not": "mr"}}}
    assert outcome(rule, found) == Outcome(CONFIRMED, "15")
    unnamed = on_places(wp_4k={"ga en-ga": 5}, uni_8k={"ga": 6})  # for which direction is not said
    assert outcome(SIDES, unnamed) == Outcome(NOT_CONFIRMED, "-1")


def test_averages_over_other_models_are_not_compared() -> None:
    found = frame(
        {"metric": "bleu", "segmentation": name, "corpus": "ga", "direction": "en-ga", "model": model, "value": value}
        for name, models in (("wp_4k", {"large": 20, "tiny": 5}), ("uni_8k", {"tiny": 6}))
        for model, value in models.items()
    )
    wanted = "left and right are not of the same model: left has large, which right has not"
    assert outcome(SIDES | {"each": ["corpus", "direction"]}, found) == Outcome(NOT_TESTABLE, wanted)
    assert outcome(both_of(model="tiny"), found) == Outcome(NOT_CONFIRMED, "-1")
    set_apart = SIDES | {"left": {"segmentation": "wp_4k", "model": "large"}, "each": ["corpus"]}
    assert outcome(set_apart, found) == Outcome(CONFIRMED, "14")
    found.loc[found["model"] == "tiny", "direction"] = (
        "ga-en"  # a model that is named leaves the directions to be alike
    )
    assert "same direction: left has en-ga" in outcome(set_apart, found).reason


NAMED = {
    "metric": "f95_corrected",
    "left": {"algorithm": "hft", "corpus": ["am", "en", "ga"]},
    "right": {"algorithm": ["bpe", "unigram"], "take": "max"},
    "each": ["corpus", "size"],
    "in": "most",
}


def of_languages(languages: list[str], without: str = "") -> DataFrame:
    rows = [row for name in languages for row in curve({1: 2}, corpus=name) + curve({1: 1}, "bpe", name)]
    missing = [row for row in rows if (row["corpus"], row["algorithm"]) != (without, "bpe")]
    return frame({**row, "metric": "f95_corrected"} for row in missing)


def test_what_a_rule_names_has_to_be_measured() -> None:
    assert outcome(NAMED, of_languages(["am", "en", "ga"])).state == CONFIRMED
    for found in (of_languages(["am", "en"]), of_languages(["am", "en", "ga"], without="ga")):
        assert outcome(NAMED, found) == Outcome(NOT_TESTABLE, "not measured: f95_corrected ga")
    lost = of_languages(["am", "en", "ga"])
    lost.loc[lost["corpus"] == "ga", "value"] = float("nan")
    assert outcome(NAMED, lost).state == NOT_TESTABLE
    on_the_right = NAMED | {"left": {"algorithm": "hft"}, "right": {"algorithm": "bpe", "corpus": ["am", "ga"]}}
    assert outcome(on_the_right, of_languages(["am", "en"])).reason == "not measured: f95_corrected ga"


def test_what_a_rule_does_not_name_does_not_count() -> None:
    found = outcome(NAMED, of_languages(["am", "en", "ga", "xx", "yy"]))
    assert (found.state, found.reason.split(";")[0]) == (CONFIRMED, "so in 3 of 3")


@pytest.mark.parametrize("claim", ["hft-f95", "hft-f95-threshold", "hft-mu", "hft-nu"])
@pytest.mark.parametrize("ending", ["", "-corrected"])
def test_claims_on_frequencies_are_about_the_papers_languages(claim: str, ending: str) -> None:
    given = paper.read(paper.FOLDER / "hft.yaml", "full").claims[f"{claim}{ending}"]

    def judged_on(languages: list[str]) -> Outcome:
        rows = [
            {"metric": metric + ending.replace("-", "_"), "corpus": corpus, "algorithm": name, "size": size}
            | {"value": -value if metric == "mu" else value}
            for metric in ("f95", "mu", "nu")
            for corpus in languages
            for name in ("hft", "spm-bpe", "unigram")
            for size in (500, 8000)
            for value in [(1 if size == 500 and "threshold" in claim else 3) if name == "hft" else 2]
        ]
        return judge(claim, given, frame([]), frame(rows)).ours

    six = [f"hftoks-{language}" for language in ("am", "en", "ga", "hi", "lt", "ojb")]
    assert judged_on(six).state == CONFIRMED
    assert judged_on([*six, "xx"]) == judged_on(six)
    assert judged_on(["xx", "yy"]).state == NOT_TESTABLE
    for missing in six:
        told = judged_on([name for name in six if name != missing] + ["xx"])
        assert (told.state, told.reason.startswith("not measured: "), missing in told.reason) == (
            NOT_TESTABLE,
            True,
            True,
        )


def test_systems_that_have_learned_nothing_confirm_nothing() -> None:
    close = HIGHER | {"is": {"between": [-0.5, 0.5]}}
    nothing = Outcome(NOT_TESTABLE, "nothing has been learned: BLEU below 1")
    untrained = scores(hft={"a-b": [0.2], "b-a": [0.1]}, bpe={"a-b": [0.0], "b-a": [0.9]})
    assert outcome(close, untrained) == nothing
    assert outcome(close, scores(hft={"a-b": [0.9]}, bpe={"a-b": [1.0]})).state == CONFIRMED  # one of them is enough
    printed = judge("c", {"says": "", "holds": [close]}, untrained, frame([])).published
    assert printed.state == NOT_CONFIRMED  # what a paper prints is its own affair


def test_every_score_of_what_has_learned_nothing_confirms_nothing() -> None:
    untrained = scores(hft={"a-b": [0.2]}, bpe={"a-b": [0.0]})
    learned = scores(hft={"a-b": [9]}, bpe={"a-b": [9]}, word={"a-b": [9]})

    def judged_by(bleu: DataFrame, metric: str) -> str:
        rows = [row for found in (bleu, learned.assign(metric=metric)) for row in found.to_dict("records")]
        return outcome(HIGHER | {"metric": metric, "is": {"between": [-1, 1]}}, frame(rows)).state

    for metric in ("chrf", "comet", "bleu_percent_of_bpe"):
        assert judged_by(untrained, metric) == NOT_TESTABLE
        assert judged_by(learned, metric) == CONFIRMED
    assert judged_by(untrained, "vocabulary") == CONFIRMED  # of no translation
    others = scores(hft={"a-b": [0.2]}, bpe={"a-b": [0.0]}, word={"a-b": [30], "b-a": [30]})
    assert judged_by(others, "chrf") == NOT_TESTABLE  # word is not compared


@pytest.mark.parametrize(
    ("metric", "segmentation"), [("bleu_p_against_best_bpe", "sbpe-auto"), ("effect_mean", "random-bpe-softmax")]
)
def test_what_is_computed_from_the_scores_of_untrained_systems_confirms_nothing(metric: str, segmentation: str) -> None:
    """p-values are of a system, effects of a variant without sizes: BLEU comes from the scores, beside the evidence."""
    given = {
        "says": "",
        "holds": [{"metric": metric, "left": {"segmentation": segmentation}, "is": {"at_least": 0.01}}],
    }
    place = {"corpus": "c", "direction": "a-b"}
    ours = frame([place | {"metric": metric, "segmentation": segmentation, "value": 0.7}])

    def judged_by(bleu: float) -> str:
        system = place | {"metric": "bleu", "segmentation": "sbpe-auto", "size": None, "seed": 1, "value": bleu}
        return judge("c", given, frame([]), ours, bleu=frame([system])).ours.state

    assert judged_by(0.02) == NOT_TESTABLE
    assert judged_by(20) == CONFIRMED


@pytest.mark.parametrize(("lost", "state"), [(0, CONFIRMED), (2, CONFIRMED), (3, NOT_TESTABLE), (4, NOT_TESTABLE)])
def test_published_numbers_that_are_lost(lost: int, state: str) -> None:
    rows = [
        {"metric": "bleu", "algorithm": name, "direction": f"a-{number}", "value": value}
        for number in range(4)
        for name, value in (("hft", 2.0), ("bpe", None if number < lost else 1.0))
    ]
    found = judge("c", {"says": "", "holds": [HIGHER]}, frame(rows), frame([])).published
    assert found.state == state
    assert ("lost" in found.reason) == (0 < lost < 4)


@pytest.mark.parametrize("lost", [1, 2, 3, 4])
@pytest.mark.parametrize("in_the_paper", [True, False])
def test_our_missing_numbers_are_not_lost_by_the_paper(lost: int, in_the_paper: bool) -> None:
    names = [f"a-{number}" for number in range(4)]
    ours = scores(
        hft={name: [2.0] for name in names},
        bpe={name: [None if place < lost else 1.0] for place, name in enumerate(names)},
    )
    printed = names if in_the_paper else names[-1:]
    theirs = scores(hft={name: [2.0] for name in printed}, bpe={name: [1.0] for name in printed})
    told = outcome(HIGHER, ours, theirs)
    assert told.state == NOT_TESTABLE
    assert "not measured: bleu" in told.reason or "were not measured: bleu" in told.reason
    assert "lost" not in told.reason


def judged(left: float, right: float, sentences: float | None = 150) -> DataFrame:
    """Return the shares of sentences that S-BPE and BPE won, and of how many."""
    rows = [("wins_word", "sbpe", left), ("wins_word", "bpe", right), ("evaluated_sentences", "", sentences)]
    return frame(
        {"metric": metric, "algorithm": algorithm, "direction": "en-de", "value": value}
        for metric, algorithm, value in rows
    )


WINS = {"metric": "wins_word", "left": {"algorithm": "sbpe"}, "right": {"algorithm": "bpe"}, "each": ["direction"]}
WINS |= {"test": "wins", "alpha": 0.01}


def test_a_test_of_who_wins() -> None:
    assert outcome(WINS, judged(0.20, 0.06)).state == CONFIRMED  # 30 against 9: p = 0.0005
    assert outcome(WINS, judged(0.06, 0.20)).state == NOT_CONFIRMED
    assert outcome(WINS, judged(0.20, 0.18)).state == NOT_CONFIRMED  # 30 against 27: p = 0.40
    assert outcome(WINS, judged(0, 0)).state == NOT_CONFIRMED  # nobody won anything
    few = {"metric": "answers_word", "direction": "en-de", "value": 10}  # the other question had 150 answers
    rows = [*judged(0.6, 0.2).dropna(axis=1).to_dict("records"), few]
    assert outcome(WINS, frame(rows)).state == NOT_CONFIRMED  # 6 against 2: p = 0.14


def test_wins_of_an_unknown_number_of_sentences_test_nothing() -> None:
    wanted = Outcome(NOT_TESTABLE, "the number of judged sentences is not known")
    assert outcome(WINS, judged(0.2, 0.06, sentences=None)) == wanted
    known = judged(0.2, 0.06)
    assert outcome(WINS, known[known["metric"] != "evaluated_sentences"]) == wanted


def test_the_claims_test_of_wins_is_the_one_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(judging, "exact_one_sided", lambda *wins: asked.append(wins) or 0.0)
    assert outcome(WINS, judged(0.20, 0.06)).state == CONFIRMED
    assert asked == [(9, 30)]  # the second is said to win


def test_what_cannot_be_read_is_not_taken_for_not_testable(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*sides: list[float]) -> float:
        raise InputError("no such number")

    monkeypatch.setattr(judging, "welch_p_value", refuse)
    found = scores(hft={"a-b": [5.0, 5.1, 5.2]}, bpe={"a-b": [4.0, 4.1, 4.2]})
    with pytest.raises(InputError, match="no such number"):
        outcome(HIGHER | {"test": "welch"}, found)


def test_what_the_paper_has_and_we_have_not_is_not_testable() -> None:
    theirs = scores(hft={"a-b": [2], "b-a": [4]}, bpe={"a-b": [1], "b-a": [3]})
    ours = scores(hft={"a-b": [2]}, bpe={"a-b": [1], "b-a": [3]})
    told = outcome(HIGHER, ours, theirs)
    assert told.state == NOT_TESTABLE
    assert "b-a" in told.reason
    assert outcome(HIGHER, frame([])).state == NOT_TESTABLE


def test_a_best_of_fewer_is_not_the_best() -> None:
    theirs = frame(curve({1: 5, 2: 7}) + curve({1: 6, 2: 8}, "bpe") + curve({1: 1, 2: 1}, "unigram"))
    best = {"algorithm": ["bpe", "unigram"], "take": "max"}
    rule = {"metric": "f95", "left": {"algorithm": "hft", "take": "max"}, "right": best, "each": ["corpus"]}
    assert outcome(rule, theirs, theirs).state == NOT_CONFIRMED
    for lacks in (
        frame(curve({1: 5, 2: 7}) + curve({1: 6}, "bpe") + curve({1: 1, 2: 1}, "unigram")),  # a size
        frame(curve({1: 5, 2: 7}) + curve({1: 1, 2: 1}, "unigram")),  # an algorithm
        frame(curve({1: 5}) + curve({1: 6, 2: 8}, "bpe") + curve({1: 1, 2: 1}, "unigram")),
    ):
        told = outcome(rule, lacks, theirs)
        assert told.state == NOT_TESTABLE
        assert "not measured: f95 ga" in told.reason


def test_one_condition_that_fails_is_enough() -> None:
    found = scores(hft={"a-b": [2]}, bpe={"a-b": [1]})
    assert outcome([HIGHER, HIGHER | {"is": {"above": 2}}], found).state == NOT_CONFIRMED
    assert outcome([HIGHER, HIGHER | {"metric": "chrf"}], found).state == NOT_TESTABLE
    assert outcome([HIGHER | {"is": {"above": 2}}, HIGHER | {"metric": "chrf"}], found).state == NOT_CONFIRMED


def test_what_depends_on_the_corpora_is_judged_at_their_scale() -> None:
    found = scores(hft={"a-b": [2]}, bpe={"a-b": [1]})
    claim = {"says": "it is so", "holds": [HIGHER, HIGHER], "scales": ["full"]}
    states = {scale: judge("c", claim, found, found, scale) for scale in ("full", "smoke")}
    assert states["full"].ours == Outcome(CONFIRMED, "1")  # the same reason is given once
    assert states["smoke"].ours.state == NOT_TESTABLE
    assert "full" in states["smoke"].ours.reason
    assert states["smoke"].published.state == CONFIRMED


def test_scores_selected_on_the_test_set_are_left_out() -> None:
    rows = [("hft", 9.0, "test"), ("hft", 1.0, "dev"), ("bpe", 2.0, "dev")]
    found = frame(
        {"metric": "bleu", "algorithm": name, "direction": "a-b", "selection": on, "value": value}
        for name, value, on in rows
    )
    assert outcome(HIGHER, found).state == NOT_CONFIRMED
    assert outcome(HIGHER | {"left": {"algorithm": "hft", "selection": "test"}}, found).state == CONFIRMED


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "bleu"},
        {"left": {}},
        HIGHER | {"izz": {"above": 1}},
        HIGHER | {"is": {"about": 1}},
        HIGHER | {"is": 1},
        HIGHER | {"each": ["sise"]},
        HIGHER | {"left": {"algoritm": "bpe"}},
        HIGHER | {"left": {"take": "best"}},
        HIGHER | {"test": "anova"},
        HIGHER | {"along": "size", "trend": "up"},
        HIGHER | {"in": "often"},
        HIGHER | {"in": {"shares": 0.5}},
        HIGHER | {"is": {"between": 1}},
        HIGHER | {"is": {"above": "zero"}},
        HIGHER | {"left": {"size": {"atleast": 3}}},
        HIGHER | {"left": "hft"},
        HIGHER | {"along": {}},
        HIGHER | {"round": "x"},
        {"metric": "bleu", "left": {}, "test": "welch"},
        {"metric": "wins_word", "left": {}, "test": "wins"},
        HIGHER | {"right": None, "test": "welch"},
        HIGHER | {"trend": "rising"},
        HIGHER | {"test": "welch", "in": "mean"},
        HIGHER | {"along": "size", "trend": "rising", "is": {"above": 1}},
        HIGHER | {"left": {"algorithm": {"at_least": 5}}},
        HIGHER | {"along": "size", "test": "welch"},
        HIGHER | {"along": "size", "in": "mean"},
        HIGHER | {"each": "corpus"},
        HIGHER | {"left": {"size": {"at_least": "8k"}}},
        HIGHER | {"test": "welch", "right": {"algorithm": "bpe", "take": "max"}},
        HIGHER | {"is": {"between": [1, -1]}},
        HIGHER | {"left": {"size": {"between": [8000, 2000]}}},
        HIGHER | {"right": {"size": {"between": [8000, 2000]}}},
    ],
)
def test_rules_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        condition(wrong, "claims.x")


def test_the_schema_of_a_rule_knows_every_column_and_relation(root: Path) -> None:
    known = json.loads((root / "config/schemas/condition.schema.json").read_text(encoding="utf-8"))["$defs"]
    assert known["column"]["enum"] == list(COLUMNS)
    assert set(known["side"]["properties"]) == {*COLUMNS, "take", "statistic"}
    assert set(known["relation"]["properties"]) == set(RELATIONS)
    numbers = {name for name, kind in known["side"]["properties"].items() if "number_selector" in str(kind)}
    assert numbers == {*NUMBERS, *WHOLE_NUMBERS}


def test_a_rule_in_words() -> None:
    text = in_words(condition(HIGHER | {"in": {"at_least": 3}, "test": "welch"}, ""))
    for part in ("bleu", "hft", "bpe", "> 0", "Welch", "0.05", "direction", "at least 3"):
        assert part in text
    others = HIGHER | {"left": {"algorithm": {"not": ["bpe", "char"]}}}
    assert "[algorithm other than bpe, char] minus [algorithm bpe]" in in_words(condition(others, ""))


def test_verdicts_are_read_as_written(tmp_path: Path) -> None:
    said = 'it is "so", or\nnot'
    verdict = Verdict("a", said, "", "x > 1", Outcome(CONFIRMED, "2; 3, 4"), Outcome(NOT_TESTABLE, "–"))
    file = tmp_path / "claims.csv"
    for verdicts in ([verdict, verdict], []):
        write_verdicts(file, verdicts)
        assert read_verdicts(file) == verdicts
    for text, problem in (("", "cannot read"), ("claim,says\n", "has the columns")):
        file.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_verdicts(file)


def expected(root: Path) -> dict[str, str]:
    """Return what docs/papers.md says each rule comes to on the published numbers."""
    page = (root / "docs" / "papers.md").read_text(encoding="utf-8")
    states = {"holds": CONFIRMED, "not borne out": NOT_CONFIRMED}
    found = {}
    for table in re.findall(r"(?m)^\| claim \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", page):
        for name, last in re.findall(r"(?m)^\| `([a-z0-9-]+)` \| .* \| ([^|]*) \|$", table):
            found[name] = next((state for words, state in states.items() if last.startswith(words)), NOT_TESTABLE)
    return found


@pytest.mark.parametrize("name", PAPERS.values())
def test_rules_on_the_published_numbers(root: Path, name: str) -> None:
    path = root / "config" / "papers" / f"{name}.yaml"
    claims = paper.read(path, "full").claims
    values = [value for table in published.tables(name).values() for value in table]
    theirs = published_frame(values)
    wanted = expected(root)
    for claim, given in claims.items():
        # A claim that is not on the page is ours, about what the paper did not measure.
        assert judge(claim, given, theirs, frame([])).published.state == wanted.get(claim, NOT_TESTABLE), claim
    prefix = "random-" if name == "random-bpe" else f"{name}-"
    on_the_page = {claim for claim in wanted if claim.startswith(prefix)}
    assert on_the_page
    assert on_the_page <= set(claims)
