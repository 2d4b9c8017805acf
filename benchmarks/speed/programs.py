"""The programs that are measured, ours and the peers, and what is to be reached."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from .texts import MeasuredText

PEERS = Path(__file__).with_name("peers.py")
SUBWORD_NMT = Path(sys.executable).with_name("subword-nmt")
BASELINE = "subword-nmt"

SENTENCEPIECE = "sentencepiece bpe"
STEPS = ("learn", "encode", "decode")

#: Of the CPU time that subword-nmt's apply-bpe takes on the same text.
ENCODE_TARGET = 0.05
#: Of sentencepiece's bpe, for what learns merges.
MERGES_TARGET = 0.35


@dataclass(frozen=True)
class Program:
    """A segmentation program: how to learn, encode and decode with it."""

    name: str
    algorithm: str  # the registry's name, or the peer's
    ours: bool = True
    sized: bool = True
    options: tuple[str, ...] = ()
    threads: int = 1
    targets: Mapping[str, float] = field(default_factory=dict)  # step -> share of subword-nmt's CPU time
    costs: Mapping[str, str] = field(default_factory=dict)  # step -> what takes time and memory, said where it misses
    merges: bool = False  # is to be compared with sentencepiece's bpe, too
    growth: bool = False  # is part of the growth curve
    most_words: float = math.inf  # of a generated text that it is given

    def learn(self, text: MeasuredText, size: int, model: Path) -> list[str]:
        """Return the command that learns a model of `size` from the text."""
        source, target = str(text.path), str(model)
        if self.ours:
            sized = ["--size", str(size)] if self.sized else []
            threads = ["--threads", str(self.threads)]
            return [*_OURS, "learn", self.algorithm, *sized, *self.options, *threads, "--model", target, source]
        if self.algorithm == "subword-nmt":
            processes = ["--num-workers", str(self.threads)]
            return [str(SUBWORD_NMT), "learn-bpe", "-s", str(size), *processes, "-i", source, "-o", target]
        if self.algorithm == "tokenizers":
            size += text.letters + 1
        return [sys.executable, str(PEERS), "learn", self.algorithm, str(self.threads), str(size), target, source]

    def apply(self, step: str, source: Path, model: Path, output: Path) -> list[str]:
        """Return the command that encodes a text or decodes pieces. subword-nmt's own advice is to decode by sed."""
        files = [str(model), str(source), str(output)]
        if self.ours:
            threads = ["--threads", str(self.threads)] if step == "encode" else []
            named = zip(("--model", "-i", "-o"), files, strict=True)
            return [*_OURS, step, self.algorithm, *threads, *chain.from_iterable(named)]
        if self.algorithm != "subword-nmt":
            return [sys.executable, str(PEERS), step, self.algorithm, str(self.threads), *files]
        if step == "decode":
            return ["sed", "-r", "s/(@@ )|(@@ ?$)//g", str(source)]
        named = zip(("-c", "-i", "-o"), files, strict=True)
        return [str(SUBWORD_NMT), "apply-bpe", "--num-workers", str(self.threads), *chain.from_iterable(named)]


_OURS = [sys.executable, "-m", "subwords"]
_TYPES = "each of the text's types is segmented once: the merges of a word, its look-ups, its copy into the table"
_MERGES: dict[str, Any] = {
    "targets": {"learn": 0.015, "encode": ENCODE_TARGET},
    "costs": {"learn": "merges at all places of the text's types, whose memory is far apart", "encode": _TYPES},
    "merges": True,
    "growth": True,
}
_SBPE = "bounds of gains, renewed as the counts of symbols fall, besides the merges that bpe makes"
_RANDOM = "a draw for each merge, and sums of weights that follow the count of each pair that it changes"

PROGRAMS = [
    Program(BASELINE, "subword-nmt", ours=False, growth=True, most_words=2e7),
    Program("tokenizers bpe", "tokenizers", ours=False, growth=True),
    Program(SENTENCEPIECE, "sentencepiece-bpe", ours=False, growth=True),
    Program("sentencepiece unigram", "sentencepiece-unigram", ours=False),
    Program("subword-nmt, 2 processes", "subword-nmt", ours=False, threads=2),
    Program("tokenizers bpe, 2 threads", "tokenizers", ours=False, threads=2),
    Program("sentencepiece bpe, 2 threads", "sentencepiece-bpe", ours=False, threads=2),
    Program("bpe", "bpe", **_MERGES),
    Program("bpe, 2 threads", "bpe", threads=2),
    Program("sbpe", "sbpe", **_MERGES | {"costs": {"learn": _SBPE, "encode": _TYPES}}),
    Program("random-bpe", "random-bpe", **_MERGES | {"costs": {"learn": _RANDOM, "encode": _TYPES}}),
    Program(
        "hft",
        "hft",
        targets={"learn": 0.035, "encode": ENCODE_TARGET},
        costs={
            "learn": "some 30 passes over the types, each as long as a third of them (common beginnings are shared)",
            "encode": "HFT's own pretokenization, six passes over the text's characters, is a third of it",
        },
        growth=True,
    ),
    Program("hft, 2 threads", "hft", threads=2),
    Program(
        "huffman",
        "huffman",
        targets={"learn": 0.012, "encode": ENCODE_TARGET},
        costs={
            "learn": "the codes of all types are Python strings",
            "encode": "the published model is one JSON object with all words; reading it is two thirds of the time",
        },
        growth=True,
    ),
    Program(
        "volt",
        "volt",
        sized=False,
        options=("--set", "candidates=10000"),
        targets={"learn": 0.025, "encode": ENCODE_TARGET},
        costs={
            "learn": "up to 4,000 rounds of scaling for each of ten sizes, beside merges; fewer are another result",
            "encode": _TYPES,
        },
        growth=True,
    ),
    Program("muv", "muv", sized=False, targets={"encode": ENCODE_TARGET}, costs={"encode": _TYPES}),
    Program("unigram", "unigram"),
    Program("spm-bpe", "spm-bpe"),
    Program("wordpiece", "wordpiece"),
    Program("word", "word"),
    Program("char", "char", sized=False),
]
