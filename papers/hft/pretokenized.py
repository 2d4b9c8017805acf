"""F95, μ and ν of the authors' BPE and unigram on HFT's words, from the frequencies that they published.

.venv/bin/python -m papers.hft.pretokenized --data DIR --output pretokenized.csv

DIR is the folder `data` of edoardosignoroni/hftoks-eval at 546ee60. Of each model it has the frequencies of the pieces,
and of each language the text, of which lines are counted. `mu` is pieces a line, `marks` those of them that are nothing
but HFT's marks.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from subwords.files import read_lines

from .frequencies import of_ranked_as_published

COLUMNS = ("corpus", "algorithm", "size", "f95", "mu", "marks", "nu")
ALGORITHMS = {"bpe": "spm-bpe", "unigram": "unigram"}
SIZES = ("0.5", "0.75", "1.5", "3.0", "4.0", "6.0", "8.0")  # thousands, as in the names of the files
MARKS = set("▁¦")


def statistics(data: Path) -> Iterator[tuple[object, ...]]:
    """Yield a row for each model that is there."""
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        language = folder.name
        lines = sum(1 for _ in read_lines(folder / "train" / f"train.{language}"))
        for name, algorithm in ALGORITHMS.items():
            for size in SIZES:
                model = f"{language}_{name}_hft_pretok_{size}k"
                path = folder / "tokenizers" / model / f"{model}.freq"
                if not path.exists():
                    continue
                counts: dict[str, int] = ast.literal_eval(path.read_text(encoding="utf-8"))
                f95, nu = of_ranked_as_published(sorted(counts.values(), reverse=True))
                marks = sum(count for piece, count in counts.items() if set(piece) <= MARKS)
                per_line = sum(counts.values()) / lines, marks / lines
                yield f"hftoks-{language}", algorithm, int(1000 * float(size)), f95, *per_line, nu


def write_measured(
    description: str | None,
    columns: Sequence[str],
    measure: Callable[[Path], Iterable[Sequence[object]]],
    argv: list[str] | None,
) -> None:
    """Write as CSV what is measured of the folder `--data`."""
    parser = command_line(description)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(measure(arguments.data))


@program
def main(argv: list[str] | None = None) -> None:
    write_measured(__doc__, COLUMNS, statistics, argv)


if __name__ == "__main__":
    raise SystemExit(main())
