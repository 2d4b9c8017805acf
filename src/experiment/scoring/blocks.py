"""The systems of one corpus, direction and model on one test set: each against its baseline, and between its bounds.

Every run has a paired test against the baseline's run with the same seed; every system has one answer over all seeds.
A system that does not clearly beat the copied source has learned nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from experiment.jsonfiles import read_json
from experiment.manifest import Manifest
from experiment.runs import Run
from experiment.scoring.comparison import LEARNED_NOTHING, NO_BASELINE, compare, have_learned
from experiment.scoring.metrics import METRICS, read_parallel
from experiment.scoring.sentence_statistics import SentenceStatistics, mean_statistics
from experiment.scoring.significance import ALPHA, DEFAULTS, Outcome, count_sentences, outcomes, test_signature
from subwords.errors import InputError, check_known

#: Segmentation and seed -> what belongs to the run.
ByRun = dict[tuple[str, int], Any]
COPY = "copied source"
#: Column -> field of the comparison of a system, the same for all its seeds.
OF_SYSTEM = {"effect": "effect", "effect_low": "low", "effect_high": "high", "effect_p": "p_value"}
OF_SYSTEM |= {"effect_p_holm": "p_holm", "over_seeds": "over_seeds", "verdict": "verdict"}


def compare_block(manifest: Manifest, runs: Sequence[Run], testset: str) -> dict[tuple[str, int, str], dict[str, Any]]:
    """Return (segmentation, seed, metric) -> the columns of scores.csv that comparing the runs of a block fills.

    Systems whose baseline is not among the runs have their intervals and bounds, and are compared with nothing. Nothing
    where no system has a baseline anywhere, or where translations are not listed. Raises InputError where a baseline
    lacks a seed, or where texts or COMET models do not belong together.
    """
    files = {(run.segmentation, run.seed): run.testsets[testset] for run in runs}
    names = {name: manifest.baseline_of(name) for name, _ in files}
    against = {name: other for name, other in names.items() if other in names}
    reference, source = (getattr(runs[0].testsets[testset], text) for text in ("reference", "source"))
    if manifest.against == {} or not reference or not all(each.hypothesis for each in files.values()):
        return {}
    _check_baselines(files, against)
    given = manifest.parameters.get("significance", {})
    check_known("key of significance", given, [*DEFAULTS, "margin"])
    options = DEFAULTS | given
    margins = options.pop("margin", {})
    bounds = {COPY: source} if source else {}
    for (name, _), each in files.items():
        if each.round_trip:
            bounds.setdefault(name, each.round_trip)  # where it is learned for each seed, the first seed's
    references, *texts = read_parallel(reference, *(str(each.hypothesis) for each in files.values()), *bounds.values())
    lines = dict(zip([*files, *bounds], texts, strict=True))

    @cache
    def counted(metric: str) -> tuple[str, Mapping[Any, SentenceStatistics]]:
        if metric == "comet":
            return _comet_segments({run: each.comet for run, each in files.items()})
        return count_sentences(metric, lines, references, target=runs[0].target)

    learned = {}
    if source:
        _, found = counted("bleu")
        learned = have_learned(_by_system({run: found[run] for run in files}), found[COPY], samples=options["samples"])
    columns: dict[tuple[str, int, str], dict[str, Any]] = {}
    for metric in manifest.metrics:
        signature, found = counted(metric)
        statistics, kind = {run: found[run] for run in files}, METRICS[metric]
        margin = margins.get(metric, kind.margin)
        compared = compare(
            _by_system(statistics), against, margin=margin, higher_is_better=kind.higher_is_better, **options
        )
        for (name, seed), outcome in _of_each_seed(statistics, against, options).items():
            columns[name, seed, metric] = {
                "baseline": against.get(name, name if name in against.values() else None),
                "test": test_signature(signature, **options),
                "score": outcome.score,
                "ci95": outcome.ci95,
                "p_value": outcome.p_value,
                "significant": None if outcome.p_value is None else outcome.p_value < ALPHA,
                **{column: getattr(compared.get(name), field, None) for column, field in OF_SYSTEM.items()},
                **({"verdict": NO_BASELINE} if learned.get(against.get(name, "")) is False else {}),
                **({"verdict": LEARNED_NOTHING} if learned.get(name) is False else {}),
                "margin": margin,
                "copied_source": found[COPY].score if COPY in found else None,
                "round_trip": found[name].score if name in found else None,
            }
    return columns


def _check_baselines(runs: ByRun, against: Mapping[str, str]) -> None:
    for name, other in against.items():
        if other in against:
            raise InputError(f"{name} is compared with {other}: a baseline cannot have a baseline")
    for name, seed in runs:
        if name in against and (against[name], seed) not in runs:
            raise InputError(
                f"the baseline {against[name]} has no output for seed {seed}",
                allowed="the same seeds for the baseline as for the systems compared with it",
                next_step="run the baseline with these seeds",
            )


def _comet_segments(files: Mapping[tuple[str, int], str | None]) -> tuple[str, Mapping[Any, SentenceStatistics]]:
    """Return COMET's signature and its segment scores of each run."""
    if not all(files.values()):
        raise InputError("metric comet without COMET files", next_step="score with scripts/score_comet.py first")
    contents = {run: read_json(str(path)) for run, path in files.items()}
    signatures = {content["signature"] for content in contents.values()}
    if len(signatures) > 1:
        raise InputError(
            f"COMET scores of different models or versions: {', '.join(sorted(signatures))}",
            next_step="score all systems again with one model",
        )
    return signatures.pop(), {run: mean_statistics(content["segments"]) for run, content in contents.items()}


def _by_system(runs: ByRun) -> dict[str, list[SentenceStatistics]]:
    """Return segmentation -> its runs, by seed."""
    found: dict[str, list[SentenceStatistics]] = {}
    for name, seed in sorted(runs, key=lambda run: run[1]):
        found.setdefault(name, []).append(runs[name, seed])
    return found


def _of_each_seed(
    runs: ByRun, against: Mapping[str, str], options: Mapping[str, Any]
) -> dict[tuple[str, int], Outcome]:
    """Return the paired test of every run against its baseline's run with the same seed; baselines have no p-value."""
    found: dict[tuple[str, int], Outcome] = {}
    for baseline, seed in (run for run in runs if run[0] not in against):
        group = [baseline, *(name for name, other in against.items() if other == baseline and (name, seed) in runs)]
        tested = outcomes({name: runs[name, seed] for name in group}, **options)
        found |= {(name, seed): outcome for name, outcome in tested.items()}
    return found
