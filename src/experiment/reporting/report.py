"""The report: one HTML file with tables, figures, sample translations and provenance, which needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from experiment.jsonfiles import read_json, read_json_lines
from experiment.manifest import Manifest
from experiment.reporting.drawing import save_figure
from experiment.reporting.figures import (
    WordClasses,
    draw_algorithms,
    draw_curves,
    draw_histograms,
    draw_scores,
    draw_sweep,
    draw_words,
)
from experiment.reporting.pages import TEMPLATES, Picture, Section, inline_svg, page
from experiment.reporting.samples import choose_samples
from experiment.reporting.tables import Block, blocks
from experiment.runs import Run
from experiment.scoring.metrics import bleu_tokenizers
from experiment.scoring.piece_statistics import PieceStatistics
from experiment.scoring.scorebook import Row
from experiment.yamlfiles import read_mapping

SAMPLES = 5


def render_report(manifest: Manifest, rows: Sequence[Row], figures: Path) -> str:
    """Return the report's HTML, and save its figures in the folder `figures`."""
    runs = manifest.runs
    sections = [_section(number, block, runs, rows, figures) for number, block in enumerate(blocks(rows), 1)]
    seeds, systems = sorted({run.seed for run in runs}), len({run.segmentation for run in runs})
    facts = [f"{systems} segmentation{'s' * (systems > 1)}", f"{len(runs)} run{'s' * (len(runs) > 1)}"]
    facts += [f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}", f"baseline {', '.join(manifest.baselines)}"]
    return page(
        manifest.title,
        facts,
        sections,
        description=manifest.description,
        corpora=manifest.corpora,
        signatures=signatures(rows),
        provenance=provenance(runs),
        commands=manifest.commands,
        checks=_checks(manifest, rows),
        folded_title="All parameters",
        folded_text=json.dumps(manifest.parameters, ensure_ascii=False, indent=2) if manifest.parameters else "",
        script=(TEMPLATES / "report.js").read_text(encoding="utf-8"),
    )


def _section(number: int, block: Block, all_runs: Sequence[Run], all_rows: Sequence[Row], figures: Path) -> Section:
    key = (block.corpus, block.direction, block.model)
    runs = [run for run in all_runs if run.block == key]
    rows = [row for row in all_rows if (row["corpus"], row["direction"], row["model"]) == key]
    name = re.sub(r"[^A-Za-z0-9.-]", "_", "_".join(key))
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        by_name.setdefault(run.segmentation, []).append(run)
    single = all(len(group) == 1 for group in by_name.values())
    errors = "95% bootstrap intervals of the test set" if single else "95% t intervals over seeds, small dots the seeds"
    flops = {(row["segmentation"], row["seed"]): row["training_flops"] for row in rows}
    curves = {
        label: [(read_json_lines(run.log), flops.get((label, run.seed))) for run in group if run.log]
        for label, group in by_name.items()
    }
    testsets = list(dict.fromkeys(name for run in runs for name in run.testsets))
    statistics = {label: PieceStatistics.read(group[0].stats_json, block.direction) for label, group in by_name.items()}
    captions = read_mapping(TEMPLATES / "captions.yaml", next_step="restore it")
    drawn = {"scores": draw_scores(rows), "sweep": draw_sweep(rows)}
    drawn["algorithms"] = draw_algorithms(rows, rows[0]["testset"], rows[0]["metric"])
    drawn["curves"] = draw_curves(curves)
    drawn |= {f"words.{testset}": draw_words(_words(by_name, testset)) for testset in testsets}
    drawn["pieces"] = draw_histograms(statistics)
    pictures: list[Picture] = []
    for name_of_figure, figure in drawn.items():
        if figure is not None:
            kind, _, testset = name_of_figure.partition(".")
            title, text = (words.format(errors=errors, testset=testset) for words in captions[kind].values())
            file = re.sub(r"[^A-Za-z0-9.-]", "_", f"{name}.{name_of_figure}.svg")
            prefix = f"s{number}-{len(pictures)}-"
            svg = inline_svg(save_figure(figure, figures / file), prefix, f"{title}: {block.name}")
            pictures.append(Picture(svg, title, text, f"{figures.name}/{file}"))
    seed = min(set.intersection(*({run.seed for run in group} for group in by_name.values())), default=runs[0].seed)
    shown = [run for run in runs if run.seed == seed]
    samples = {testset: choose_samples(shown, testset, SAMPLES) for testset in testsets}
    source, _, target = block.direction.partition("-")
    return Section(
        f"block-{number}",
        block.name,
        tables=block.tables,
        pictures=pictures,
        signatures=block.signatures,
        samples=samples,
        seed=seed,
        source=source,
        target=target,
    )


def _words(by_name: Mapping[str, Sequence[Run]], testset: str) -> dict[str, list[WordClasses]]:
    """Return the F1 of words by frequency that the runs' scores hold: segmentation -> one for each seed."""
    found = {}
    for label, runs in by_name.items():
        scores = [read_json(run.testsets[testset].scores) for run in runs if testset in run.testsets]
        found[label] = [each["words_by_frequency"] for each in scores if each.get("words_by_frequency")]
    return {label: values for label, values in found.items() if values}


def provenance(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """Return what the runs say about where they were made: each value that occurs."""
    found: dict[str, set[str]] = {}
    for run in runs:
        record = read_json(run.run_json)
        git = record.get("git") or {}
        commit = git.get("commit") and git["commit"] + (" (with changes)" if git.get("dirty") else "")
        facts = {"git commit": commit, "device": record.get("device"), **(record.get("versions") or {})}
        for name, value in facts.items():
            if value:
                found.setdefault(name, set()).add(str(value))
    return [(name, ", ".join(sorted(values))) for name, values in found.items()]


def signatures(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return each metric with each signature of its scores and of its tests, and each segmentation with its own."""
    found: dict[tuple[str, str], None] = {}
    for row in rows:
        found[row["metric"], row["signature"]] = None
        if row["test"]:
            found[f"{row['metric']}, test", row["test"]] = None
        if row["segmentation_signature"]:
            found[f"segmentation {row['segmentation']}", row["segmentation_signature"]] = None
    return sorted(found)


def _checks(manifest: Manifest, rows: Iterable[Row]) -> list[str]:
    """Return commands that recompute scores of the baseline with sacrebleu's own command line."""
    import shlex

    tokenizers = {row["direction"]: _tokenizer(row["signature"]) for row in rows if row["metric"] == "bleu"}
    commands: dict[str, None] = {}
    seen = set()
    for run in manifest.runs:
        for name, files in run.testsets.items():
            if run.segmentation not in manifest.baselines or (run.block, name) in seen:
                continue
            seen.add((run.block, name))
            if files.reference and files.hypothesis:
                base = f"sacrebleu {shlex.quote(files.reference)} -i {shlex.quote(files.hypothesis)}"
                if plain := [metric for metric in manifest.metrics if metric in ("bleu", "chrf", "ter")]:
                    commands[f"{base} -m {' '.join(plain)} -w 2{tokenizers.get(run.direction, '')}"] = None
                if "chrf++" in manifest.metrics:
                    commands[f"{base} -m chrf --chrf-word-order 2 -w 2"] = None
    return list(commands)


def _tokenizer(signature: str) -> str:
    """Return the option for the tokenizer that a BLEU signature names; nothing for the default."""
    named = re.search(r"tok:([^|]+)", signature)
    known = [name for name in bleu_tokenizers() if named and (named[1] == name or named[1].startswith(f"{name}-"))]
    return f" -tok {known[0]}" if known and known[0] != "13a" else ""
