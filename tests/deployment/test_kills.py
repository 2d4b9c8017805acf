"""Real kills at random times, over all steps: the same command again ends with the same files, and repeats nothing."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.kills import Campaign
from deployment.runs import contents, three_runs

pytestmark = [pytest.mark.deployment, pytest.mark.slow]
#: The programs of the small experiment; the list of runs and the marks are made by snakemake itself.
STEPS = ["make_corpus", "segment", "train", "collect_scores", "make_tables", "make_report"]


def test_runs_that_are_killed_at_random(
    workplaces: Callable[[str], Workplace], undisturbed: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """KILLS and SEED say how many and which; CI makes a few, `make test-faults KILLS=200` is the long form."""

    def fresh() -> Workplace:
        place = workplaces("killed")
        place.write(three_runs())
        return place

    campaign = Campaign(STEPS, fresh, random.Random(int(os.environ.get("SEED", "1"))))
    for place in campaign.until(int(os.environ.get("KILLS", "20"))):
        assert contents(place) == undisturbed, campaign.kills
        assert "Nothing to be done" in place.run("--dry-run")
    with capsys.disabled():
        print(f"\n{len(campaign.kills)} kills:")
        for kind in ("step", "victim", "signal"):
            print(
                "  "
                + ", ".join(
                    f"{name} {count}" for name, count in Counter(getattr(kill, kind) for kill in campaign.kills).items()
                )
            )
