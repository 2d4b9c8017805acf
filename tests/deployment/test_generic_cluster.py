"""profiles/generic on a stand-in for PBS: jobs that are killed come back with more, and nothing is done twice."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.conftest import OnCluster
from deployment.runs import ASKED, SEEDS, three_runs
from deployment.stand_in_pbs import Job, Scheduler

pytestmark = [pytest.mark.deployment, pytest.mark.slow]


def edited(settings: dict[str, Any]) -> None:
    """Ask for what this machine has."""
    settings["latency-wait"] = 5
    settings["default-resources"] |= {"mem_mb": "attempt * 1500", "queue": "short", "account": "mt"}
    settings["set-resources"]["train"] |= {**ASKED, "queue": "long"}


@pytest.fixture
def pbs_run(workplaces: Callable[[str], Workplace], pbs: Scheduler) -> Iterator[OnCluster]:
    """The three trainings, ready to start on the stand-in. Its jobs do not have the environment of who submits them."""
    place = workplaces("pbs")
    place.write(three_runs())
    run = OnCluster(place, "generic", pbs.programs(place.environment()["PATH"]))
    run.edit(edited)
    yield run
    run.kill()


def test_jobs_that_are_deleted_too_big_or_too_slow_come_back(
    pbs: Scheduler, pbs_run: OnCluster, undisturbed: dict[str, bytes]
) -> None:

    def delete() -> None:
        subprocess.run(["qdel", f"{jobs_of(pbs, 1)[0].number}.standin"], check=True, env=pbs_run.environment)

    pbs_run.stop_until_killed(delete)

    assert {seed: [job.end for job in jobs_of(pbs, seed)] for seed in SEEDS} == {
        1: ["deleted", "0"],
        2: ["memory", "0"],
        3: ["time", "0"],
    }
    assert [job.memory_mb for job in jobs_of(pbs, 2)] == [60, 1500]
    assert [job.seconds for job in jobs_of(pbs, 3)] == [60, 600]
    trainings = [job for job in pbs.jobs() if job.name == "train"]
    assert {(job.queue, job.account, job.cores, job.gpus) for job in trainings} == {("long", "mt", 2, 1)}
    assert {job.queue for job in pbs.jobs()} == {"long", "short"}
    pbs_run.trained_once(undisturbed)


def test_snakemake_is_killed(pbs: Scheduler, pbs_run: OnCluster, undisturbed: dict[str, bytes]) -> None:
    """Jobs outlive the snakemake that submitted them; those of the next one wait for them and find the work done."""
    process = pbs_run.kill_while_training()
    pbs_run.wait(lambda: len([job for job in jobs_of(pbs, 1) if job.state == "R"]) == 2)
    process.send_signal(signal.SIGCONT)
    pbs_run.finish()
    assert [job.end for job in jobs_of(pbs, 1)] == ["0", "0"]
    pbs_run.trained_once(undisturbed)


def jobs_of(pbs: Scheduler, seed: int) -> list[Job]:
    """Return the jobs that train with a seed, oldest first."""
    return [job for job in pbs.jobs() if job.name == "train" and f"/seed{seed}/" in script(job)]


def script(job: Job) -> str:
    """Return the job script that Snakemake wrote: the last word of the wrapper's first command."""
    with open(job.script.removesuffix(".sh") + ".job", encoding="utf-8") as stream:
        return stream.read()
