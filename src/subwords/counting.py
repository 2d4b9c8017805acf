"""Counting words: what every algorithm that learns from word types starts with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subwords.errors import InputError
from subwords.files import read_lines
from subwords.progress import Progress

#: Bytes that are split and counted at a time.
BLOCK = 1 << 20
#: Bytes of text from which on compiled code is faster: for algorithms that load it anyway, and with its loading.
LARGE = 1 << 22
LARGE_WITH_LOADING = 1 << 26


def count_words(paths: Iterable[str | Path], large: int = LARGE) -> dict[str, int]:
    """Return the words of UTF-8 text files with their counts, in the order in which they are first seen.

    A word is what stands between single spaces of a line, once spaces and carriage returns are stripped from the
    line's ends. Only LF ends a line; other Unicode spaces are letters like any other. Texts of `large` bytes or more
    are counted by compiled code.

    Raises InputError when a file cannot be read, is not UTF-8 (with the line), or when there is no word at all.
    """
    texts = [Path(path) for path in paths]
    try:
        size = sum(text.stat().st_size for text in texts)
        counts = _count_compiled(texts) if size >= large else _count(texts)
    except OSError as error:
        raise InputError(f"cannot read {error.filename}: {error.strerror}", next_step="check the path") from error
    except UnicodeDecodeError:
        for text in texts:
            for _ in read_lines(text):  # raises with the file and line of the first bad byte
                pass
        raise
    if not counts:
        names = ", ".join(map(str, texts)) or "(no file)"
        raise InputError(f"there is no word in {names}", next_step="give a text file that is not empty")
    return counts


def _blocks(paths: Sequence[Path]) -> Iterator[bytes]:
    """Yield the texts in blocks of whole lines, without spaces and carriage returns at the ends of lines with CR."""
    for path in paths:
        with open(path, "rb") as stream:
            while lines := stream.readlines(BLOCK):
                block = b"".join(lines)
                if b"\r" in block:
                    block = b"\n".join([line.strip(b" \r\n") for line in lines])
                yield block


def _count(paths: Sequence[Path]) -> dict[str, int]:
    """Count in Python. Bytes are enough: no part of a UTF-8 character looks like a space or a line feed."""
    counts: Counter[bytes] = Counter()
    for block in _blocks(paths):
        counts.update(block.replace(b"\n", b" ").split(b" "))
    counts.pop(b"", None)
    return {word.decode("utf-8"): count for word, count in counts.items()}


def _count_compiled(paths: Sequence[Path]) -> dict[str, int]:
    """Count in compiled code, which is faster once its loading has paid off."""
    from subwords.wordtable import WordTable

    table = WordTable()
    total = sum(path.stat().st_size for path in paths)
    with Progress("bytes", total) as progress:
        read = 0
        for block in _blocks(paths):
            table.number(block)
            read += len(block)
            progress.show(read)
    return dict(zip(table.words(), table.counts(), strict=True))
