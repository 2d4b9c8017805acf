"""What can happen to files and disks: cut short, a bit flipped, no space left, nothing may be written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def cut(path: Path) -> None:
    """Leave the first half of a file, as a copy that was interrupted does."""
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Flip one bit in the middle of a file, as a failing disk does; size and time of change stay."""
    content, times = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


DAMAGES: dict[str, Callable[[Path], None]] = {"cut": cut, "flip": flip}


class SmallDisk:
    """A file system of its own in memory, mounted on a folder."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        self.folder, self._ballast = folder, folder / ".ballast"
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")

    def fill(self, leave: int = 0) -> None:
        """Use up the space but `leave` bytes."""
        free = os.statvfs(self.folder)
        with open(self._ballast, "wb") as stream:
            os.posix_fallocate(stream.fileno(), 0, max(free.f_bavail * free.f_frsize - leave, 1))

    def empty(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def remount(self, option: str) -> None:
        """Remount it `ro` or `rw`."""
        subprocess.run(["mount", "-o", f"remount,{option}", str(self.folder)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


@contextmanager
def small_disk(folder: Path, mebibytes: int) -> Iterator[SmallDisk]:
    """Mount a small file system on a folder for as long as the block lasts."""
    disk = SmallDisk(folder, mebibytes)
    try:
        yield disk
    finally:
        disk.unmount()
