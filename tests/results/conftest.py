"""A finished small experiment, scored and compared once for all tests that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_experiment import make_runs, run_steps

#: Text that would be markup, script, formula or a turned direction of writing, where a program were careless.
HOSTILE = (
    "<script>alert(1)</script> <img src=http://evil.example/x onerror=alert(2)> & \"q\" '$x_{1}$' \u202eabc \u2028 \x0b"
)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of three segmentations, two test sets, three seeds; manifest.json names all files."""
    folder = tmp_path_factory.mktemp("finished")
    return run_steps(folder, make_runs(folder, sentences=25, hostile=HOSTILE))


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with one seed, on a GPU."""
    folder = tmp_path_factory.mktemp("once")
    return run_steps(folder, make_runs(folder, sentences=25, seeds=(4,), gpus=2))
