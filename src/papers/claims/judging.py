"""Claims as rules over measurements, judged on the paper's own numbers and on ours.

A claim of a paper's file:

    hft-better:
      says: better average performance on both datasets      # the paper's sentence
      where: abstract                                        # where it stands
      from: [scores]                                         # what our numbers come from
      holds:                                                 # conditions; the claim is confirmed when all of them hold
        - metric: bleu                                       # or a list: each is compared with itself
          left: {algorithm: hft}                             # which measurements
          right: {algorithm: bpe}                            # compared with which; left out: `left` itself is judged
          each: [corpus, direction]                          # a comparison for every value of these columns
      scales: [full]                                         # left out: any; for what depends on the corpora's size

The keys of a condition are explained in `rules.py`. No verdict is given on generated text, where a number of ours is
missing, where averages over different corpora, directions or models are compared, where a ratio's denominator is zero,
where a test has fewer than three seeds a side, where translations of fewer than 200 lines, or of systems below 1 BLEU,
are compared (systems that have learned nothing are close, and confirm what says so), or where the paper's text at hand
has lost most numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from experiment.scoring.significance import welch_p_value
from papers.claims import comparisons
from papers.claims.rules import SUMMARIES, Condition, condition
from papers.claims.verdicts import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE, Outcome, Verdict
from papers.claims.wording import in_words
from papers.people.answers import exact_one_sided
from papers.selection import RELATIONS

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: The smallest test set of the papers has 250 lines (HFT, Irish to English), the largest of a smoke run 40.
FEWEST_SEEDS, FEWEST_SENTENCES = 3, 200
#: The lowest BLEU of the papers is 4.06 (HFT, English to Irish): a system below 1 has learned nothing.
LEAST_BLEU = 1
#: How metrics begin that are computed from translations of test sets.
OF_TRANSLATIONS = ("bleu", "chrf", "comet", "undecodable_output", "effect_", "spearman")


@dataclass(frozen=True)
class Finding:
    """What a condition came to: whether it holds, its comparisons, and the numbers that take part in them."""

    outcome: Outcome
    cells: frozenset[tuple[Any, ...]] = field(default_factory=frozenset)
    members: DataFrame | None = None


@dataclass(frozen=True)
class Tested:
    """Whether a test finds left and right different in one comparison, or what stands in its way."""

    differs: bool = False
    obstacle: str = ""


def judge(
    name: str,
    claim: Mapping[str, Any],
    published: DataFrame,
    ours: DataFrame,
    scale: str | None = None,
    generated: bool = False,
    bleu: DataFrame | None = None,
) -> Verdict:
    """Return the verdict on a claim at a scale. Raises InputError for a rule that cannot be understood.

    `bleu` is that of our systems, which shows whether they have learned anything, where `ours` does not hold it.
    What generated text comes to by the rule is said, but it is no verdict: it is not what the claim is about.
    """
    conditions = [condition(given, f"claims.{name}") for given in claim["holds"]]
    theirs = [_find(one, published) for one in conditions]
    bleu = ours[ours["metric"] == "bleu"] if bleu is None else bleu
    found = [_find(one, ours, expected, bleu) for one, expected in zip(conditions, theirs, strict=True)]
    outcome = _together([finding.outcome for finding in found])
    scales = claim.get("scales")
    if scales and scale is not None and scale not in scales:
        outcome = Outcome(NOT_TESTABLE, f"about corpora of scale {' or '.join(scales)}")
    elif generated and outcome.state != NOT_TESTABLE:
        outcome = Outcome(NOT_TESTABLE, f"on generated text (there by the rule {outcome.state}: {outcome.reason})")
    return Verdict(
        name=name,
        says=claim["says"],
        where=claim.get("where", ""),
        rule="; and ".join(map(in_words, conditions)),
        published=_together([finding.outcome for finding in theirs]),
        ours=outcome,
    )


def _together(outcomes: list[Outcome]) -> Outcome:
    """Return the outcome of a conjunction: one condition that does not hold is enough."""
    for state in (NOT_CONFIRMED, NOT_TESTABLE):
        if any(outcome.state == state for outcome in outcomes):
            return Outcome(state, _reasons(outcome for outcome in outcomes if outcome.state == state))
    return Outcome(CONFIRMED, _reasons(outcomes))


def _reasons(outcomes: Iterable[Outcome]) -> str:
    return "; ".join(dict.fromkeys(outcome.reason for outcome in outcomes))


def _find(
    rule: Condition, measured: DataFrame, expected: Finding | None = None, bleu: DataFrame | None = None
) -> Finding:
    """Return what the rule comes to. Numbers and comparisons of `expected` have to be there; `bleu` is our systems'."""
    every = comparisons.compared(rule, measured)
    members = comparisons.members(rule, measured, frozenset(every.index.tolist()))
    values = every.dropna()
    cells = frozenset(values.index.tolist())
    obstacle = _obstacle(rule, measured, every, members, expected)
    if not obstacle and bleu is not None and _nothing_learned(rule, members, bleu):
        obstacle = f"nothing has been learned: BLEU below {LEAST_BLEU}"
    if obstacle:
        return Finding(Outcome(NOT_TESTABLE, obstacle), cells, members)
    outcome = _decide(rule, values, measured)
    if lost := len(every) - len(values):  # of the paper's: of ours, a missing one is an obstacle
        reason = f"{lost} of {len(every)} numbers are lost in the text at hand"
        many = 2 * lost > len(every)
        outcome = Outcome(NOT_TESTABLE, reason) if many else Outcome(outcome.state, f"{outcome.reason}; {reason}")
    return Finding(outcome, cells, members)


