"""Measurements as if a paper had been run: its own numbers with noise, some seeds, some holes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from papers.published import KEYS, Value

SCORES = ("bleu", "chrf", "comet")
FOLLOWS = ("_percent_of_bpe", "_increment")


def measurements_of(values: Sequence[Value], seeds: Sequence[int] = (1, 2, 3)) -> Iterator[dict[str, Any]]:
    """Yield measurements for most of the published values, never for those that follow from others."""
    chance = random.Random(3)
    for value in values:
        system = bool(value.segmentation or value.algorithm)
        if chance.random() < 0.1 or value.metric.endswith(FOLLOWS) or (value.metric in SCORES and not system):
            continue
        if value.metric in SCORES and not value.corpus:  # the mean of a row
            continue
        keys: dict[str, Any] = {name: getattr(value, name) or None for name in KEYS} | {"split": value.split}
        if value.text:
            yield keys | {"row": value.row, "text": chance.choice([value.text, value.text.replace("@@ ", "")])}
        elif value.metric in SCORES:
            if value.column == "BLEU avg":  # the same runs as BLEU 1 to 5
                continue
            for seed in [value.seed] if value.seed else seeds:
                number = (value.number or 20.0) * (1 + chance.gauss(0, 0.02))
                for selection in ("dev", "test"):
                    more = {"seed": seed, "value": number, "testset": "test", "selection": selection}
                    yield keys | more
                    number *= 1.01
        else:
            row = value.row if not system or value.metric.startswith("effect") else ""
            noise = chance.gauss(0, 0.01) if value.metric != "effect_includes_zero" else 0.0
            yield keys | {"row": row, "value": (20.0 if value.number is None else value.number) * (1 + noise)}
