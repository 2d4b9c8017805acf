"""profiles/slurm on a real Slurm: jobs that are cancelled, too big or too slow come back, and nothing is done twice."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.conftest import OnCluster
from deployment.one_node_slurm import OneNodeSlurm
from deployment.runs import ASKED, SEEDS, three_runs

pytestmark = [pytest.mark.deployment, pytest.mark.slow]
#: Rules of which the others run on the login node.
RULES = ["download", "list_runs", "make_corpus", "segment", "train", "evaluate", "collect_scores", "make_tables", "all"]


def edited(settings: dict[str, Any]) -> None:
    """Ask for what this machine has."""
    settings |= {"slurm-status-command": "squeue", "slurm-init-seconds-before-status-checks": 2, "latency-wait": 5}
    settings["default-resources"]["mem_mb"] = "attempt * 1500"
    settings["set-resources"]["train"] |= ASKED


def jobs_of(slurm: OneNodeSlurm, seed: int) -> list[dict[str, str]]:
    """Return the jobs that train with a seed, oldest first."""
    return [job for job in slurm.of_rule("train") if f"_{seed}_best" in job["Comment"]]


@pytest.fixture
def slurm_run(workplaces: Callable[[str], Workplace], slurm: OneNodeSlurm) -> Iterator[OnCluster]:
    """The three trainings, ready to start on Slurm."""
    place = workplaces("slurm")
    place.write(three_runs())
    run = OnCluster(place, "slurm")
    run.edit(edited)
    slurm.forget()
    yield run
    run.kill()
    slurm.cancel()


def test_what_is_cancelled_too_big_or_too_slow_comes_back(
    slurm: OneNodeSlurm, slurm_run: OnCluster, undisturbed: dict[str, bytes]
) -> None:
    slurm_run.stop_until_killed(lambda: slurm.run("scancel", jobs_of(slurm, 1)[0]["JobId"]))

    ends = {seed: [job["JobState"] for job in jobs_of(slurm, seed)] for seed in SEEDS}
    assert ends[1] == ["CANCELLED", "COMPLETED"]
    assert ends[2][0] in ("OUT_OF_MEMORY", "FAILED", "CANCELLED")
    assert ends[2][1:] == ["COMPLETED"]
    assert ends[3] == ["TIMEOUT", "COMPLETED"]
    first, second = jobs_of(slurm, 2)
    assert (first["MinMemoryNode"], second["MinMemoryNode"]) == ("60M", "1500M")
    first, second = jobs_of(slurm, 3)
    assert (first["TimeLimit"], second["TimeLimit"]) == ("00:01:00", "00:10:00")

    slurm_run.trained_once(undisturbed)
    for job in slurm.of_rule("train"):
        assert job["Partition"] == "gpu"
        assert job["TresPerJob"] == "gres:gpu:1"
        assert job["NumNodes"] == "1"
    assert {job["CPUs/Task"] for job in slurm.of_rule("train")} == {"2"}
    assert {name for name in RULES if slurm.of_rule(name)} == {"make_corpus", "segment", "train", "collect_scores"}


def test_snakemake_is_killed_and_the_node_drained(
    slurm: OneNodeSlurm, slurm_run: OnCluster, undisturbed: dict[str, bytes]
) -> None:
    """Jobs outlive the snakemake that submitted them; those of the next one wait for them and find the work done."""
    process = slurm_run.kill_while_training()
    slurm_run.wait(lambda: len([job for job in jobs_of(slurm, 1) if job["JobState"] == "RUNNING"]) == 2)
    slurm.drain()  # running jobs go on, the others wait
    process.send_signal(signal.SIGCONT)
    slurm_run.wait(lambda: any(job["JobState"] == "PENDING" for job in slurm.jobs().values()))
    slurm_run.wait(lambda: not slurm.running())
    slurm.resume()
    slurm_run.finish()

    assert [job["JobState"] for job in jobs_of(slurm, 1)] == ["COMPLETED", "COMPLETED"]
    slurm_run.trained_once(undisturbed)
    slurm_run.start("--dry-run")
    assert "Nothing to be done" in slurm_run.finish()
