"""Whoever lets jobs share a card and calls snakemake as before is told that they still run one at a time."""

from __future__ import annotations

import pytest

from .conftest import Workplace


@pytest.mark.parametrize(
    ("words", "config", "warned"),
    [((), ("runs_per_gpu=4",), True), (("--resources", "gpu=4"), ("runs_per_gpu=4",), False), ((), (), False)],
    ids=["shared, as before", "shared, and so called", "not shared"],
)
def test_jobs_that_share_a_card_have_to_be_allowed(
    workplace: Workplace,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    config: tuple[str, ...],
    warned: bool,
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")  # a card, by its name
    done = workplace.snakemake("-n", *words, config=config)
    assert done.returncode == 0, done.stdout
    assert ("runs_per_gpu: 4, but snakemake runs no more than 1 of these jobs" in done.stdout) == warned
    assert done.stdout.count("runs_per_gpu:") == warned
