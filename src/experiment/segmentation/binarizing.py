"""Pieces as fairseq's training reads them: dictionaries, and numbers in memory-mapped files.

The files are those of `fairseq-preprocess` 0.12.2, byte for byte. They are written here because importing fairseq and
torch takes longer than the work itself for small corpora.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from experiment.segmentation.segmenting import draws_of
from subwords.errors import InputError
from subwords.frequencies import by_frequency

#: fairseq's numbers of its own symbols; a piece that is written like one has its number.
SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
END, UNKNOWN = SPECIAL["</s>"], SPECIAL["<unk>"]
#: A dictionary is filled up to a multiple of this, which matrix products on GPUs like.
PADDING = 8
#: Above this many entries, numbers take four bytes (`best_fitting_int_dtype` of fairseq).
LARGEST_OF_TWO_BYTES = 65_500


def binarize(folder: Path, pair: str, joint: bool, draws: int = 1) -> None:
    """Write FOLDER/binarized: dictionaries from the train side, and train and dev as numbers.

    Further draws of train are in binarized/2, ...; the dictionaries have the pieces of all draws.
    """
    languages = pair.split("-")
    trains = {language: draws_of(folder / f"train.{language}", draws) for language in languages}
    counts = {
        language: Counter(piece for file in files for line in _lines(file) for piece in line)
        for language, files in trains.items()
    }
    if joint:
        counts = dict.fromkeys(languages, sum(counts.values(), Counter[str]()))
    for draw in range(1, draws + 1):
        place = folder / "binarized" / ("" if draw == 1 else str(draw))
        place.mkdir()
        for language in languages:
            numbers = _write_dictionary(place / f"dict.{language}.txt", counts[language])
            _write_numbers(place / f"train.{pair}.{language}", trains[language][draw - 1], numbers)
            if draw == 1:
                _write_numbers(place / f"valid.{pair}.{language}", folder / f"dev.{language}", numbers)


def _lines(file: Path) -> Iterator[list[str]]:
    """Yield the pieces of each line: fairseq separates them at every kind of space."""
    if not file.is_file() or file.stat().st_size == 0:
        raise InputError(f"{file} is missing or empty", next_step="check the corpus")
    with open(file, encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield line.split()


def _write_dictionary(path: Path, counts: Mapping[str, int]) -> dict[str, int]:
    """Write a dictionary, frequent pieces first, equal ones by code point; return the number of each piece."""
    entries = by_frequency({piece: count for piece, count in counts.items() if piece not in SPECIAL})
    numbers = SPECIAL | {piece: number for number, (piece, _) in enumerate(entries, len(SPECIAL))}
    filler = (f"madeupword{i:04d}" for i in range(len(numbers) + PADDING))
    while len(numbers) % PADDING:
        word = next(filler)
        if word not in numbers:  # the text may have such a piece
            numbers[word] = len(numbers)
            entries.append((word, 0))
    path.write_text("".join(f"{piece} {count}\n" for piece, count in entries), encoding="utf-8")
    return numbers


def _write_numbers(prefix: Path, text: Path, numbers: Mapping[str, int]) -> None:
    """Write PREFIX.bin, the numbers of all sentences, and PREFIX.idx, where each begins (fairseq's MMapIndexedDataset).

    Each sentence ends with the number of </s>.
    """
    kind, code = (np.dtype("<u2"), 8) if len(numbers) < LARGEST_OF_TWO_BYTES else (np.dtype("<u4"), 9)
    lengths = []
    with open(f"{prefix}.bin", "wb") as stream:
        for pieces in _lines(text):
            sentence = [*(numbers.get(piece, UNKNOWN) for piece in pieces), END]
            stream.write(np.array(sentence, dtype=kind).tobytes())
            lengths.append(len(sentence))
    sizes = np.array(lengths, dtype="<i4")
    begins = np.concatenate([[0], np.cumsum(sizes[:-1], dtype=np.int64)]) * kind.itemsize
    with open(f"{prefix}.idx", "wb") as stream:
        stream.write(b"MMIDIDX\x00\x00" + struct.pack("<QBQ", 1, code, len(sizes)))
        stream.write(sizes.tobytes() + begins.astype("<i8").tobytes())
