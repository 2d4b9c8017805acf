"""A claim's rule as a sentence, made from what is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from papers.claims.rules import SUMMARIES, Condition, Side
from papers.selection import listed

SIGNS = {"not": "other than", "above": ">", "below": "<", "at_least": "≥", "at_most": "≤", "between": "from"}


def in_words(rule: Condition) -> str:
    """Return the rule as a sentence."""
    left, right = _side_in_words(rule.left), _side_in_words(rule.right) if rule.right else ""
    subject = left
    if right:
        subject = f"{left} over {right}" if rule.measure == "ratio" else f"{left} minus {right}"
    name, bound = rule.relation
    is_so = f"lies in {bound[0]} to {bound[1]}" if name == "between" else f"{SIGNS[name]} {bound}"
    if rule.round is not None:
        whole = rule.round == int(rule.round)
        decimals = "1 decimal" if rule.round == 1 else f"{rule.round} decimals"
        step = 10 ** -int(rule.round) if whole else rule.round
        to = "whole numbers" if rule.round == 0 else decimals if whole and rule.round > 0 else f"multiples of {step:g}"
        is_so = f"rounded to {to}, {is_so}"
    of = ", ".join(rule.metrics)
    each = f", for each {', '.join(rule.each)}" if rule.each else ""
    if rule.trend in ("rising", "falling"):
        return f"{of} of {subject} is {rule.trend} along {rule.along}{each}{_inside(rule.inside)}"
    if rule.trend:
        text = f"{of} of {subject} {is_so} at the largest {rule.along}, and never stops once it does along {rule.along}"
        text += f"; not at the smallest {rule.along}" if rule.trend == "crossing" else ""
        return f"{text}{each}{_inside(rule.inside)}"
    if rule.inside in SUMMARIES:
        return f"{rule.inside} over {', '.join(rule.each) or 'all'} of {of} of {subject} {is_so}"
    tests = {"welch": "Welch's t test over seeds", "wins": "binomial test of the sentences won"}
    tested = f", {tests[rule.test]} p < {rule.alpha}" if rule.test else ""
    return f"{of} of {subject} {is_so}{tested}{each}{_inside(rule.inside)}"


def _inside(inside: Any) -> str:
    if isinstance(inside, Mapping):
        key, number = next(iter(inside.items()))
        return (
            f", in at least {number} cases"
            if key == "at_least"
            else f", in a share of at least {number:g} of the cases"
        )
    return {"all": "", "most": ", in more than half of the cases", "none": ", in no case"}[inside]


def _side_in_words(side: Side) -> str:
    parts = []
    for column, wanted in side.where.items():
        if isinstance(wanted, Mapping):
            ((key, value),) = wanted.items()
            values = " to ".join(map(str, value)) if key == "between" else _words(value)
            parts.append(f"{column} {SIGNS[key]} {values}")
        else:
            parts.append(f"{column} {_words(wanted)}")
    text = "[" + "; ".join(parts) + "]" if parts else "all"
    text = f"standard error of {text}" if side.statistic == "error" else text
    return text if side.take == "mean" else f"{side.take} of {text}"


def _words(wanted: Any) -> str:
    return ", ".join(map(str, listed(wanted)))
