"""Random texts and bytes through everything that is compiled: python fuzz_core.py SEED ROUNDS.

Run under sanitizers by test_sanitizers.py. What comes back is checked; what is wrong with memory, the sanitizers see.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from subwords import registry
from subwords.core.pieces import MergeSplitter, PieceTable
from subwords.core.words import WordTable
from subwords.errors import InputError
from subwords.hft.pretokenization import detokenize, pretokenize
from subwords.threads import use
from subwords.transport import transport

ALPHABETS = ["ab", "abcdé日", "aAbB¦▁𐋇é9-.", "xyz\u00a0\u2028\u3000\u0301क्ष\U0010ffff\0\r"]
JOBS = [
    *(("bpe", {"min_frequency": least}) for least in (1, 2)),
    ("sbpe", {}),
    *(("random-bpe", {"sampling": law}) for law in ("softmax", "uniform", "proportional")),
    *(("hft", {"variant": variant}) for variant in ("paper", "reference", "published")),
    ("huffman", {}),
    ("muv", {"interval": 10, "maximum": 50}),
]


def fuzz(seed: int, rounds: int) -> None:
    """Run so many rounds."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            one_round(chance, Path(folder) / "text")


def one_round(chance: random.Random, path: Path) -> None:
    alphabet = chance.choice(ALPHABETS)

    def word() -> str:
        return "".join(chance.choices(alphabet, k=chance.choice([1, 2, 3, 7, 8, 9, 16, 17, 300])))

    lines = [" ".join(word() for _ in range(chance.randint(0, 12))) for _ in range(40)]
    path.write_text("\n".join(lines) + chance.choice(["", "\n"]), encoding="utf-8", newline="\n")
    for name, options in JOBS:
        try:
            model = registry.find(name).learn([path], chance.choice([5, 20, 60, 300]), **options)
        except InputError:
            continue
        assert registry.find(name).learn is not None
        sink = io.BytesIO()
        with use(chance.choice([1, 2])):
            model.encode_stream(io.BytesIO(path.read_bytes()), sink)
        assert sink.getvalue().count(b"\n") == path.read_bytes().rstrip(b"\n").count(b"\n") + 1 or not lines[-1]
        if name in ("bpe", "sbpe", "random-bpe"):
            for line in lines:
                words = " ".join(part for part in line.strip(" \r").split(" ") if part)
                assert model.decode(model.encode(line)) == words, line
    garbage = chance.randbytes(chance.randint(0, 200))
    splitter = MergeSplitter([("a", "b"), ("ab", "c</w>"), ("\ud800", "a")])
    for block in (garbage, b"a " + garbage + b"\nab\n"):
        try:
            PieceTable(splitter).encode(block)
            WordTable().read(block, 0)
        except (UnicodeDecodeError, ValueError):
            pass
    splitter.segment_words([word() for _ in range(20)] + ["", "\udfff"])
    for line in pretokenize([line.replace("\r", "") for line in lines]):
        detokenize(line)
    m, n = chance.randint(1, 9), chance.randint(1, 9)
    rows = np.array([*range(m), *(chance.randrange(m) for _ in range(n))])
    columns = np.array([*(chance.randrange(n) for _ in range(m)), *range(n)])
    transport(rows, columns, np.ones(m + n), np.full(m, 1 / m), np.full(n, 1 / n), epsilon=0.05, limit=200)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    fuzz(int(sys.argv[1]), int(sys.argv[2]))