def _obstacle(
    rule: Condition, measured: DataFrame, every: Series[float], members: DataFrame, expected: Finding | None
) -> str:
    """Return why the rule cannot be judged on these numbers; nothing where it can."""
    if zeros := comparisons.zero_denominators(rule, measured, frozenset(every.index.tolist())):
        return f"the ratio's denominator is zero: {_first_few(map(_cell_name, zeros))}"
    known = {cell[0] for cell in every.dropna().index}
    if lacking := [metric for metric in rule.metrics if metric not in known]:
        reason = "the numbers that the rule needs were not measured" if expected else "the paper has no such numbers"
        return f"{reason}: {', '.join(lacking)}"
    if several := comparisons.several_test_sets(rule, measured):
        return f"scores of several test sets, {', '.join(several)}: the rule has to name one"
    if missing := (_missing(expected, every, members) or _not_as_named(rule, every)) if expected else []:
        return f"not measured: {_first_few(missing)}"
    if unlike := comparisons.unlike(rule, measured):
        return f"left and right are not of the same {unlike}"
    sentences = _fewest_sentences(rule, members, measured)
    if sentences < FEWEST_SENTENCES:
        return f"a test set of {sentences:.0f} lines; {FEWEST_SENTENCES} are needed"
    return ""


def _of_translations(rule: Condition) -> bool:
    return any(metric.startswith(OF_TRANSLATIONS) for metric in rule.metrics)


def _fewest_sentences(rule: Condition, members: DataFrame, measured: DataFrame) -> float:
    """Return the lines of the smallest test set that the rule's numbers were measured on; infinity where none is known.

    An effect is of no one corpus: the smallest of all of them counts.
    """
    if not _of_translations(rule):
        return math.inf
    lines = measured[measured["metric"] == "test_sentences"]
    for column in ("corpus", "direction"):
        named = set(members[column]) - {""}
        lines = lines[lines[column].isin(named)] if named else lines
    return float(lines["value"].min()) if len(lines) else math.inf


def _nothing_learned(rule: Condition, members: DataFrame, bleu: DataFrame) -> bool:
    """Return whether a rule compares translations, and no system of those compared has a BLEU that says anything.

    Where none is known by its name (an effect is of no one system), those of the same corpora and directions count.
    """
    if not _of_translations(rule):
        return False
    for columns in (members.columns.drop("metric"), ["corpus", "direction"]):
        systems = members[columns].drop_duplicates().to_dict("records")
        scores = [score for system in systems for score in comparisons.of_member(bleu, system)["value"].dropna()]
        if scores:
            return max(scores) < LEAST_BLEU
    return False


def _not_as_named(rule: Condition, every: Series[float]) -> list[str]:
    """Return the values of lists in a rule's selectors that have no comparison, of columns that make one for each."""
    columns, cells = comparisons.columns_of(rule), every.dropna().index.tolist()
    named = [
        (column, value)
        for side in filter(None, (rule.left, rule.right))
        for column, wanted in side.where.items()
        if column in rule.each and isinstance(wanted, list)
        for value in wanted
    ]
    lacking = [
        f"{metric} {value}"
        for metric in rule.metrics
        for column, value in named
        if not any(cell[0] == metric and cell[columns.index(column)] == value for cell in cells)
    ]
    return list(dict.fromkeys(lacking))


def _missing(expected: Finding, every: Series[float], members: DataFrame) -> list[str]:
    """Return the names of what ours lack: published numbers, or comparisons of them, and comparisons without a value.

    A best of seven sizes is no best of the two that were run: what stands behind a maximum has to be there, too.
    """
    import pandas

    names = []
    for row in [] if expected.members is None else expected.members.to_dict("records"):
        if comparisons.of_member(members, row).empty:
            filled = {key: value for key, value in row.items() if not (pandas.isna(value) or value == "")}
            names.append(" ".join(str(value) for key, value in filled.items() if key not in ("algorithm", "size")))
    lacking = expected.cells.union(every.index.tolist()) - set(every.dropna().index.tolist())
    return names or [_cell_name(cell) for cell in sorted(lacking, key=str)]


def _holds(rule: Condition, value: float) -> bool:
    name, bound = rule.relation
    return bool(RELATIONS[name](value, bound))


