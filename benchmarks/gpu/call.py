"""One call of a step: its time, its programs, and what is remembered from one call to the next."""

from __future__ import annotations

import datetime
import importlib.util
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from subwords.errors import InputError

from . import ROOT

#: How long programs may take to end when told so, in seconds; they are killed afterwards.
PATIENCE = 20.0


class OutOfTime(Exception):
    """The call's minutes are over before the step is done."""


@dataclass
class Call:
    """What a step is asked for, and its memory."""

    step: str
    command: list[str]
    deadline: float  # time.monotonic()
    output: Path
    scale: str
    device: str  # cuda or cpu
    jobs: int
    cores: int
    mirror: str | None = None
    experiment: Path | None = None
    memory: dict[str, Any] = field(default_factory=dict)
    _began: float = 0.0

    @property
    def folder(self) -> Path:
        """Where it works. Nothing here is needed once the record is written."""
        return ROOT / "results" / "benchmarks" / "gpu" / self.scale / self.step

    @property
    def record_folder(self) -> Path:
        return self.output / self.step

    @property
    def smoke(self) -> bool:
        return self.scale == "smoke"

    def __enter__(self) -> Call:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "memory.json"
        self.memory = read_json(path) if path.exists() else {"calls": [], "done": {}}
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.memory["calls"].append({"command": shlex.join(self.command), "started": started, "seconds": 0.0})
        self._began = time.monotonic()
        self.remember()
        return self

    def __exit__(self, *_: object) -> None:
        self.remember()

    def remember(self, **done: Any) -> None:
        """Write down what has been done, and the time that this call has taken so far."""
        self.memory["done"] |= done
        self.memory["calls"][-1]["seconds"] = round(time.monotonic() - self._began, 1)
        write_json(self.folder / "memory.json", self.memory)

    def left(self) -> float:
        """Return the seconds that are left of this call."""
        return self.deadline - time.monotonic()

    def run(self, words: Sequence[str | Path], log: str, environment: Mapping[str, str] | None = None) -> None:
        """Run a program in the repository until it ends; its output goes to the file `log`.

        When the time is over the program and its children are ended, and OutOfTime is raised.
        Raises InputError with the end of the log when it fails.
        """
        if self.left() <= 0:
            raise OutOfTime(log)
        path = self.folder / f"{log}.log"
        with open(path, "ab") as stream:
            process = subprocess.Popen(
                [str(word) for word in words],
                cwd=ROOT,
                env={**os.environ, **self._paths(), **(environment or {})},
                stdout=stream,
                stderr=subprocess.STDOUT,
                process_group=0,  # to be interrupted with its children
            )
            try:
                process.wait(max(0.0, self.left()))
            except subprocess.TimeoutExpired:
                _end(process)
                raise OutOfTime(log) from None
            except BaseException:
                _end(process)
                raise
        if process.returncode:
            said = path.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise InputError(f"{shlex.join(map(str, words))} failed:\n{said}", next_step=f"see {path}")

    def snakemake(self, configfile: Path, *words: str, sharing: int = 1, config: Sequence[str] = ()) -> None:
        """Run the workflow as a user would; a lock that a killed call left behind is cleared.

        A server without snakemake takes what was made elsewhere.
        """
        if importlib.util.find_spec("snakemake") is None and all((ROOT / word).exists() for word in words):
            return
        settings = [f"runs_per_gpu={sharing}", *config]
        settings += [f"mirror={self.mirror}"] if self.mirror else []
        command: list[str | Path] = [sys.executable, "-m", "snakemake", "--configfile", configfile]
        command += ["--config", *settings]
        if any((ROOT / ".snakemake" / "locks").glob("*")):
            self.run([*command, "--unlock"], "snakemake")
        self.run([*command, "--cores", str(self.cores), "--resources", f"gpu={sharing}", "--", *words], "snakemake")

    def _paths(self) -> dict[str, str]:
        """Programs find the project and the tools of this environment."""
        tools = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
        return {"PATH": tools, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}:{os.environ.get('PYTHONPATH', '')}"}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and its children, by SIGTERM because what runs in the background ignores SIGINT."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(PATIENCE)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
