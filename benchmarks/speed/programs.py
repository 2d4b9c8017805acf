"""The programs that are measured, ours and the peers."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from .texts import MeasuredText

OURS = [sys.executable, "-m", "subwords"]
PEERS = [sys.executable, str(Path(__file__).with_name("peers.py"))]
SUBWORD_NMT = str(Path(sys.executable).with_name("subword-nmt"))
STEPS = ("learn", "encode", "decode")


@dataclass(frozen=True)
class Program:
    """A segmentation program: how to learn, encode and decode with it."""

    name: str
    algorithm: str  # the registry's name, or the peer's
    ours: bool = True
    sized: bool = True
    options: tuple[str, ...] = ()
    threads: int = 1
    growth: bool = False  # is part of the growth curve
    most_words: float = math.inf  # of a generated text that it is given

    def learn(self, text: MeasuredText, size: int, model: Path) -> list[str]:
        """Return the command that learns a model of `size` from the text."""
        source, target, threads = str(text.path), str(model), str(self.threads)
        if self.ours:
            sized = ["--size", str(size)] if self.sized else []
            rest = [*self.options, "--threads", threads, "--model", target, source]
            return [*OURS, "learn", self.algorithm, *sized, *rest]
        if self.algorithm == "subword-nmt":
            return [SUBWORD_NMT, "learn-bpe", "-s", str(size), "--num-workers", threads, "-i", source, "-o", target]
        if self.algorithm == "tokenizers":
            size += text.letters + 1
        return [*PEERS, "learn", self.algorithm, threads, str(size), target, source]

    def apply(self, step: str, source: Path, model: Path, output: Path) -> list[str]:
        """Return the command that encodes a text or decodes pieces. subword-nmt's own advice is to decode by sed."""
        files, threads = [str(model), str(source), str(output)], str(self.threads)
        if self.ours:
            named = chain.from_iterable(zip(("--model", "-i", "-o"), files, strict=True))
            return [*OURS, step, self.algorithm, *(["--threads", threads] if step == "encode" else []), *named]
        if self.algorithm != "subword-nmt":
            return [*PEERS, step, self.algorithm, threads, *files]
        if step == "decode":
            return ["sed", "-r", "s/(@@ )|(@@ ?$)//g", str(source)]
        named = chain.from_iterable(zip(("-c", "-i", "-o"), files, strict=True))
        return [SUBWORD_NMT, "apply-bpe", "--num-workers", threads, *named]


#: What the others are compared with.
BASELINES = ("subword-nmt", "sentencepiece bpe")
PROGRAMS = [
    Program("subword-nmt", "subword-nmt", ours=False, growth=True, most_words=2e7),
    Program("tokenizers bpe", "tokenizers", ours=False, growth=True),
    Program("sentencepiece bpe", "sentencepiece-bpe", ours=False, growth=True),
    Program("sentencepiece unigram", "sentencepiece-unigram", ours=False),
    Program("subword-nmt, 2 processes", "subword-nmt", ours=False, threads=2),
    Program("tokenizers bpe, 2 threads", "tokenizers", ours=False, threads=2),
    Program("sentencepiece bpe, 2 threads", "sentencepiece-bpe", ours=False, threads=2),
    *(Program(name, name, growth=True) for name in ("bpe", "sbpe", "random-bpe", "hft", "huffman")),
    Program("volt", "volt", sized=False, options=("--set", "candidates=10000"), growth=True),
    *(Program(f"{name}, 2 threads", name, threads=2) for name in ("bpe", "hft")),
    *(Program(name, name) for name in ("unigram", "spm-bpe", "wordpiece", "word")),
    *(Program(name, name, sized=False) for name in ("muv", "char")),
]