def _decide(rule: Condition, values: Series[float], measured: DataFrame) -> Outcome:
    if rule.inside in SUMMARIES:
        number = float(values.agg(rule.inside))
        state = CONFIRMED if _holds(rule, number) else NOT_CONFIRMED
        return Outcome(state, f"{rule.inside} of {len(values)}: {number:.4g}")
    if rule.along:
        sequences = _sequences(rule, values)
        if min(map(len, sequences.values())) < 2:
            return Outcome(NOT_TESTABLE, f"fewer than two values along {rule.along}")
        cases = {cell: _has_trend(rule, sequence) for cell, sequence in sequences.items()}
    elif rule.test:
        tests = {cell: _tested(rule, cell, measured) for cell in values.index}
        if obstacle := next((test.obstacle for test in tests.values() if test.obstacle), ""):
            return Outcome(NOT_TESTABLE, obstacle)
        cases = {cell: tests[cell].differs and _holds(rule, value) for cell, value in values.items()}
    else:
        cases = {cell: _holds(rule, value) for cell, value in values.items()}
    return _counted(rule, cases, values)


def _counted(rule: Condition, cases: Mapping[Any, bool], values: Series[float]) -> Outcome:
    good, total = sum(cases.values()), len(cases)
    if isinstance(rule.inside, Mapping):
        key, number = next(iter(rule.inside.items()))
        holds = good >= number if key == "at_least" else good >= number * total - 1e-9
    else:
        holds = {"all": good == total, "most": 2 * good > total, "none": good == 0}[rule.inside]
    reason = f"so in {good} of {total}"
    if total == 1 and not rule.along:
        return Outcome(CONFIRMED if holds else NOT_CONFIRMED, f"{values.iloc[0]:.4g}")
    if not rule.along:
        reason += f"; from {values.min():.4g} to {values.max():.4g}"
    failing = [cell for cell, so in cases.items() if not so]
    if failing and total > 1:
        named = [cell if len(rule.metrics) > 1 else cell[1:] or cell for cell in failing]
        reason += f"; not: {_first_few(map(_cell_name, named))}"
    return Outcome(CONFIRMED if holds else NOT_CONFIRMED, reason)


def _sequences(rule: Condition, values: Series[float]) -> dict[Any, list[float]]:
    """Return the values of each comparison along the rule's column, in its order."""
    found: dict[Any, list[tuple[Any, float]]] = {}
    for cell, value in values.items():
        parts: tuple[Any, ...] = tuple(cell)  # type: ignore[arg-type]
        found.setdefault(parts[:-1], []).append((parts[-1], value))
    if rule.order:
        return {
            cell: [value for wanted in rule.order for place, value in sequence if place == wanted]
            for cell, sequence in found.items()
        }
    return {cell: [value for _, value in sorted(sequence)] for cell, sequence in found.items()}


def _has_trend(rule: Condition, values: list[float]) -> bool:
    if rule.trend in ("lasting", "crossing"):
        so = [_holds(rule, value) for value in values]
        return so[-1] and so == sorted(so) and (rule.trend == "lasting" or not so[0])
    steps = [after - before for before, after in itertools.pairwise(values)]
    return all(step > 0 if rule.trend == "rising" else step < 0 for step in steps)


def _tested(rule: Condition, cell: Any, measured: DataFrame) -> Tested:
    """Return what the test says of left and right in one comparison."""
    metric, columns = cell[0], ["metric", *rule.each]
    here = measured
    for column, value in zip(columns, cell, strict=True):
        if column != "metric":
            here = here[here[column] == value]
    sides = [
        comparisons.selected([metric], side.where, here, columns) for side in filter(None, (rule.left, rule.right))
    ]
    return _wins_tested(rule, sides, here, metric) if rule.test == "wins" else _seeds_tested(rule, sides)


def _seeds_tested(rule: Condition, sides: Sequence[DataFrame]) -> Tested:
    left, right = (rows.groupby("seed")["value"].mean().tolist() for rows in sides)
    if min(len(left), len(right)) < FEWEST_SEEDS:
        return Tested(obstacle=f"a test over seeds needs {FEWEST_SEEDS} a side, here {len(left)} and {len(right)}")
    p_value = welch_p_value(left, right)
    return Tested(p_value is not None and p_value < rule.alpha)


def _wins_tested(rule: Condition, sides: Sequence[DataFrame], here: DataFrame, metric: str) -> Tested:
    """Return whether, of the sentences that one of the two won, left wins more than chance would have it.

    One-sided, as the claim is: so all marks of S-BPE's Table 6 come out as printed (`papers.people.answers`).
    """
    names = (metric.replace("wins_", "answers_"), "evaluated_sentences")  # ours by question; a paper prints one number
    counts = [float(value) for name in names for value in here[here["metric"] == name]["value"].dropna()]
    if not counts:
        return Tested(obstacle="the number of judged sentences is not known")
    left, right = (round(rows["value"].iloc[0] * counts[0]) for rows in sides)
    return Tested(exact_one_sided(right, left) < rule.alpha)


def _first_few(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")


def _cell_name(cell: Any) -> str:
    return " ".join(str(part) for part in (cell if isinstance(cell, tuple) else (cell,)) if str(part))
