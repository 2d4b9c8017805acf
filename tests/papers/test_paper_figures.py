"""A paper's figures: what is drawn is what was measured, and the paper's values stand beside it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from made_up_measurements import measurements_of

import make_paper_figures
from experiment.reporting.drawing import svg_text
from papers import measurements, published
from papers.rendering.curves import Curve, Point, curves, published_beside, read_plan
from papers.rendering.figures import draw
from subwords.errors import InputError

FIGURE4 = {"x": "size", "y": ["f95", "mu", "nu"], "series": "algorithm", "panels": "corpus", "log": ["x", "y"]}


def score(number: float, **more: Any) -> dict[str, Any]:
    """Return a measured BLEU."""
    keys = {"metric": "bleu", "corpus": "k", "segmentation": "bpe-2k", "algorithm": "bpe", "size": 2000, "seed": 1}
    return keys | {"value": number, "selection": "dev"} | more


def drawn(rows: list[dict[str, Any]], **entry: Any) -> list[Curve]:
    """Return the curves of a figure."""
    given = {"x": "size", "y": "bleu", "series": "algorithm"} | entry
    return curves(read_plan("figure1", given), measurements.frame(rows))


def test_points_are_means_over_seeds_in_the_order_of_x() -> None:
    rows = [score(10.0, size=500), score(20.0, seed=2), score(22.0), score(5.0, algorithm="hft")]
    rows += [score(99.0, selection="test"), score(98.0, x=3.0), score(97.0, metric="chrf")]
    bpe, hft = drawn(rows)
    assert [(point.x, point.y) for point in bpe.points] == [(500, 10), (2000, 21)]
    assert bpe.points[1].error == pytest.approx(1.0)
    assert (hft.series, hft.points) == ("hft", [Point(2000, 5, None)])


def test_systems_are_segmentations_without_their_size() -> None:
    names = {"bpe-2k": 2000, "bpe-32000": 32000, "random-bpe-softmax-5k": 5000, "char": None}
    found = drawn([score(1.0, segmentation=name, size=size) for name, size in names.items()], series="system")
    assert [curve.series for curve in found] == ["bpe", "random-bpe-softmax", "char"]
    assert [point.x for point in found[0].points] == [2000, 32000]


@pytest.mark.parametrize(
    ("column", "value"),
    [("corpus", "j"), ("direction", "en-fi"), ("segmentation", "bpe-2000"), ("testset", "news"), ("split", "train")],
)
def test_points_are_not_means_of_different_things(column: str, value: str) -> None:
    rows = [score(10.0, direction="en-de"), score(30.0, **{"direction": "en-de"} | {column: value})]
    with pytest.raises(InputError, match=f"more than one {column}: ") as refused:
        drawn(rows)
    assert str(refused.value).startswith("figures.figure1: bleu bpe size 2000 (ours): ")
    assert f"name {column} in x, series or panels" in str(refused.value)
    assert [len(curve.points) for curve in drawn(rows, panels=column)] == [1, 1]
    assert drawn(rows, where={column: value})[0].points == [Point(2000, 30, None)]


def test_names_that_a_label_gives_to_two_systems_are_not_averaged() -> None:
    rows = [score(10.0), score(30.0, algorithm="spm-bpe", segmentation="spm-bpe-2k")]
    with pytest.raises(InputError, match="more than one segmentation: bpe-2k, spm-bpe-2k"):
        drawn(rows, labels={"spm-bpe": "bpe"})


def test_a_system_without_size_is_drawn_across() -> None:
    rows = [score(1.0), score(2.0, algorithm="char", size=None)]
    char = drawn(rows)[1]
    assert math.isnan(char.points[0].x)  # type: ignore[arg-type]
    axes = draw("figure1", {"x": "size", "y": "bleu", "series": "algorithm"}, measurements.frame(rows)).axes
    across = [line for line in axes[0].lines if list(line.get_ydata()) == [2.0, 2.0]]
    assert len(across) == 1
    draw("figure1", {"x": "size", "y": "bleu"}, measurements.frame(rows[1:]))  # nothing with a size


def test_curves_are_of_x_and_categories_are_in_order() -> None:
    rows = [score(1.0, x=10.0), score(2.0, x=2.0), score(7.0)]
    (curve,) = drawn(rows, x="x")
    assert curve.points == [Point(2.0, 2.0, None), Point(10.0, 1.0, None)]
    axes = draw("f", {"x": "x", "y": "bleu", "kind": "bars"}, measurements.frame(rows)).axes
    assert [label.get_text() for label in axes[0].get_xticklabels()] == ["2", "10"]


def test_a_bar_alone_stands_at_its_place() -> None:
    """Where each system is one bar in a colour of its algorithm, nothing is left free for other algorithms."""
    rows = [score(2.0, segmentation="bpe-1k", algorithm="bpe"), score(3.0, segmentation="char", algorithm="char")]
    entry = {"x": "segmentation", "y": "bleu", "kind": "bars", "series": "algorithm"}
    bars: Any = draw("f", entry, measurements.frame(rows)).axes[0].patches
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == pytest.approx([0, 1])
    assert all(bar.get_width() > 0.7 for bar in bars)


def test_bars_of_one_source_stand_in_the_middle() -> None:
    rows = [score(1.0, corpus=name) for name in "ab"]
    entry = {"x": "corpus", "y": "bleu", "kind": "bars"}

    def middles(printed: Any) -> list[float]:
        bars: Any = draw("f", entry, measurements.frame(rows), printed).axes[0].patches
        return sorted(bar.get_x() + bar.get_width() / 2 for bar in bars)

    assert middles(None) == pytest.approx([0, 1])
    assert middles(measurements.frame(rows)) == pytest.approx([-0.2, 0.2, 0.8, 1.2])


def test_counts_have_whole_ticks() -> None:
    for heights, whole in (((1.0, 2.0), True), ((1.0, 2.5), False)):
        rows = [score(height, corpus=name) for height, name in zip(heights, "ab", strict=True)]
        ticks = draw("f", {"x": "corpus", "y": "bleu", "kind": "bars"}, measurements.frame(rows)).axes[0].get_yticks()
        assert all(tick.is_integer() for tick in ticks) == whole


@pytest.mark.parametrize("kind", ["lines", "points", "bars"])
def test_heights_on_the_page_are_the_numbers(kind: str) -> None:
    rows = [score(12.5), score(14.5, size=4000), score(3.25, algorithm="hft", size=4000)]
    axes = draw("f", {"x": "size", "y": "bleu", "series": "algorithm", "kind": kind}, measurements.frame(rows)).axes[0]
    if kind == "bars":
        bars: Any = axes.patches
        heights = [bar.get_height() for bar in bars]
    else:
        heights = [float(y) for box in axes.containers for y in box.lines[0].get_ydata()]  # type: ignore[attr-defined]
    assert heights == [12.5, 14.5, 3.25]
    low, high = axes.get_ylim()
    assert low <= 3.25
    assert high >= 14.5


def test_published_values_stand_beside_ours() -> None:
    values = published.tables("hft")["figure4"]
    ours = measurements.frame(measurements_of(values))
    printed = published_beside("hft", "figure4", FIGURE4)
    assert printed is not None
    theirs = curves(read_plan("figure4", FIGURE4), printed, "paper")
    expected = {(one.corpus, one.metric, one.algorithm, float(one.size)): one.number for one in values}
    found = {(c.panel, c.metric, c.series, point.x): point.y for c in theirs for point in c.points}
    assert found == expected
    figure = draw("figure4", FIGURE4, ours, printed)
    assert len(figure.axes) == 6 * 3
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[-2:] == ["ours", "paper"]
    assert published_beside("hft", "figure4", {"published": None}) is None
    assert published_beside("hft", "figure9", {}) is None
    with pytest.raises(InputError, match="did you mean 'figure4'"):
        published_beside("hft", "figure9", {"published": "figure44"})


def test_names_with_markup_are_names() -> None:
    name = "<b>$x_1$</b> & \u202eabc"
    text = svg_text(
        draw("f", {"x": "corpus", "y": "bleu", "kind": "bars"}, measurements.frame([score(1.0, corpus=name)]))
    )
    assert "&lt;b&gt;$x 1$&lt;/b&gt; &amp;" in text
    assert "<b>" not in text


def test_nothing_measured_is_said() -> None:
    assert "nothing was measured" in svg_text(draw("f", {"x": "size", "y": ["bleu"]}, measurements.frame([])))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"x": "size", "y": "bleu", "kind": "line"}, "did you mean 'lines'"),
        ({"x": "sizes", "y": "bleu"}, "did you mean 'size'"),
        ({"x": "size", "y": "bleu", "serie": "corpus"}, "did you mean 'series'"),
        ({"x": "size", "y": "bleu", "series": ["corpse"]}, "did you mean 'corpus'"),
        ({"x": "system", "y": "bleu"}, "unknown column"),
        ({"x": "size", "y": "bleu", "log": "z"}, "unknown axis"),
        ({"x": "size"}, "has no y"),
    ],
)
def test_entries_that_cannot_be_understood(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw("figure1", entry, measurements.frame([]))


def test_program_draws_the_same_bytes_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hft.yaml").write_text(
        """\
paper: hft
title: A title
citation: Somebody 2022
experiment:
  corpora: {loresmt-en-ga: null}
  directions: [en-ga]
  segmentations: {bpe-2k: {algorithm: bpe, size: 2000}}
  models: {transformer-tiny: null}
  seeds: [1]
  baseline: bpe-2k
scales: {full: {}, reduced: {}, smoke: {}}
tables: {}
figures: {bars: {kind: bars, x: direction, y: bleu, series: algorithm, published: table1}}
"""
    )
    measurements.write(tmp_path / "scores.csv", measurements_of(published.tables("hft")["table1"]))
    command = ["--paper", f"{tmp_path}/hft.yaml", "--scale", "smoke", "--measurements", f"{tmp_path}/scores.csv"]
    for folder in "ab":
        assert make_paper_figures.main([*command, "--figure", "bars", "--output", f"{tmp_path}/{folder}"]) == 0
    for ending, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        first, second = ((tmp_path / folder / f"bars.{ending}").read_bytes() for folder in "ab")
        assert first == second
        assert first.startswith(start)
    assert make_paper_figures.main([*command, "--figure", "bar", "--output", f"{tmp_path}/a"]) == 2
    assert "did you mean 'bars'" in capsys.readouterr().err
