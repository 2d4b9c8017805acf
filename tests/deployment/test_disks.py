"""Disks and clocks that fail: no space, nothing may be written, damaged checkpoints, a clock that jumps back."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.damage import DAMAGES, SmallDisk, small_disk
from deployment.kills import start, wait_for_programs
from deployment.runs import contents, downloaded, freeze, three_runs, with_later_wishes

pytestmark = [pytest.mark.deployment, pytest.mark.slow]
#: Rules in their order, and a pattern of what each makes.
STEPS = {
    "download": "downloads/example.org/train.en",
    "make_corpus": "corpora/*/*/record.json",
    "segment": "segmented/*/*/*/record.json",
    "train": "runs/**/test.scores.json",
    "collect_scores": "tiny/scores.csv",
    "make_tables": "tiny/report.html",
}
#: The same of what is wanted later of a training that is there: another search, test set and metric.
LATER_STEPS = {
    "download": "downloads/example.org/late.en",
    "make_testset": "corpora/**/late.*.json",
    "evaluate": "runs/**/late.*.scores.json",
    "score_comet": "runs/**/late.*.comet.*.json",
    "collect_scores": "tiny/scores.csv",
    "make_tables": "tiny/report.html",
}
#: The same of a paper.
PAPER_STEPS = {
    "download_mtdata": "downloads/mtdata/*train*.done",
    "train": "runs/**/test.scores.json",
    "select_on_test": "runs/**/test.chosen-on-test.*.done",
    "measure_on_test": "papers/small/smoke/measurements/on-test.*.csv",
    "replicate": "papers/small/smoke/report.html",
}


@pytest.fixture(scope="module")
def expected(workplaces: Callable[[str], Workplace]) -> dict[str, Any]:
    """What comes out of one training where nothing goes wrong."""
    place = workplaces("expected")
    place.write(three_runs(seeds=[1]))
    place.run()
    return contents(place)


@pytest.fixture
def place(workplaces: Callable[[str], Workplace]) -> Workplace:
    made = workplaces("disk")
    made.write(three_runs(seeds=[1]))
    return made


@pytest.fixture
def disk(place: Workplace) -> Iterator[SmallDisk]:
    """The results of the workplace, on a small disk of their own."""
    with small_disk(place.results, 64) as made:
        yield made


def fill_at_each(place: Workplace, disk: SmallDisk, steps: Mapping[str, str]) -> str:
    """Let each step meet a disk without any space, then one with 20 KB, which is full in the middle of a file.

    With space again it must go on. Returns what was said.
    """
    logs = ""
    for step, made in steps.items():
        for left in (0, 20_000):
            disk.fill(left)
            done = place.snakemake("--until", step)
            if not any(place.results.glob(made)):
                assert done.returncode != 0, f"{step} with {left} bytes left"
                logs += done.stdout + "".join(log.read_text() for log in place.results.glob("logs/**/*.log"))
            disk.empty()
        place.run("--until", step)
        assert any(place.results.glob(made)), step
    return logs


def test_a_full_disk_at_every_step(
    place: Workplace, disk: SmallDisk, workplaces: Callable[[str], Workplace], comet_model: str
) -> None:
    undisturbed = workplaces("undisturbed")
    for each in (undisturbed, place):
        experiment = downloaded(each, seeds=[1])
        each.write(experiment)
    undisturbed.run()
    assert "No space left on device" in fill_at_each(place, disk, STEPS)
    assert contents(place) == contents(undisturbed)

    later = with_later_wishes(experiment, comet_model)
    for each in (undisturbed, place):
        each.write(later)
    for name in ("scores.csv", "report.html"):
        (place.results / "tiny" / name).unlink()
    undisturbed.run()
    assert "No space left on device" in fill_at_each(place, disk, LATER_STEPS)
    assert contents(place) == contents(undisturbed)


def test_a_full_disk_at_every_step_of_a_paper(
    place: Workplace,
    disk: SmallDisk,
    workplaces: Callable[[str], Workplace],
    write_paper: Callable[[Workplace], None],
) -> None:
    undisturbed = workplaces("undisturbed")
    for each in (undisturbed, place):
        write_paper(each)
    undisturbed.run()
    assert "No space left on device" in fill_at_each(place, disk, PAPER_STEPS)
    assert contents(place) == contents(undisturbed)
    assert "papers/small/smoke/table1.csv" in contents(place)


def test_results_that_may_only_be_read(place: Workplace, disk: SmallDisk, expected: dict[str, Any]) -> None:
    """What is finished can be used; what would have to be written is an error that says so."""
    place.run("--until", "segment")
    disk.remount("ro")
    done = place.snakemake()
    assert done.returncode != 0
    assert "Read-only file system" in done.stdout
    disk.remount("rw")
    place.run()
    disk.remount("ro")
    assert "Nothing to be done" in place.run()
    assert contents(place) == expected


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["checkpoint_last.pt", "checkpoint2.pt", "scores.json"])
def test_a_training_that_goes_on_after_its_disk_failed(
    place: Workplace, expected: dict[str, Any], name: str, damage: str
) -> None:
    run = start(place)
    while run.poll() is None and not (process := freeze(place, 1, epochs=3)):
        time.sleep(0.1)
    assert process
    process.kill()
    run.wait()
    wait_for_programs(place)
    (path,) = place.results.glob(f"runs/*/*/*/*/seed1/checkpoints/{name}")
    DAMAGES[damage](path)
    done = place.snakemake()
    if done.returncode:
        said = done.stdout + "".join(log.read_text() for log in place.results.glob("logs/train/*.log"))
        assert "next: delete" in said, said[-3000:]
        for checkpoints in place.results.glob("runs/*/*/*/*/seed1"):
            subprocess.run(["rm", "-r", checkpoints / "record.json", checkpoints / "checkpoints"], check=False)
        place.run()
    assert contents(place) == expected


def test_a_clock_that_jumps_back(place: Workplace, expected: dict[str, Any]) -> None:
    """A year back in the middle of a run: what is there is from the future. Nothing is made twice or left out."""
    place.run("--until", "segment")
    next_year = time.time() + 365 * 86400
    made = [path for part in ("results", ".snakemake") for path in (place.folder / part).rglob("*") if path.is_file()]
    for path in made:
        os.utime(path, (next_year, next_year))
    place.run()
    assert contents(place) == expected
    pieces = [path for path in made if path.name.startswith("train.")]
    assert pieces
    assert all(path.stat().st_mtime == pytest.approx(next_year) for path in pieces)
    assert "Nothing to be done" in place.run()
