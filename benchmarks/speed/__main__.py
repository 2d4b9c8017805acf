"""Measure all programs side by side and write a Markdown table.

python -m benchmarks.speed --output results/benchmarks.md                  small, large and generated texts
python -m benchmarks.speed --texts large --programs subword-nmt bpe --output FILE
python -m benchmarks.speed --texts growth --growth 1 10 100 --output FILE  millions of words
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import texts
from .measure import ProcessFailed, Usage, measure
from .programs import PROGRAMS, STEPS, Program
from .table import LEGEND, Measured, as_markdown, machine

#: Seconds of a first run from which on a program is not run again.
HEAVY = 60.0


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=(__doc__ or "").partition("\n")[0])
    names = [program.name for program in PROGRAMS]
    kinds = ["small", "large", "growth"]
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the table, in Markdown")
    parser.add_argument("--mirror", type=Path, metavar="DIR", default=texts.default_mirror(), help="files of corpora")
    parser.add_argument("--texts", nargs="+", choices=kinds, default=kinds)
    parser.add_argument("--programs", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--size", type=int, default=8000, help="merges, pieces or symbols (8000)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of a program, of which the median counts (3)")
    parser.add_argument("--growth", nargs="+", type=float, default=[1, 10], metavar="M", help="million words (1 10)")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="folder for texts and models")
    arguments = parser.parse_args(argv)
    chosen = [program for program in PROGRAMS if program.name in arguments.programs]
    report = ["# Speed and memory", "", machine(), "", LEGEND, ""]
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        for text, programs in _inputs(arguments, chosen, Path(scratch)):
            print(text, file=sys.stderr, flush=True)
            rows = compare(programs, text, arguments, Path(scratch))
            report += [f"## {text}", "", as_markdown(rows), ""]
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text("\n".join(report), encoding="utf-8")
            text.path.unlink()


def _inputs(
    arguments: argparse.Namespace, programs: list[Program], scratch: Path
) -> Iterator[tuple[texts.MeasuredText, list[Program]]]:
    """Yield each text, made when its turn comes, with the programs to run on it."""
    for kind in ("small", "large"):
        if kind in arguments.texts:
            yield texts.prepare(kind, arguments.mirror, scratch), programs
    for millions in arguments.growth if "growth" in arguments.texts else []:
        words = round(millions * 1e6)
        yield texts.generate(words, scratch), [p for p in programs if p.growth and words <= p.most_words]


def compare(
    programs: Sequence[Program], text: texts.MeasuredText, settings: argparse.Namespace, scratch: Path
) -> list[Measured]:
    """Measure all programs round after round, so that a load that comes and goes meets all of them."""
    rows = {(step, program.name): Measured(program, step) for step in STEPS for program in programs}
    for turn in range(settings.repeat):
        for row in rows.values():
            if row.runs and row.runs[0].wall > HEAVY:
                continue
            usage = _run(row.program, row.step, text, settings.size, scratch)
            print(f"  {turn + 1} {row.step} {row.program.name}: {usage}", file=sys.stderr, flush=True)
            row.runs.append(usage)
    for program in programs:
        (scratch / f"{program.name}.pieces").unlink(missing_ok=True)
    return list(rows.values())


def _run(program: Program, step: str, text: texts.MeasuredText, size: int, scratch: Path) -> Usage:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    environment = dict.fromkeys(names, str(program.threads))
    environment["TOKENIZERS_PARALLELISM"] = str(program.threads > 1).lower()
    model, pieces = scratch / f"{program.name}.model", scratch / f"{program.name}.pieces"
    source, output = (text.path, pieces) if step == "encode" else (pieces, scratch / "text")
    command = program.learn(text, size, model) if step == "learn" else program.apply(step, source, model, output)
    return measure(command, environment=environment)


if __name__ == "__main__":
    try:
        main()
    except ProcessFailed as failure:
        sys.exit(f"benchmark: {failure}")
