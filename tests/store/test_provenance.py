"""What records say of the code that made a result."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from experiment import provenance
from experiment.programs import read_job


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    provenance.software.cache_clear()
    yield
    provenance.software.cache_clear()


def test_a_result_is_of_the_commit_that_its_job_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of one that somebody made while a training ran."""
    monkeypatch.setattr(provenance, "git_state", lambda: {"commit": "before", "dirty": False})
    read_job(None, ["{}"])
    monkeypatch.setattr(provenance, "git_state", lambda: {"commit": "after", "dirty": True})
    assert provenance.provenance()["git"] == {"commit": "before", "dirty": False}
