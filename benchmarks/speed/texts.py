"""The texts that are read: real ones from a mirror of the corpora, generated ones where there is none."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: A small text, and a large one of many languages and scripts, by what their files are called in a mirror.
SMALL = ["loresmt-2021/*/data/en_ga/train.en"]
LARGE = [
    *(f"hftoks-eval/*/data/{language}/train/train.{language}" for language in ("am", "en", "ga", "hi", "lt", "ojb")),
    "loresmt-2021/*/data/en_ga/train.en",
    "loresmt-2021/*/data/en_mr/train.mr",
    "dataset/*/data/task1/raw/train.en.gz",
    "dataset/*/data/task1/raw/train.de.gz",
]
GENERATED_WORDS = {"small": 130_000, "large": 2_800_000}


@dataclass(frozen=True)
class MeasuredText:
    """A text file and what is in it."""

    name: str
    path: Path
    words: int
    types: int
    letters: int  # of tokenizers' alphabet: characters, and characters that end a word

    def __str__(self) -> str:
        megabytes = self.path.stat().st_size / 1e6
        return f"{self.name}: {self.words:,} words, {self.types:,} types, {megabytes:,.1f} MB"


def default_mirror() -> Path | None:
    """Return the mirror of the environment variable CORPUS_MIRROR, or one beside the repository, or None."""
    given = os.environ.get("CORPUS_MIRROR")
    beside = ROOT.parent / "shared" / "mirror"
    return Path(given) if given else beside if beside.is_dir() else None


def prepare(kind: str, mirror: Path | None, folder: Path) -> MeasuredText:
    """Return the "small" or "large" text, from the mirror where it has all the files."""
    parts = find(SMALL if kind == "small" else LARGE, mirror) if mirror else []
    if not parts:
        return generate(GENERATED_WORDS[kind], folder)
    path = folder / f"{kind}.txt"
    with path.open("wb") as sink:
        for part in parts:
            with gzip.open(part) if part.suffix == ".gz" else part.open("rb") as source:
                for line in source:  # one form for all programs, which differ in what else ends a line or a word
                    sink.write(" ".join(line.decode("utf-8").split()).encode("utf-8") + b"\n")
    return describe("LoResMT 2021 en-ga, English" if kind == "small" else "corpora of seven languages, joined", path)


def find(patterns: Sequence[str], mirror: Path) -> list[Path]:
    """Return one file of the mirror for each pattern, or no file at all when one is missing."""
    found = [sorted(mirror.glob(f"**/{pattern}")) for pattern in patterns]
    return [files[0] for files in found] if all(found) else []


def generate(words: int, folder: Path) -> MeasuredText:
    """Return a generated text of so many words."""
    path = folder / f"zipf.{words}.txt"
    with path.open("wb") as sink:
        subprocess.run(generator(words), stdout=sink, check=True)
    return describe(f"generated, {words / 1e6:g} M words", path)


def generator(words: int) -> list[str]:
    """Return the command that writes a generated text to its standard output."""
    return [sys.executable, str(Path(__file__).with_name("zipf.py")), str(words)]


def describe(name: str, path: Path) -> MeasuredText:
    """Return the text with its numbers of words and types."""
    counts: Counter[bytes] = Counter()
    with path.open("rb") as stream:
        while lines := stream.readlines(1 << 20):
            counts.update(b"".join(lines).split())
    types = [word.decode("utf-8") for word in counts]
    letters = set().union(*types)
    return MeasuredText(name, path, counts.total(), len(types), len(letters) + len({word[-1] for word in types}))
