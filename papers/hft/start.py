"""Where does F95 start? At 500 entries, with one change at a time between "as published" and "corrected".

.venv/bin/python -m papers.hft.start --data DIR --output start.csv

DIR is the folder `data` of edoardosignoroni/hftoks-eval at 546ee60. All counts are those of the paper's definition, and
every tokenizer learns from the text, once. What changes is HFT's variant, the share of the text's characters that
SentencePiece keeps (its default is 0.9995), and whether a piece outside the vocabulary counts (`unknown`: each string
of characters that it does not keep is one more piece, mostly a rare one). No row: the text has more than 500
characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from experiment.programs import program
from subwords import registry
from subwords.errors import InputError
from subwords.files import read_lines

from .figure4 import DEFAULTS
from .frequencies import of_pieces
from .pretokenized import write_measured

COLUMNS = ("corpus", "algorithm", "variant", "coverage", "unknown", "f95")
SIZE = 500


def hft(text: Path) -> Iterator[tuple[object, ...]]:
    """Yield variant, coverage, unknown and F95 of both variants of HFT, which keep all characters."""
    lines = list(read_lines(text))
    for variant in ("published", "paper"):
        pieces = registry.find("hft").learn([text], SIZE, variant=variant).encode_batch(lines)
        yield variant, 1, "count", of_pieces(line.split(" ") if line else [] for line in pieces).f95


def sentencepiece(text: Path, algorithm: str) -> Iterator[tuple[object, ...]]:
    """Yield variant, coverage, unknown and F95 of BPE or unigram."""
    lines = list(read_lines(text))
    for coverage in (1.0, 0.9995):
        model = registry.find(algorithm).learn([text], SIZE, **DEFAULTS | {"character_coverage": coverage})
        entries = set(model.known_pieces())
        pieces = [line.split(" ") if line else [] for line in model.encode_batch(lines)]
        yield "", coverage, "count", of_pieces(pieces).f95
        if coverage < 1:
            known = ([piece for piece in line if piece in entries] for line in pieces)
            yield "", coverage, "do not count", of_pieces(known).f95


def start(data: Path) -> Iterator[tuple[object, ...]]:
    """Yield the rows of each language whose text has at most 500 characters."""
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        text = folder / "train" / f"train.{folder.name}"
        try:
            rows = [("hft", *row) for row in hft(text)]
            rows += [(name, *row) for name in ("spm-bpe", "unigram") for row in sentencepiece(text, name)]
        except InputError:
            continue
        yield from ((f"hftoks-{folder.name}", *row) for row in rows)


@program
def main(argv: list[str] | None = None) -> None:
    write_measured(__doc__, COLUMNS, start, argv)


if __name__ == "__main__":
    raise SystemExit(main())
