"""The model of `effects`, fitted to what a published table says: does it land on the paper's own effects?

Options are those of `effects`, and

    table: table1          published means with their standard errors
    replicates: 10         seeds that each of them is the mean of

The model sees scores that have exactly these means and standard errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from papers import published
from papers.analyses.effects import KEYS, effects_in
from papers.measurements import frame
from papers.measures.replicates import replicates
from subwords.errors import unknown

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the effects in a published table. Raises InputError for a table that the paper does not have."""
    tables, name = published.tables(inputs.paper.name), options.get("table", "table1")
    if name not in tables:
        raise unknown("published table", name, tables)
    yield from effects_in(replicated(tables[name], options.get("replicates", 10)), options, inputs.threads)


def replicated(values: list[published.Value], number: int) -> DataFrame:
    """Return measurements with the published means and standard errors, one for each of so many seeds."""
    return frame(
        {"metric": value.metric, "seed": seed, "value": score, **{name: getattr(value, name) for name in KEYS}}
        for value in values
        if value.number is not None and value.error_number is not None
        for seed, score in enumerate(replicates(value.number, value.error_number, number), 1)
    )
