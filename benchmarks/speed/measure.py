"""Time and memory of a whole process.

The process is started by this file run as a program, a small one: Linux counts towards a process's peak memory what its
parent had in memory when it started it, so that a large parent would hide a small child.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


class ProcessFailed(RuntimeError):
    """A measured process left with an error; the message holds the end of what it said."""


@dataclass(frozen=True)
class Usage:
    """What one process took, its children included but for memory, which is the largest of any one process."""

    wall: float  # seconds
    user: float  # seconds of CPU outside the kernel
    system: float  # seconds of CPU in the kernel
    peak: int  # bytes of resident memory


def measure(
    command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None, source: Sequence[str] = ()
) -> Usage:
    """Run a command to its end and return what it took; its standard output is thrown away.

    `environment` is added to this process's. `source` is a command whose output is piped into the measured one and
    which is not measured. Raises ProcessFailed when the measured one fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        report, log = Path(folder) / "usage.json", Path(folder) / "log"
        launcher = [sys.executable, "-I", "-S", __file__, str(report), *map(str, command)]
        pipe = subprocess.Popen(source, stdout=subprocess.PIPE) if source else None
        with open(log, "wb") as errors:
            subprocess.run(
                launcher,
                stdin=pipe.stdout if pipe else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                check=False,
            )
        if pipe and pipe.stdout:
            pipe.stdout.close()
            pipe.wait()
        said = log.read_text("utf-8", errors="replace")
        status, *usage = json.loads(report.read_text()) if report.exists() else [-1]
        if status != 0:
            raise ProcessFailed(f"{' '.join(map(str, command))}\nstatus {status}: {said[-2000:]}")
        return Usage(*usage)


def _launch(report: str, command: Sequence[str]) -> None:
    """Run a command with this process's streams and write its status and usage as a JSON list."""
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    taken = Usage(time.perf_counter() - start, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * _MAXRSS_UNIT)
    Path(report).write_text(json.dumps([os.waitstatus_to_exitcode(status), *asdict(taken).values()]))


_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024

if __name__ == "__main__":
    _launch(sys.argv[1], sys.argv[2:])
