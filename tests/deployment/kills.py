"""Kill runs at random, start them again, and compare what comes out with a run that nobody disturbed.

    make test-faults KILLS=200 SEED=2

Each kill waits until a program of the step that was killed least often is at work, lets it work for a random time, and
sends a signal to it alone, to snakemake alone (its programs go on), or to both.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import psutil
from workflow.conftest import Workplace

from deployment.runs import programs

SIGNALS = [signal.SIGKILL, signal.SIGTERM]
VICTIMS = ["program", "snakemake", "both"]
#: How long a program is let work before it is killed, at most; most steps of the tiny experiment take less.
LONGEST_SECONDS = 3.0


@dataclass(frozen=True)
class Kill:
    """What was killed: the step at work, who got the signal, which one, and how long after the step was seen."""

    step: str
    victim: str
    signal: str
    after: float


@dataclass
class Campaign:
    """Kills, spread over the steps; `steps` are names of programs."""

    steps: list[str]
    maker: Callable[[], Workplace]
    random: random.Random
    kills: list[Kill] = field(default_factory=list)

    def until(self, kills: int) -> Iterator[Workplace]:
        """Yield workplaces in which runs were killed and then ended by themselves, until there are so many kills."""
        while len(self.kills) < kills:
            place = self.maker()
            while len(self.kills) < kills and self._kill_once(place):
                pass
            wait_for_programs(place)
            start(place).wait()  # where a program alone was killed, this has not gone on yet
            place.run()
            yield place

    def _kill_once(self, place: Workplace) -> bool:
        """Start a run and kill it; False when it ended before a step that should be killed was seen."""
        counts = Counter(kill.step for kill in self.kills)
        fewest = min(counts[step] for step in self.steps)
        wanted = {step for step in self.steps if counts[step] <= fewest + 1}
        run = start(place)
        step, program = self._wait_for(place, run, wanted)
        if program is None:
            return False
        after = self.random.uniform(0, LONGEST_SECONDS)
        time.sleep(after)
        kill = Kill(step, self.random.choice(VICTIMS), self.random.choice(SIGNALS).name, round(after, 2))
        _send(kill, run, program)
        self.kills.append(kill)
        return True

    def _wait_for(
        self, place: Workplace, run: subprocess.Popen[bytes], wanted: set[str]
    ) -> tuple[str, psutil.Process | None]:
        while run.poll() is None:
            for step, program in programs(place):
                if step in wanted:
                    return step, program
            time.sleep(0.05)
        return "", None


def start(place: Workplace) -> subprocess.Popen[bytes]:
    """Start snakemake in a session of its own; what it says goes to a file, so that nobody waits for a pipe."""
    with (place.folder / "snakemake.log").open("ab") as log:
        return subprocess.Popen(
            place.command(),
            cwd=place.folder,
            env=place.environment(),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _send(kill: Kill, run: subprocess.Popen[bytes], program: psutil.Process) -> None:
    number = signal.Signals[kill.signal]
    if kill.victim == "both":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, number)
    elif kill.victim == "snakemake":
        run.send_signal(number)
    else:
        with contextlib.suppress(psutil.Error):
            program.send_signal(number)
    run.wait(timeout=300)


def wait_for_programs(place: Workplace, seconds: float = 300) -> None:
    """Wait until no program works in a workplace any more: those whose snakemake was killed go on."""
    deadline = time.monotonic() + seconds
    while left := list(programs(place)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"programs are still at work in {place.folder}: {left}")
        time.sleep(0.2)
