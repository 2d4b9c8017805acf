"""Which measurements are meant: what claims, tables and figures write as columns and values, in one language.

A selector is a column with

    hft                    a value
    [2000, 3000]           one of several
    {not: hft}             any but this, or these
    {at_least: 1000}       numbers within bounds: above, below, at_least, at_most, or between: [low, high]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from papers.measurements import COLUMNS, WHOLE_NUMBERS
from papers.published import KEYS, Value
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: Differences of floating-point numbers are not what was written: 0.3 - 0.2 is not above 0.1.
SLACK = 1e-9
#: How a number stands to a bound. Both ends of an interval belong to it.
RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "above": lambda value, bound: value > bound + SLACK,
    "below": lambda value, bound: value < bound - SLACK,
    "at_least": lambda value, bound: value >= bound - SLACK,
    "at_most": lambda value, bound: value <= bound + SLACK,
    "between": lambda value, bounds: (value >= bounds[0] - SLACK) & (value <= bounds[1] + SLACK),
}
#: What a selector may be beside a value and a list of them.
SELECTORS = ("not", *RELATIONS)


def listed(wanted: Any) -> list[Any]:
    """Return what is written as a value, a list or nothing as a list."""
    return [] if wanted is None else list(wanted) if isinstance(wanted, list | tuple) else [wanted]


def check_selectors(where: Mapping[str, Any], place: str) -> None:
    """Raise InputError for a column that measurements do not have, or a selector that is none."""
    for column, wanted in where.items():
        if column not in COLUMNS:
            raise unknown(f"column in {place}:", column, COLUMNS)
        if isinstance(wanted, Mapping) and (len(wanted) != 1 or next(iter(wanted)) not in SELECTORS):
            allowed = f"a value, a list of them, or one of {', '.join(SELECTORS)}"
            raise InputError(f"{place}: {column}: {dict(wanted)}", allowed=allowed)
        for key, bound in wanted.items() if isinstance(wanted, Mapping) else ():
            if key in RELATIONS:
                check_bound(key, bound, f"{place}: {column}")


def check_bound(relation: str, bound: Any, place: str) -> None:
    """Raise InputError where a relation has no number, or `between` no two, the lower one first."""
    bounds = bound if relation == "between" and isinstance(bound, list) else [bound]
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in bounds)
    if not numbers or len(bounds) != (2 if relation == "between" else 1) or bounds != sorted(bounds):
        raise InputError(f"{place}: {relation}: {bound!r}", allowed="a number; of between: [low, high]")


def matching(measured: DataFrame, where: Mapping[str, Any]) -> DataFrame:
    """Return the measurements of which every column is as `where` says."""
    for column, wanted in where.items():
        measured = measured[_fits(measured[column], wanted)]
    return measured


def matching_or_empty(measured: DataFrame, where: Mapping[str, Any]) -> DataFrame:
    """Return the measurements of which every column is as `where` says or does not apply: a corpus has no model."""
    for column, wanted in where.items():
        values = measured[column]
        measured = measured[_fits(values, wanted) | values.isna() | (values == "").fillna(False)]
    return measured


def comparable(measured: DataFrame, named: Collection[str] = ()) -> DataFrame:
    """Return the measurements without points of curves and what was selected on a test set, unless their columns (x,
    selection) are named."""
    if "selection" not in named:
        measured = measured[measured["selection"] != "test"]
    if "x" not in named:
        measured = measured[measured["x"].isna()]
    return measured


def of_value(value: Value, measured: DataFrame) -> DataFrame:
    """Return our measurements that a published value is to be compared with.

    They agree with it in every key that the value fills. `split` and `row` must agree exactly when they are filled in
    the measurement: one that is made for a certain cell belongs to no other. Points of curves (`x`) are no cells. A
    value that names no segmentation is none of a system of ours (another paper's score, a corpus's count). What was
    selected on a test set is never compared unless the metric's name says so.
    """
    filled = {name: getattr(value, name) for name in (*KEYS, "testset") if getattr(value, name)}
    filled = {name: int(key) if name in WHOLE_NUMBERS else key for name, key in filled.items()}
    measured = matching(comparable(measured), filled)
    chosen = measured["split"] == value.split
    chosen &= (measured["row"] == "") | (measured["row"] == value.row)
    if not (value.segmentation or value.algorithm):
        chosen &= ((measured["segmentation"] == "") & (measured["algorithm"] == "")) | (measured["row"] != "")
    return measured[chosen]


def _fits(values: Series[Any], wanted: Any) -> Series[bool]:
    if not isinstance(wanted, Mapping):
        return values.isin(listed(wanted))
    ((key, bound),) = wanted.items()
    return ~values.isin(listed(bound)) if key == "not" else RELATIONS[key](values, bound).fillna(False)
