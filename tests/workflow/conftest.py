"""A workplace: a copy of the repository in which real workflows run."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest
import yaml

PARTS = ["config", "envs", "fairseq_plugins", "papers", "profiles", "scripts", "src", "workflow"]

#: Real in every step, and small: hundreds of sentences, two epochs, a model that learns next to nothing.
TINY: dict[str, Any] = {
    "experiment": "tiny",
    "corpora": {
        "mini": {
            "languages": ["en", "qmo"],
            "generated": {"seed": 1, "train": 200, "dev": 12, "test": 10, "test_unseen": 10},
        }
    },
    "directions": ["en-qmo"],
    "testsets": ["test"],
    "segmentations": {
        "bpe": {"algorithm": "bpe", "size": 60, "joint": True, "text": "moses"},
        "char": {"algorithm": "char", "text": "raw"},
    },
    "baseline": "bpe",
    "models": {
        "mini": {
            "like": "transformer-tiny",
            "flags": {"encoder-embed-dim": 16, "decoder-embed-dim": 16, "max-epoch": 2, "validate-interval": 1},
        }
    },
    "seeds": [1],
    "select": {"average": 2},
    "decode": {"beam": 2, "length_factor": 1.0, "length_constant": 5},
    "significance": {"samples": 20},
}


class Workplace:
    """A copy of the repository, an experiment in it, and `snakemake` on it."""

    #: The folders of all workplaces of this process.
    made: ClassVar[list[Path]] = []

    def __init__(self, folder: Path, root: Path) -> None:
        self.made.append(folder)
        self.folder = folder
        self.results = folder / "results"
        self.python = sys.executable
        #: The experiment, or a paper's file.
        self.configfile = "experiment.yaml"
        for part in PARTS:
            source = root / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("*.egg-info"))
            else:
                shutil.copy(source, folder / part)
        self.write(TINY)

    def copy(self, folder: Path) -> Workplace:
        """Return a copy of this workplace in an empty folder: its experiment, results and what Snakemake remembers."""
        made = Workplace(folder, self.folder)
        shutil.copy(self.folder / self.configfile, folder)
        for part in ("results", ".snakemake"):
            shutil.copytree(self.folder / part, folder / part)
        return made

    def write(self, experiment: dict[str, Any]) -> None:
        """Write the experiment's file."""
        (self.folder / self.configfile).write_text(yaml.safe_dump(experiment, sort_keys=False))

    def command(self, *words: str, configfile: str = "") -> list[str]:
        return [self.python, "-m", "snakemake", *words, "--cores", "2", "--configfile", configfile or self.configfile]

    def environment(self) -> dict[str, str]:
        """Return the variables of a shell in which nothing was activated."""
        bare = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
        own = str(Path(sys.executable).parent)
        path = ":".join(part for part in os.environ["PATH"].split(":") if part != own)
        return {**bare, "PATH": path, "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.folder / ".cache")}

    def snakemake(
        self, *words: str, config: tuple[str, ...] = (), cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run snakemake and return what it said; stdout and stderr are one text."""
        command = self.command(*words) + (["--config", *config] if config else [])
        return subprocess.run(
            command,
            cwd=cwd or self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def run(self, *words: str) -> str:
        """Run snakemake, which must succeed, and return what it said."""
        done = self.snakemake(*words)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def plan(self, experiment: dict[str, Any], *words: str) -> dict[str, int]:
        """Return rule -> number of jobs of a dry run of an experiment, which is then the one that is there."""
        self.write(experiment)
        said = [line.split() for line in self.run("-n", *words).split("Job stats:")[-1].split("\n")]
        found = {line[0]: int(line[1]) for line in said if len(line) == 2 and line[1].isdigit()}
        return {rule: count for rule, count in found.items() if rule not in ("total", "all")}

    def one(self, pattern: str) -> Path:
        """Return the only file or folder of a pattern below results/."""
        (found,) = self.results.glob(pattern)
        return found


@pytest.fixture(scope="session")
def workplaces(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Workplace]:
    """Return a maker of workplaces."""
    return lambda name: Workplace(tmp_path_factory.mktemp(name), root)


@pytest.fixture(autouse=True)
def nothing_is_left_running(tmp_path: Path) -> Iterator[None]:
    """Kill what a test has started in a workplace or in its own folder and left running, also where it failed."""
    yield
    kill_below([*Workplace.made, tmp_path])


def kill_below(folders: Sequence[Path]) -> None:
    """Kill every process whose working directory lies in one of the folders, and wait until it is gone."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(Path(process.cwd()).is_relative_to(folder) for folder in folders):
                process.kill()
                found.append(process)
    psutil.wait_procs(found, timeout=30)


@pytest.fixture
def workplace(workplaces: Callable[[str], Workplace]) -> Workplace:
    return workplaces("workplace")


@pytest.fixture(scope="session")
def finished(workplaces: Callable[[str], Workplace]) -> Workplace:
    """A workplace in which the tiny experiment has run to its end. Tests must not change it."""
    made = workplaces("finished")
    made.run()
    return made
