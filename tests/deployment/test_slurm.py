"""profiles/slurm on a real Slurm: jobs that are cancelled, too big or too slow come back, and nothing is done twice."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.conftest import OnCluster
from deployment.one_node_slurm import OneNodeSlurm
from deployment.runs import EPOCHS, SEEDS, contents, epochs_trained, freeze, three_runs

pytestmark = [pytest.mark.deployment, pytest.mark.slow]
#: Rules of which the others run on the login node.
RULES = ["download", "manifest", "corpus", "segment", "train", "evaluate", "collect_scores", "tables", "all"]
EACH_ONCE = list(range(1, EPOCHS + 1))


def edited(settings: dict[str, Any]) -> None:
    """Ask for what this machine has, and at first for too little: memory for seed 2, time for seed 3."""
    settings |= {"slurm-status-command": "squeue", "slurm-init-seconds-before-status-checks": 2, "latency-wait": 5}
    settings["default-resources"]["mem_mb"] = "attempt * 1500"
    settings["set-resources"]["train"] |= {
        "mem_mb": "60 if wildcards.seed == '2' and attempt == 1 else 1500",
        "runtime": "1 if wildcards.seed == '3' and attempt == 1 else 10",
        "cpus_per_task": 2,
    }


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
    place = slurm_run.place
    slurm_run.start()
    for seed in (1, 3):
        slurm_run.wait(lambda seed=seed: freeze(place, seed))  # type: ignore[misc]
    slurm.run("scancel", jobs_of(slurm, 1)[0]["JobId"])  # seed 3 hangs until its time is over
    slurm_run.finish()

    ends = {seed: [job["JobState"] for job in jobs_of(slurm, seed)] for seed in SEEDS}
    assert ends[1] == ["CANCELLED", "COMPLETED"]
    assert ends[2][0] in ("OUT_OF_MEMORY", "FAILED", "CANCELLED")
    assert ends[2][1:] == ["COMPLETED"]
    assert ends[3] == ["TIMEOUT", "COMPLETED"]
    first, second = jobs_of(slurm, 2)
    assert (first["MinMemoryNode"], second["MinMemoryNode"]) == ("60M", "1500M")
    first, second = jobs_of(slurm, 3)
    assert (first["TimeLimit"], second["TimeLimit"]) == ("00:01:00", "00:10:00")

    assert [epochs_trained(place, seed) for seed in SEEDS] == [EACH_ONCE] * 3  # went on from their checkpoints
    assert contents(place) == undisturbed
    for job in slurm.of_rule("train"):
        assert job["Partition"] == "gpu"
        assert job["TresPerJob"] == "gres:gpu:1"
        assert job["NumNodes"] == "1"
    assert {job["CPUs/Task"] for job in slurm.of_rule("train")} == {"2"}
    assert {name for name in RULES if slurm.of_rule(name)} == {"corpus", "segment", "train", "collect_scores"}


def test_snakemake_is_killed_and_the_node_drained(
    slurm: OneNodeSlurm, slurm_run: OnCluster, undisturbed: dict[str, bytes]
) -> None:
    """Jobs outlive the snakemake that submitted them; those of the next one wait for them and find the work done."""
    place = slurm_run.place
    slurm_run.edit(lambda settings: settings["set-resources"]["train"].update(mem_mb=1500, runtime=10))
    slurm_run.start()
    process = slurm_run.wait(lambda: freeze(place, 1))
    slurm_run.kill()
    slurm_run.start()
    slurm_run.wait(lambda: len([job for job in jobs_of(slurm, 1) if job["JobState"] == "RUNNING"]) == 2)
    slurm.drain()  # running jobs go on, the others wait
    process.send_signal(signal.SIGCONT)
    slurm_run.wait(lambda: any(job["JobState"] == "PENDING" for job in slurm.jobs().values()))
    slurm_run.wait(lambda: not slurm.running())
    slurm.resume()
    slurm_run.finish()

    assert [job["JobState"] for job in jobs_of(slurm, 1)] == ["COMPLETED", "COMPLETED"]
    assert [epochs_trained(place, seed) for seed in SEEDS] == [EACH_ONCE] * 3
    assert contents(place) == undisturbed
    slurm_run.start("--dry-run")
    assert "Nothing to be done" in slurm_run.finish()
