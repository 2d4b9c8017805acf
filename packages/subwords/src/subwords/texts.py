"""Texts to learn from, wherever they come from, as files that can be read again."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from subwords.errors import InputError
from subwords.files import open_text
from subwords.segmenter import checked

#: A file, several files, or lines.
Texts = str | Path | list[str] | list[Path] | tuple[str | Path, ...] | Iterable[str]


@contextmanager
def as_files(texts: Texts) -> Iterator[list[Path]]:
    """Give the paths of files that hold the texts. What can be read only once is copied into a temporary folder.

    Errors name where a copy comes from. Raises InputError for a file that is not there, and for what is no text.
    """
    if not isinstance(texts, Iterable | Path):
        raise InputError(f"no text to learn from: {texts!r:.60}", allowed="a file, several files, or lines")
    if isinstance(texts, str | Path):
        texts = [Path(texts)]
    with tempfile.TemporaryDirectory(prefix="subwords-") as folder:
        if isinstance(texts, list | tuple):
            sources = {str(Path(folder, f"{number}.text")): _named(Path(text)) for number, text in enumerate(texts)}
            files = [_file(text, Path(copy)) for copy, text in sources.items()]
            names = {copy: "/dev/stdin" if str(text) == "-" else str(text) for copy, text in sources.items()}
        else:
            files = [_written(texts, Path(folder) / "lines")]
            names = {str(files[0]): "the lines given"}
        try:
            yield files
        except InputError as error:
            for copy, name in names.items():
                error.args = (str(error).replace(copy, name),)
            raise


def _named(text: Path) -> Path:
    # Path's own methods raise where a name is too long, as a line of text given for one can be.
    if str(text) != "-" and (os.path.isdir(text) or not os.path.exists(text)):  # noqa: PTH110, PTH112
        raise InputError(
            f"no such text: {str(text)[:200]}",
            allowed="files, or an iterator of lines",
            next_step="check the path, or give lines as iter(LINES)",
        )
    return text


def _file(text: Path, copy: Path) -> Path:
    if str(text) == "-":
        with open(copy, "wb") as sink:
            shutil.copyfileobj(sys.stdin.buffer, sink)
        return copy
    if text.is_file():
        return text
    with open_text(text) as source, open(copy, "wb") as sink:  # a pipe
        shutil.copyfileobj(source, sink)
    return copy


def _written(lines: Iterable[str], path: Path) -> Path:
    with open(path, "w", encoding="utf-8", newline="\n") as sink:
        for line in lines:
            if not isinstance(line, str):
                raise InputError(f"a text to learn from is no string: {line!r:.60}", allowed="lines of text")
            sink.write(checked([line.removesuffix("\n")])[0] + "\n")
    return path
