"""Counting words: what every algorithm that learns from word types starts with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from subwords.core.words import WordTable
from subwords.errors import InputError
from subwords.files import BLOCK, open_text, read_lines, whole_lines
from subwords.progress import progress
from subwords.threads import share_out, threads


def count_words(paths: Iterable[str | Path]) -> dict[str, int]:
    """Return the words of UTF-8 text files with their counts, in the order in which they are first seen.

    A word is what is between single spaces of a line, once spaces and carriage returns are stripped from the line's
    ends. Only LF ends a line; other Unicode spaces are letters like any other.

    Raises InputError when a file cannot be read, is not UTF-8 (with the line), or when there is no word at all.
    """
    table = word_table(paths)
    return dict(zip(table.words(), table.counts(), strict=True))


def word_table(paths: Iterable[str | Path], prepare: Callable[[bytes], bytes] | None = None) -> WordTable:
    """Return the same as a table of the compiled core: a tenth of the time and memory that a dictionary takes.

    `prepare`, if given, makes whole lines to words between single spaces in another way than `strip_lines`.
    """
    texts = [Path(path) for path in paths]
    with progress("bytes", None) as show_bytes:
        tables = [WordTable() for _ in range(threads())]
        read = 0

        def count(table: WordTable, numbered: tuple[int, bytes]) -> int:
            number, block = numbered
            table.read((prepare or strip_lines)(block), number)
            return len(block)

        def show(length: int) -> None:
            nonlocal read
            read += length
            show_bytes(read)

        try:
            share_out(count, tables, enumerate(_blocks(texts)), show)
        except OSError as error:
            name = error.filename or ", ".join(map(str, texts))
            raise InputError(f"cannot read {name}: {error.strerror or error}", next_step="check the path") from error
        except UnicodeDecodeError:
            for text in texts:
                for _ in read_lines(text):  # raises with the file and line of the first bad byte
                    pass
            raise
    table = tables[0] if len(tables) == 1 else WordTable.joined(tables)
    if not len(table):
        raise no_word(texts)
    return table


def no_word(texts: Iterable[Path]) -> InputError:
    """Return the error for texts that nothing can be learned from."""
    names = ", ".join(map(str, texts)) or "(no file)"
    return InputError(f"there is no word in {names}", next_step="give a text that is not empty")


def strip_lines(block: bytes) -> bytes:
    """Return whole lines without spaces and carriage returns at their ends, where there are carriage returns."""
    if b"\r" not in block:
        return block
    return b"\n".join([line.strip(b" \r") for line in block.split(b"\n")])


def _blocks(paths: Sequence[Path]) -> Iterator[bytes]:
    for path in paths:
        with open_text(path) as stream:
            yield from whole_lines(stream, BLOCK)
