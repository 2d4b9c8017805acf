"""A stand-in for PBS: qsub, qstat and qdel in front of a queue in a folder, and a server that runs its jobs.

It keeps to what the jobs ask for: cores and cards are counted, and a job that takes more memory or time than it asked
for is killed, as is one that is deleted. Like a PBS without history, it forgets a job that has ended.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

POLL_SECONDS = 0.1
PROGRAMS = ("qsub", "qstat", "qdel")


@dataclass
class Job:
    """A job: what it asked for, and what became of it."""

    number: int
    name: str
    script: str
    log: str
    folder: str
    cores: int
    memory_mb: int
    seconds: int
    gpus: int
    queue: str
    account: str
    state: str = "Q"  # Q queued, R running, F finished
    end: str = ""  # exit status, or memory, time, deleted
    began: float = 0.0


@dataclass
class Scheduler:
    """The queue and its server. `cores` and `gpus` are the cluster's."""

    folder: Path
    cores: int = 8
    gpus: int = 2
    paused: bool = False
    running: dict[int, tuple[Job, subprocess.Popen[bytes]]] = field(default_factory=dict)

    def programs(self, path: str) -> dict[str, str]:
        """Write qsub, qstat and qdel; return the environment variables that lead to them, before `path`."""
        there = self.folder / "bin"
        (self.folder / "jobs").mkdir(parents=True)
        there.mkdir()
        for name in PROGRAMS:
            text = f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} {name} {self.folder} "$@"\n'
            (there / name).write_text(text)
            (there / name).chmod(0o755)
        return {"PATH": f"{there}:{path}"}

    def jobs(self) -> list[Job]:
        """Return all jobs that were ever submitted, in that order."""
        files = sorted((self.folder / "jobs").glob("*.json"), key=lambda path: int(path.stem))
        return [Job(**json.loads(path.read_text())) for path in files]

    def write(self, job: Job) -> None:
        path = self.folder / "jobs" / f"{job.number}.json"
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(job)))
        part.replace(path)

    def step(self) -> None:
        """End what must end, start what can start."""
        for number, (job, process) in list(self.running.items()):
            if reason := self._reason_to_kill(job, process):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if process.poll() is not None:
                job.state, job.end = "F", reason or str(process.returncode)
                self.write(job)
                del self.running[number]
        for job in self.jobs():
            taken = [other for other, _ in self.running.values()]
            cores = sum(other.cores for other in taken) + job.cores
            gpus = sum(other.gpus for other in taken) + job.gpus
            deleted = (self.folder / "jobs" / f"{job.number}.delete").exists()
            if job.state == "Q" and deleted:
                job.state, job.end = "F", "deleted"
                self.write(job)
            elif job.state == "Q" and not self.paused and cores <= self.cores and gpus <= self.gpus:
                self._start(job)

    def stop(self) -> None:
        """Kill what still runs."""
        for _, process in self.running.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, job: Job) -> None:
        job.state, job.began = "R", time.time()
        clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "OMP_NUM_THREADS") if name in os.environ}
        with open(job.log, "ab") as log:
            process = subprocess.Popen(
                ["sh", job.script],
                cwd=job.folder,
                env={**clean, "PBS_JOBID": f"{job.number}.standin"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.write(job)
        self.running[job.number] = job, process

    def _reason_to_kill(self, job: Job, process: subprocess.Popen[bytes]) -> str:
        if (self.folder / "jobs" / f"{job.number}.delete").exists():
            return "deleted"
        if time.time() > job.began + job.seconds:
            return "time"
        try:
            parent = psutil.Process(process.pid)
            used = sum(p.memory_info().rss for p in (parent, *parent.children(recursive=True)))
        except psutil.Error:
            return ""
        return "memory" if used > job.memory_mb * 2**20 else ""


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("-N", dest="name", default="job")
    parser.add_argument("-l", dest="needs", action="append", default=[])
    parser.add_argument("-q", dest="queue", default="")
    parser.add_argument("-A", dest="account", default="")
    parser.add_argument("-j", dest="join")
    parser.add_argument("-o", dest="log", required=True)
    parser.add_argument("script")
    return parser.parse_args(argv)


def qsub(scheduler: Scheduler, argv: list[str]) -> int:
    asked = parse(argv)
    lists = [[need] if need.startswith("walltime") else need.split(":") for need in asked.needs]
    needs = dict(word.split("=", 1) for words in lists for word in words)
    hours, minutes, seconds = map(int, needs["walltime"].split(":"))
    folder = scheduler.folder / "jobs"
    number = 1
    while True:  # the first free number is ours
        try:
            os.close(os.open(folder / f"{number}.number", os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            number += 1
    wanted: dict[str, Any] = {"cores": int(needs["ncpus"]), "memory_mb": int(needs["mem"].removesuffix("mb"))}
    wanted |= {"seconds": 3600 * hours + 60 * minutes + seconds, "gpus": int(needs.get("ngpus", 0))}
    kept = {"name": asked.name, "script": asked.script, "log": asked.log, "folder": str(Path.cwd())}
    scheduler.write(Job(number, **kept, **wanted, queue=asked.queue, account=asked.account))
    print(f"{number}.standin")
    return 0


def qstat(scheduler: Scheduler, argv: list[str]) -> int:
    found = [job for job in scheduler.jobs() if f"{job.number}.standin" == argv[0] and job.state != "F"]
    if not found:
        print(f"qstat: Unknown Job Id {argv[0]}", file=sys.stderr)
        return 153
    print(f"{argv[0]} {found[0].name} {found[0].state}")
    return 0


def qdel(scheduler: Scheduler, argv: list[str]) -> int:
    for name in argv:
        (scheduler.folder / "jobs" / f"{name.removesuffix('.standin')}.delete").touch()
    return 0


def main(argv: list[str]) -> int:
    name, folder, *words = argv
    return {"qsub": qsub, "qstat": qstat, "qdel": qdel}[name](Scheduler(Path(folder)), words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
