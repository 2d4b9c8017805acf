"""Reading lines strictly and writing files that are either whole or absent."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from subwords.errors import InputError

#: What errors call a stream that has no file name.
STANDARD_INPUT = "standard input"
#: Names of streams that are open already: /dev/stdout may be a link to a file, and is no file of that name.
DEVICES = ("/dev/std", "/dev/fd/", "/proc/")
#: Bytes that are read together.
BLOCK = 1 << 20
GZIP = b"\x1f\x8b"


@contextmanager
def whole_file(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open `path` for writing under a temporary name and rename it when the block ends without an exception.

    A reader, or a later run after a kill or a full disk, sees the old file or the whole new one, never a part.
    Text is UTF-8 with LF line ends. `mode` is "w" or "wb". What is no file, such as /dev/null or a pipe, is written to;
    of a symbolic link, the file that it names is written.
    """
    path = Path(path)
    if path.is_symlink() and not str(path).startswith(DEVICES):
        path = path.resolve()  # a link to another disk stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if str(path).startswith(DEVICES) or (path.exists() and not path.is_file()):
        with open(path, mode.replace("w", "a"), **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)  # can only be read by setting it
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write text or bytes to a file that is whole or absent, as `whole_file` does."""
    with whole_file(path, "w" if isinstance(content, str) else "wb") as stream:
        stream.write(content)


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write a text, one line for each of `lines`, as `whole_file` does."""
    with whole_file(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


def place_for_model(path: str | Path) -> Path:
    """Return a model's path. Raises InputError where no file can be: a model is read again, with a file beside it."""
    path = Path(path)
    if str(path) == "-" or str(path).startswith(DEVICES) or (path.exists() and not path.is_file()):
        raise InputError(f"a model cannot be written to {path}", allowed="a file", next_step="--model FILE")
    folder = next(parent for parent in path.resolve().parents if parent.exists())  # those below are made
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"a model cannot be written to {path}: {folder} is no folder that can be written to",
            next_step="another --model, or mend the folder",
        )
    return path


def same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two paths name one file, also one that is not there yet. Terminals and pipes are no files."""
    one, other = Path(one), Path(other)
    try:
        return one.samefile(other) and one.is_file()
    except OSError:
        return one.resolve() == other.resolve()


def standard_input() -> IO[bytes]:
    """Return standard input. Raises InputError where it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed", next_step="name a file, or redirect a text: < FILE")
    return sys.stdin.buffer


def open_text(path: str | Path) -> IO[bytes]:
    """Open a text for reading, decompressed where it is a gzip file. Raises InputError when it cannot be read."""
    try:
        stream = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error
    return decompressed(stream, str(path))


def decompressed(stream: IO[bytes], name: str) -> IO[bytes]:
    """Return a buffered stream, or what it holds where that is gzip. Errors call it `name`."""
    if isinstance(stream, io.BufferedReader) and stream.peek(2)[:2] == GZIP:
        return io.BufferedReader(_Decompressed(stream, name), BLOCK)
    return stream


class _Decompressed(io.RawIOBase):
    """The bytes of a gzip stream. Reading raises InputError where it is broken."""

    def __init__(self, compressed: io.BufferedReader, name: str) -> None:
        self._compressed, self._name = compressed, name
        self._bytes = gzip.GzipFile(fileobj=compressed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._bytes.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{self._name} is no whole gzip file: {error}", next_step="compress it again") from None
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._compressed.close()
        super().close()


def read_bytes(path: str | Path) -> bytes:
    """Return what a file holds, compressed or not, as it is. Raises InputError when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error


def read_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file without their end. Only LF ends a line (a CR before it belongs to the end).

    Raises InputError with the line number where the file is not UTF-8, or when it cannot be read.
    """
    try:
        with open_text(path) as stream:
            yield from decode_lines(stream, str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", next_step="check the path") from error


@dataclass(frozen=True)
class FileRead:
    """A file as it was when it was read: later a pipe is empty, and a file may be changed or gone."""

    path: Path  # whatever the working folder is
    content: bytes

    @classmethod
    def of(cls, path: str | Path) -> FileRead:
        """Read a file. Raises InputError when it cannot be read."""
        return cls(Path(path).absolute(), read_bytes(path))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 digest (hexadecimal)."""
        return hashlib.sha256(self.content).hexdigest()

    def lines(self) -> Iterator[str]:
        """Yield its lines, as `read_lines` does."""
        stream = decompressed(io.BufferedReader(io.BytesIO(self.content)), str(self.path))  # type: ignore[arg-type]
        return decode_lines(stream, str(self.path))


def pieces_in(path: Path) -> list[str]:
    """Return the lines of a model file: a carriage return is part of the piece, unless all lines have one.

    The first line should be one that has none. Raises InputError as `read_lines` does.
    """
    with open_text(path) as stream:
        lines = list(stream)
    ends = b"" if all(line.endswith((b"\r\n", b"\r")) for line in lines) else b"\r"  # `decode_lines` takes one off
    return list(decode_lines((line.removesuffix(b"\n") + ends for line in lines), str(path)))


def whole_lines(stream: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Yield a stream in blocks of whole lines, each as soon as it is there; the last line gets a line feed.

    From a pipe a block is what has been written to it so far, so that a program can wait for each line's answer.
    """
    read = getattr(stream, "read1", stream.read)
    widen(stream, size)
    parts: list[bytes] = []  # of a line whose end has not been read
    while block := read(size):
        end = block.rfind(b"\n") + 1
        if not end:
            parts.append(block)
            continue
        yield b"".join([*parts, block[:end]]) if parts else block[:end]
        parts = [block[end:]] if end < len(block) else []
    if parts:
        yield b"".join([*parts, b"\n"])


def widen(stream: IO[bytes], size: int) -> None:
    """Let a pipe hold `size` bytes, where the system can do that. Else blocks have 64 KiB, too few to share out."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, no file, not a pipe, not allowed
        import fcntl

        fcntl.fcntl(stream.fileno(), fcntl.F_SETPIPE_SZ, size)


def without_returns(block: bytes) -> bytes:
    """Return whole lines without the carriage return that is part of a line's end."""
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


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
