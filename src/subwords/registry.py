"""Algorithms by name. To add one: a module with a Segmenter subclass, a line here, a test."""

from __future__ import annotations

from importlib import import_module

from subwords.errors import unknown
from subwords.segmenter import Segmenter

#: name -> "module:class"; modules are imported only when asked for.
ALGORITHMS: dict[str, str] = {
    "bpe": "subwords.bpe:BPE",
    "spm-bpe": "subwords.sentencepieces:SentencePieceBPE",
    "unigram": "subwords.sentencepieces:Unigram",
    "wordpiece": "subwords.wordpiece:WordPiece",
    "char": "subwords.char:Characters",
    "word": "subwords.word:Words",
    "huffman": "subwords.huffman:Huffman",
    "sbpe": "subwords.sbpe:SBPE",
    "hft": "subwords.hft.model:HFT",
    "volt": "subwords.volt:Volt",
    "muv": "subwords.volt:Muv",
    "random-bpe": "subwords.random_bpe:RandomBPE",
}


def names() -> list[str]:
    """Return the names of all algorithms, in the order in which tables show them."""
    return list(ALGORITHMS)


def find(name: str) -> type[Segmenter]:
    """Return the class of an algorithm. Raises InputError, naming the choices, when there is none of that name."""
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS, next_step="subwords list")
    module, _, cls = ALGORITHMS[name].partition(":")
    found: type[Segmenter] = getattr(import_module(module), cls)
    return found
