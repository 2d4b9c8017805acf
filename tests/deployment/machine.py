"""Programs of Debian that tests need: installed where they are missing and may be."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping


class Missing(Exception):
    """A program is not here and cannot be installed; the text says why."""


def install(packages: Mapping[str, str]) -> None:
    """Install the packages of the programs that are missing, given as program -> package. Raises `Missing`."""
    lacking = sorted({package for program, package in packages.items() if not shutil.which(program)})
    if not lacking:
        return
    if os.getuid() != 0 or not shutil.which("apt-get"):
        raise Missing(f"{', '.join(lacking)} is not installed, and this user cannot install it with apt-get")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *lacking]):
        done = subprocess.run(["apt-get", *command], env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"apt-get {command[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
