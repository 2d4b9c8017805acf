"""Reading lines strictly and writing files that are either whole or absent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from subwords.errors import InputError

#: What errors call a stream that has no file name.
STANDARD_INPUT = "standard input"


@contextmanager
def whole_file(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open `path` for writing under a temporary name and rename it when the block ends without an exception.

    A reader, or a later run after a kill or a full disk, sees the old file or the whole new one, never a part.
    Text is UTF-8 with LF line ends. `mode` is "w" or "wb". What is no file, such as /dev/null or a pipe, is written to.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if path.exists() and not path.is_file():
        with open(path, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file without their end. Only LF ends a line (a CR before it belongs to the end).

    Raises InputError with the line number where the file is not UTF-8, or when it cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            yield from decode_lines(stream, str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error


def decode_blocks(stream: IO[bytes], name: str, size: int = 1 << 20) -> Iterator[str]:
    """Yield the text of a stream in blocks of whole lines, about `size` bytes, without the LF at the end of a block.

    Lines end, and errors are, as with `decode_lines`.
    """
    number = 1
    while lines := stream.readlines(size):
        block = b"".join(lines)
        if b"\r\n" in block or block.endswith(b"\r"):
            block = b"".join([line.rstrip(b"\n").removesuffix(b"\r") + b"\n" for line in lines])
        try:
            yield block.decode("utf-8").removesuffix("\n")
        except UnicodeDecodeError:
            for _ in decode_lines(lines, name, number):  # raises, and says in which line
                pass
            raise
        number += len(lines)


def decode_lines(stream: Iterable[bytes], name: str, first: int = 1) -> Iterator[str]:
    """Yield the text lines of a binary stream; an error calls it `name`, and numbers its lines from `first` on."""
    file = "" if name == STANDARD_INPUT else f" {name}"
    for number, line in enumerate(stream, first):
        try:
            yield line.rstrip(b"\n").removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            bad = line[error.start : error.start + 1].hex()
            raise InputError(
                f"{name}, line {number}: not UTF-8 (byte 0x{bad} at position {error.start})",
                allowed="UTF-8 text",
                next_step=f"convert it, for instance: iconv -f latin1 -t utf-8{file}",
            ) from error
