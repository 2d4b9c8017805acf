"""The fixture that kills what a test leaves behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil

from .conftest import kill_below


def test_processes_in_a_folder_are_killed_and_others_are_not(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside / "deeper", outside):
        folder.mkdir(parents=True)
    left = subprocess.Popen(["sh", "-c", "kill -STOP $$"], cwd=inside / "deeper", start_new_session=True)
    other = subprocess.Popen(["sleep", "60"], cwd=outside)
    try:
        kill_below([inside])
        assert not psutil.pid_exists(left.pid)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
