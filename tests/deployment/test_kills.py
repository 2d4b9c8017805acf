"""Real kills at random times, over all steps: the same command again ends with the same files, and repeats nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.kills import Campaign, start
from deployment.runs import contents, downloaded, with_later_wishes, with_other_checkpoints
from experiment.store.making import locked

pytestmark = [pytest.mark.deployment, pytest.mark.slow]
TABLES = ["collect_scores", "make_tables", "make_report"]
#: What is wanted -> the programs that make it (the list of runs and the marks are made by snakemake itself), and their
#: share of the kills.
STEPS = {
    "all": (["download", "make_corpus", "segment", "train", *TABLES], 0.4),
    "later wishes": (["download", "make_corpus", "evaluate", "score_comet", *TABLES], 0.3),
    "other checkpoints": (["train", *TABLES], 0.1),
    "a paper": (["mtdata", "select_on_test", "measure", "replicate"], 0.2),
}


@pytest.fixture(scope="module")
def finished_base(workplaces: Callable[[str], Workplace]) -> tuple[Workplace, dict[str, Any]]:
    """A workplace in which an experiment with downloads has run to its end, and the experiment."""
    place = workplaces("undisturbed")
    experiment = downloaded(place)
    place.write(experiment)
    place.run()
    return place, experiment


@pytest.mark.parametrize("wanted", STEPS)
def test_runs_that_are_killed_at_random(
    workplaces: Callable[[str], Workplace],
    finished_base: tuple[Workplace, dict[str, Any]],
    comet_model: str,
    write_paper: Callable[[Workplace], None],
    wanted: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """KILLS and SEED say how many and which; the long form: `make test-faults KILLS=200`."""
    base, experiment = finished_base
    if wanted == "later wishes":
        experiment = with_later_wishes(experiment, comet_model)
    elif wanted == "other checkpoints":
        experiment = with_other_checkpoints(experiment)

    def fresh() -> Workplace:
        place = workplaces("killed")
        if wanted == "a paper":
            write_paper(place)
            return place
        if wanted != "all":
            for part in ("results", ".snakemake"):
                shutil.copytree(base.folder / part, place.folder / part, dirs_exist_ok=True)
        place.write(experiment)
        return place

    steps, share = STEPS[wanted]
    undisturbed = base if wanted == "all" else fresh()
    undisturbed.run()
    expected = contents(undisturbed)
    campaign = Campaign(steps, fresh, random.Random(int(os.environ.get("SEED", "1"))))
    for place in campaign.until(round(share * int(os.environ.get("KILLS", "25")))):
        assert contents(place) == expected, campaign.kills
        assert "Nothing to be done" in place.run("--dry-run")
    with capsys.disabled():
        print(f"\n{wanted}, {len(campaign.kills)} kills:")
        for kind in ("step", "victim", "signal"):
            counts = Counter(getattr(kill, kind) for kill in campaign.kills)
            print("  " + ", ".join(f"{name} {count}" for name, count in counts.items()))


def test_a_kill_while_the_list_of_what_is_used_is_written(
    tmp_path: Path, finished_base: tuple[Workplace, dict[str, Any]]
) -> None:
    """The list protects results from `prune`: the earlier one stays until the new one is whole."""
    base, experiment = finished_base
    place = base.copy(tmp_path / "listing")
    place.write(experiment | {"title": "Another title"})
    used = {path: path.read_bytes() for path in place.results.glob("used/*.json")}
    assert used
    log = place.folder / "snakemake.log"
    with locked(place.results):  # its writer waits
        run = start(place)
        while "list the runs of" not in (log.read_text() if log.exists() else ""):
            assert run.poll() is None, log.read_text()
            time.sleep(0.1)
        time.sleep(2)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    assert {path: path.read_bytes() for path in place.results.glob("used/*.json")} == used
    place.run()
    assert "Nothing to be done" in place.run("--dry-run")
