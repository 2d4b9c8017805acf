"""Clusters, environments and workplaces for the tests of deployment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from tiny_comet import make_tiny_comet
from workflow.conftest import Workplace, finished, nothing_is_left_running, workplace, workplaces

from deployment.machine import Missing
from deployment.one_node_slurm import OneNodeSlurm
from deployment.runs import EPOCHS, SEEDS, contents, epochs_trained, freeze, three_runs
from deployment.small_paper import small_index, write_small_paper
from deployment.stand_in_pbs import POLL_SECONDS, Scheduler

__all__ = ["finished", "nothing_is_left_running", "workplace", "workplaces"]  # fixtures


@pytest.fixture(scope="session")
def undisturbed(workplaces: Callable[[str], Workplace]) -> dict[str, Any]:
    """What comes out of the three trainings where nothing goes wrong."""
    place = workplaces("undisturbed")
    place.write(three_runs())
    place.run()
    return contents(place)


@pytest.fixture(scope="session")
def comet_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small random COMET model; nothing asks the hub about it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            patch.setenv(name, "1")
        yield str(make_tiny_comet(tmp_path_factory.mktemp("model")))


@pytest.fixture(scope="session")
def write_paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Workplace], None]]:
    """Return a writer of the small paper, with all that it downloads, into a workplace."""
    with small_index(tmp_path_factory.mktemp("mtdata")) as entry:
        yield lambda place: write_small_paper(place, entry)


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneNodeSlurm]:
    """A running Slurm of one node."""
    cluster = OneNodeSlurm(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    except Missing as reason:
        pytest.skip(f"no Slurm here: {reason}")
    finally:
        cluster.stop()


@pytest.fixture
def pbs(tmp_path: Path) -> Iterator[Scheduler]:
    """A running stand-in for PBS."""
    scheduler, ended = Scheduler(tmp_path / "pbs"), threading.Event()

    def serve() -> None:
        while not ended.wait(POLL_SECONDS):
            scheduler.step()

    server = threading.Thread(target=serve)
    server.start()
    try:
        yield scheduler
    finally:
        ended.set()
        server.join()
        scheduler.stop()


class OnCluster:
    """`snakemake --workflow-profile` in a workplace, started and killed; what it says goes to a file."""

    def __init__(self, place: Workplace, profile: str, environment: dict[str, str] | None = None) -> None:
        self.place, self.profile = place, profile
        self.environment = {**place.environment(), **(environment or {})}
        self.log = place.folder / "cluster.log"
        self.process: subprocess.Popen[bytes] | None = None

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Edit the profile in the workplace, as a user does."""
        path = self.place.folder / "profiles" / self.profile / "profile.yaml"
        settings = yaml.safe_load(path.read_text())
        change(settings)
        path.write_text(yaml.safe_dump(settings))

    def stop_until_killed(self, cancel: Callable[[], Any]) -> None:
        """Start; stop the trainings of seeds 1 and 3, and cancel seed 1's job: seed 3 hangs until its time is over."""
        self.start()
        left = {1, 3}

        def stopped() -> bool:  # whichever comes first: a training takes a second
            left.difference_update([seed for seed in left if freeze(self.place, seed)])
            return not left

        self.wait(stopped)
        cancel()
        self.finish()

    def trained_once(self, undisturbed: dict[str, bytes]) -> None:
        """Check that no epoch was trained twice, and that all is as without a disturbance."""
        assert [epochs_trained(self.place, seed) for seed in SEEDS] == [list(range(1, EPOCHS + 1))] * len(SEEDS)
        assert contents(self.place) == undisturbed

    def kill_while_training(self) -> psutil.Process:
        """Start, stop seed 1's training, kill snakemake, start again; return the process that was stopped."""
        self.edit(lambda settings: settings["set-resources"]["train"].update(mem_mb=1500, runtime=10))
        self.start()
        process: psutil.Process = self.wait(lambda: freeze(self.place, 1))
        self.kill()
        self.start()
        return process

    def start(self, *words: str) -> None:
        command = [sys.executable, "-m", "snakemake", "--workflow-profile", f"profiles/{self.profile}"]
        self._begun = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--configfile", "experiment.yaml", *words],
                cwd=self.place.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill snakemake and what it started on this machine; jobs of the cluster go on."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def wait(self, seen: Callable[[], Any], seconds: float = 240) -> Any:
        """Return what `seen` returns as soon as it is true; fail where snakemake ends before, or it takes too long."""
        assert self.process
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := seen():
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"not seen (status {self.process.poll()}): {seen}\n{self.log.read_text()[-6000:]}")

    def finish(self, seconds: float = 400) -> str:
        """Wait for the end, which must be a good one; return what snakemake said since it was started."""
        self.wait(lambda: self.process.poll() is not None, seconds)
        said = self.log.read_bytes()[self._begun :].decode()
        assert self.process
        assert self.process.returncode == 0, said[-6000:]
        return said
