"""What made a result: the commit of the code and the versions of the packages."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from experiment.schema import ROOT
from subwords.errors import InputError

#: Packages that a result depends on.
PACKAGES = ["fairseq", "torch", "numpy", "subwords", "sacrebleu", "sacremoses"]
PACKAGES += ["sentencepiece", "tokenizers", "subword-nmt"]


def git_state() -> dict[str, Any]:
    """Return the commit of the code and whether it was changed since; nulls outside a git checkout."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    changes = git("status", "--porcelain", "--untracked-files=no")
    return {"commit": git("rev-parse", "HEAD"), "dirty": None if changes is None else bool(changes)}


def processor() -> str:
    """Return the name of the processor."""
    information = Path("/proc/cpuinfo")
    named = re.search(r"^model name.*?: (.*)$", information.read_text() if information.exists() else "", re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def versions(*further: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that a result depends on, and of further ones."""
    found = {"python": platform.python_version()}
    for package in (*PACKAGES, *further):
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def check_versions(environment: Path) -> None:
    """Raise InputError where this Python lacks the versions that an environment file (envs/) lists.

    Only packages that a result depends on are compared. torch is not: the right build depends on the machine.
    """
    pins = dict(re.findall(r'"([\w.-]+)==([^";]+)', environment.read_text(encoding="utf-8")))
    found = versions()
    for package in PACKAGES:
        wanted = pins.get(package)
        if wanted and package != "torch" and found.get(package) != wanted:
            raise InputError(
                f"the Python that runs snakemake, {sys.executable}, has {package} {found.get(package, '(none)')}",
                allowed=f"{package} {wanted}, as {environment} says",
                next_step="run .venv/bin/snakemake, which `make env` installs; or snakemake --use-conda",
            )


def provenance() -> dict[str, Any]:
    """Return what every record says about its origin: software, machine and time. No key depends on it."""
    return {**software(), "host": platform.node(), "at": datetime.now(UTC).isoformat(timespec="seconds")}


@cache
def software() -> dict[str, Any]:
    """Return commit, digest of the lock and versions; null for a commit outside a git checkout, or a lost lock.

    They are those of the first call in a process, as its job begins: a training takes hours, and commits go on.
    """
    lock = ROOT / "requirements" / "requirements.lock"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:16] if lock.is_file() else None
    return {"git": git_state(), "lock": digest, "versions": versions()}


def versions_label(versions: Mapping[str, str]) -> str | None:
    """Return versions as scores.csv has them; None where there are none.

    >>> versions_label({"python": "3.11.9", "torch": "2.13.0"})
    'python 3.11.9, torch 2.13.0'
    """
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or None


def commit_label(git: Mapping[str, Any]) -> str | None:
    """Return a commit as tables show it, with a + where the code was changed since; None outside a git checkout.

    >>> commit_label({"commit": "0123456789abcdef", "dirty": True})
    '0123456789ab+'
    """
    return f"{git['commit'][:12]}{'+' if git.get('dirty') else ''}" if git.get("commit") else None
