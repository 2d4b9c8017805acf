"""What encoding a stream of any length takes: memory, while texts that are never on disk go by.

python -m benchmarks.speed.streaming --output FILE [--words 25 100 250] [--distinct 5 10 20] [--algorithms bpe hft]

One stream follows Zipf's law, the other has no word twice: the worst that can happen to a cache of words.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import texts
from .measure import measure
from .programs import OURS
from .table import machine

LEARNED_WORDS = 1_000_000


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.streaming")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--words", nargs="*", type=float, default=[25, 100, 250], metavar="M", help="million words")
    parser.add_argument("--distinct", nargs="*", type=float, default=[5, 10, 20], metavar="M", help="million words")
    parser.add_argument("--algorithms", nargs="+", default=["bpe", "hft"], metavar="NAME")
    arguments = parser.parse_args(argv)
    report = [machine(), "", "| | stream | million words | CPU, s | peak, MiB |", "| --- | --- | --- | --- | --- |"]
    streams = [("Zipf", millions, texts.generator(round(millions * 1e6))) for millions in arguments.words]
    streams += [("no word twice", millions, ["seq", str(round(millions * 1e6))]) for millions in arguments.distinct]
    one_thread = {"OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        text, model = texts.generate(LEARNED_WORDS, Path(folder)), Path(folder) / "model"
        for algorithm in arguments.algorithms:
            command = [*OURS, "learn", algorithm, "--size", "8000", "--model", model, text.path]
            measure(command, environment=one_thread)
            for name, millions, source in streams:
                usage = measure([*OURS, "encode", algorithm, "--model", model], environment=one_thread, source=source)
                figures = f"{millions:g} | {usage.user:.0f} | {usage.peak / 2**20:.0f}"
                report.append(f"| {algorithm} | {name} | {figures} |")
                print(report[-1], file=sys.stderr, flush=True)
                arguments.output.write_text("\n".join(report) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
