"""The programs that are measured, ours and the peers, and what is to be reached."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

from .texts import Text

PEERS = Path(__file__).with_name("peers.py")
SUBWORD_NMT = Path(sys.executable).with_name("subword-nmt")
BASELINE = "subword-nmt"

#: Of the CPU time that subword-nmt's apply-bpe takes on the same text.
ENCODE_TARGET = 0.15


@dataclass(frozen=True)
class Program:
    """A segmentation program: how to learn and encode with it."""

    name: str
    algorithm: str  # the registry's name, or the peer's
    ours: bool = True
    sized: bool = True
    options: tuple[str, ...] = ()
    learn_target: float | None = None  # of the CPU time that subword-nmt's learn-bpe takes
    growth: bool = False  # is part of the growth curve
    most_words: float = math.inf  # of a generated text that it is given

    def learn(self, text: Text, size: int, model: Path) -> list[str]:
        """Return the command that learns a model of `size` from the text."""
        source, target = str(text.path), str(model)
        if self.ours:
            sized = ["--size", str(size)] if self.sized else []
            return [*_OURS, "learn", self.algorithm, *sized, *self.options, "--model", target, source]
        if self.name == BASELINE:
            return [str(SUBWORD_NMT), "learn-bpe", "-s", str(size), "-i", source, "-o", target]
        if self.algorithm == "tokenizers":
            size += text.letters + 1
        return [sys.executable, str(PEERS), "learn", self.algorithm, str(size), target, source]

    def encode(self, text: Text, model: Path, output: Path) -> list[str]:
        """Return the command that encodes the text."""
        source, target = str(text.path), str(output)
        if self.ours:
            return [*_OURS, "encode", self.algorithm, "--model", str(model), "--input", source, "--output", target]
        if self.name == BASELINE:
            return [str(SUBWORD_NMT), "apply-bpe", "-c", str(model), "-i", source, "-o", target]
        return [sys.executable, str(PEERS), "encode", self.algorithm, str(model), source, target]


_OURS = [sys.executable, "-m", "subwords"]

PROGRAMS = [
    Program(BASELINE, "bpe", ours=False, growth=True, most_words=2e7),
    Program("tokenizers bpe", "tokenizers", ours=False, growth=True),
    Program("sentencepiece bpe", "sentencepiece-bpe", ours=False),
    Program("sentencepiece unigram", "sentencepiece-unigram", ours=False),
    Program("bpe", "bpe", learn_target=0.05, growth=True),
    Program("sbpe", "sbpe", learn_target=0.08, growth=True),
    Program("random-bpe", "random-bpe", learn_target=0.10, growth=True),
    Program("hft", "hft", learn_target=0.20, growth=True),
    Program("huffman", "huffman", learn_target=0.05, growth=True),
    Program("volt", "volt", sized=False, options=("--set", "candidates=10000"), learn_target=0.15, growth=True),
    Program("muv", "muv", sized=False),
    Program("unigram", "unigram"),
    Program("spm-bpe", "spm-bpe"),
    Program("wordpiece", "wordpiece"),
    Program("word", "word"),
    Program("char", "char", sized=False),
]
