"""Algorithms by name: the library's own, those of installed packages, and classes in a file of one's own.

A package offers an algorithm through an entry point of the group `subwords.algorithms`:

    [project.entry-points."subwords.algorithms"]
    mine = "my_package.mine:Mine"

A file is named with its class, `mine.py:Mine`, and needs no installation (`subwords new mine` writes one).
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from subwords.description import FILE_MODULE, digest_of
from subwords.errors import InputError, check_known, unknown
from subwords.files import FileRead
from subwords.segmenter import Segmenter

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

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
    "bpe-dropout": "subwords.bpe_dropout:BPEDropout",
    "unigram-sampling": "subwords.unigram_sampling:UnigramSampling",
    "byte-bpe": "subwords.byte_bpe:ByteBPE",
    "morfessor": "subwords.morfessor:Morfessor",
    "picky-bpe": "subwords.picky.model:PickyBPE",
    "bpe-knockout": "subwords.bpe_knockout:BPEKnockout",
    "greedtok": "subwords.greedtok:GreedTok",
    "pathpiece": "subwords.pathpiece:PathPiece",
    "pretrained": "subwords.pretrained:Pretrained",
    "oracle": "subwords.oracle:Oracle",
}

#: Where packages offer algorithms.
ENTRY_POINTS = "subwords.algorithms"


def names() -> list[str]:
    """Return the names of all algorithms, in the order in which tables show them: ours, then those of packages."""
    return [*ALGORITHMS, *sorted(_offered())]


def find(name: str, folder: Path | None = None) -> type[Segmenter]:
    """Return the class of an algorithm: one of `names()`, or FILE.py:CLASS.

    A relative FILE is looked for in `folder` (the working folder if absent). Raises InputError where there is no such
    algorithm, file or class, where the file or the package cannot be imported, and where the class is no segmenter.
    """
    if name in ALGORITHMS:
        module, _, cls = ALGORITHMS[name].partition(":")
        return getattr(import_module(module), cls)
    if is_file(name):
        path, cls = split_file(name, folder)
        return _class(_module(path, FileRead.of(path).digest), cls, name)
    offered = _offered()
    if name not in offered:
        raise unknown("algorithm", name, names(), next_step="subwords list, or name a class of your own: FILE.py:CLASS")
    try:
        loaded = offered[name].load()
    except Exception as error:
        raise InputError(f"algorithm {name!r}: cannot import {offered[name].value}: {_said(error)}") from error
    return _checked(loaded, name)


def is_file(name: str) -> bool:
    """Return whether a name is that of a class in a file, FILE.py:CLASS."""
    return ".py:" in name or name.endswith(".py")


def split_file(name: str, folder: Path | None = None) -> tuple[Path, str]:
    """Return the path and the class of FILE.py:CLASS. Raises InputError where there is no such file."""
    file, _, cls = name.rpartition(":") if ".py:" in name else (name, "", "")
    path = (folder or Path()) / file
    if not cls:
        raise InputError(
            f"{name} names no class", allowed="FILE.py:CLASS", next_step=f"for instance {name}:MySegmenter"
        )
    if not path.is_file():
        raise InputError(f"no such file: {path}", next_step="check the path, or write it: subwords new NAME")
    return path.resolve(), cls


def source_digest(name: str, folder: Path | None = None) -> str:
    """Return the SHA-256 digest (hexadecimal) of the file that defines an algorithm.

    It changes whenever that file does, so that what was learned with another version of it can be told apart. What the
    file imports does not enter: a class of one's own is one file (its neighbours cannot be imported).
    """
    return digest_of(find(name, folder))


@cache  # reading what is installed takes some milliseconds
def entry_points(group: str) -> EntryPoints:
    from importlib.metadata import entry_points as installed_entry_points

    return installed_entry_points(group=group)


def _offered() -> dict[str, EntryPoint]:
    """Return what installed packages offer. A name of our own cannot be taken."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in ALGORITHMS}


@cache
def _module(path: Path, state: str) -> ModuleType:
    """Import a file, once for each content of it."""
    name = f"{FILE_MODULE}{hashlib.sha256(str(path).encode()).hexdigest()[:8]}_{state[:8]}"
    spec = spec_from_file_location(name, path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = module_from_spec(spec)
    sys.modules[name] = module  # as dataclasses and pickle expect
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(f"cannot import {path}: {_said(error)}", next_step=f"python {path} shows where") from error
    return module


def _class(module: ModuleType, name: str, asked: str) -> type[Segmenter]:
    if not hasattr(module, name):
        own = [cls for cls, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        raise unknown("class", name, own or ["(none)"], next_step=f"check {asked}")
    return _checked(getattr(module, name), asked)


def _checked(cls: object, name: str) -> type[Segmenter]:
    """Return a class from outside, or raise InputError with what it lacks to be a segmenter."""
    if not isinstance(cls, type) or not issubclass(cls, Segmenter):
        raise InputError(f"{name} is not a subclass of subwords.segmenter.Segmenter", next_step="subwords new NAME")
    needed = ("algorithm", "summary", "size_counts", "reads")
    lacks = [attribute for attribute in needed if not hasattr(cls, attribute)]
    lacks += sorted(getattr(cls, "__abstractmethods__", ()))
    if lacks:
        raise InputError(f"{name} has no {', '.join(lacks)}", next_step="compare it with: subwords new NAME")
    check_known(f"value for reads in {name}", [cls.reads], ("raw", "moses"))
    return cls


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
