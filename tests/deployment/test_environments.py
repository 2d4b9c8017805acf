"""Conda environments: their files are what the lock says and list all that is installed; programs work in their own."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from guide_paper import write_files_of_the_page
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tiny_comet import make_tiny_comet
from workflow.conftest import TINY, Workplace

from deployment import stand_in_conda
from deployment.runs import contents
from make_environments import FOLDER, files

NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def test_files_are_what_the_lock_says() -> None:
    """Else: make environments"""
    assert {path: path.read_text() for path in FOLDER.iterdir()} == files()


def test_every_rule_names_an_environment_that_is_there(root: Path) -> None:
    named = {name for _, name, _ in rules(root)}
    assert named == set(NAMES)


def rules(root: Path) -> list[tuple[str, str, list[str]]]:
    """Return (rule file, environment, programs) of every rule that calls a program."""
    found = []
    for file in sorted((root / "workflow" / "rules").glob("*.smk")):
        for text in re.split(r"^ *(?:rule|checkpoint)\b", file.read_text(), flags=re.MULTILINE)[1:]:
            named = dict.fromkeys(re.findall(r"\b(\w+)\.py\b", text))
            programs = [name for name in named if (root / "scripts" / f"{name}.py").exists()]
            environment = re.search(r'envs/(\w+)\.yaml"', text)
            if programs:
                assert environment, f"{file}: a rule that calls {programs} names no environment"
                found.append((file.name, environment[1], programs))
    return found


@dataclass
class Conda:
    """A workplace, the stand-in for conda, and the environments that Snakemake made with it."""

    place: Workplace
    prefix: Path
    variables: dict[str, str]

    def snakemake(self, *words: str, configfile: str = "experiment.yaml") -> str:
        """Run snakemake with --use-conda, with nothing of this Python's programs on PATH."""
        command = [
            *self.place.command(*words, configfile=configfile),
            "--use-conda",
            "--conda-prefix",
            str(self.prefix),
        ]
        done = subprocess.run(
            command,
            cwd=self.place.folder,
            env={**self.place.environment(), **self.variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def environments(self) -> dict[str, Path]:
        """Return name -> folder of the environments that were made."""
        made = {}
        for described in self.prefix.glob("*.yaml"):
            made[yaml.safe_load(described.read_text())["name"]] = described.with_suffix("")
        return made


@pytest.fixture(scope="module")
def conda(workplaces: Callable[[str], Workplace], tmp_path_factory: pytest.TempPathFactory, root: Path) -> Conda:
    """All environments, made as a user's first --use-conda makes them."""
    folder = tmp_path_factory.mktemp("conda")
    variables = stand_in_conda.put_into(folder / "stand-in")
    made = Conda(workplaces("conda"), folder / "environments", variables)
    library = shutil.ignore_patterns("*.so", "build", "*.egg-info", "__pycache__")
    shutil.copytree(root / "packages", made.place.folder / "packages", ignore=library)
    model = make_tiny_comet(folder / "comet")
    made.place.write({**TINY, "metrics": ["bleu", "chrf", "comet"], "comet_model": str(model)})
    made.snakemake("--conda-create-envs-only")
    return made


@pytest.mark.deployment
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_environment_holds_what_its_file_lists_and_nothing_else(conda: Conda, name: str) -> None:
    python = conda.environments()[name] / "bin" / "python"
    frozen = subprocess.run([python, "-m", "pip", "freeze", "--all"], capture_output=True, text=True, check=True).stdout
    pinned = [line for line in frozen.splitlines() if "==" in line and not line.startswith("#")]
    installed = dict(map(_named, pinned))  # the library is not a release: its line is a comment
    listed = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())["dependencies"][-1]["pip"]
    pins = [Requirement(pin) for pin in listed]
    wanted = dict(_named(str(pin).split(";")[0]) for pin in pins if pin.marker is None or pin.marker.evaluate())
    if (FOLDER / f"{name}.post-deploy.sh").exists():
        wanted["fairseq"] = "0.12.2"
    installed.pop("pip")
    assert installed == wanted


def _named(line: str) -> tuple[str, str]:
    """Return name and version of a line of pip's; a local version, torch's +cpu, is left out."""
    package, _, version = line.strip().partition("==")
    return canonicalize_name(package), version.split("+")[0]


@pytest.mark.deployment
@pytest.mark.slow
def test_every_program_starts_in_the_environment_of_its_rule(conda: Conda, root: Path) -> None:
    environments = conda.environments()
    code = f"{root / 'src'}:{root}:{conda.place.folder / 'packages/subwords/src'}"
    variables = {**conda.variables, "PYTHONPATH": code}
    for file, name, programs in rules(root):
        for program in programs:
            command = [environments[name] / "bin" / "python", root / "scripts" / f"{program}.py", "--help"]
            done = subprocess.run(command, capture_output=True, text=True, env=variables)
            assert done.returncode == 0, (file, name, program, done.stderr)


#: Programs of rules, and the code that is theirs. A paper's models import their packages only when they are fitted.
CODE = {
    "download": ["src/experiment/corpora"],
    "make_corpus": ["src/experiment/corpora", "src/experiment/text"],
    "measure": ["papers", "src/replication"],
    "replicate": ["papers", "src/replication"],
    "make_report": ["src/experiment/reporting"],
}


@pytest.mark.deployment
@pytest.mark.slow
@pytest.mark.parametrize("program", CODE)
def test_every_package_that_is_imported_later_is_in_the_environment_of_the_rule(
    conda: Conda, root: Path, program: str
) -> None:
    """In functions, too: bambi by the mixed models, mtdata by downloads. Each is really imported."""
    (name,) = {name for _, name, programs in rules(root) if program in programs}
    packages = sorted({package for folder in CODE[program] for package in imported(root / folder)})
    assert {"download": "mtdata", "measure": "bambi"}.get(program, packages[0]) in packages
    command = [conda.environments()[name] / "bin" / "python", "-c", f"import {', '.join(packages)}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=conda.place.folder, env=conda.variables)
    assert done.returncode == 0, done.stderr


def imported(folder: Path) -> set[str]:
    """Return the packages from elsewhere that the modules below a folder import."""
    found: set[str] = set()
    for node in (node for file in folder.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found - sys.stdlib_module_names - OWN


#: Packages of the project.
OWN = {"experiment", "fairseq_plugins", "papers", "replication", "subwords", "translation"}


@pytest.mark.deployment
@pytest.mark.slow
def test_an_experiment_from_end_to_end(conda: Conda, finished: Workplace) -> None:
    """With COMET. The results are those of .venv, and going from one to the other repeats nothing."""
    said = conda.snakemake()
    assert "activating conda environment" in said.lower()
    expected = {name: content for name, content in contents(finished).items() if "scores." not in name}  # no COMET
    assert contents(conda.place).items() >= expected.items()
    assert "Nothing to be done" in conda.place.run()
    assert "Nothing to be done" in conda.snakemake()


@pytest.mark.deployment
@pytest.mark.slow
def test_a_paper_from_end_to_end(conda: Conda, root: Path) -> None:
    """The one that docs/new-paper.md shows: trainings, a measure, tables, figures, claims."""
    write_files_of_the_page(root, conda.place.folder)
    file = "papers/letters/experiment.yaml"
    conda.snakemake(configfile=file)
    for name in ("table1.csv", "text-sizes.csv", "scores-by-size.svg", "claims.csv", "report.html"):
        assert (conda.place.results / "papers/letters/smoke" / name).stat().st_size > 100, name
    again = subprocess.run(
        conda.place.command(configfile=file),
        cwd=conda.place.folder,
        env=conda.place.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Nothing to be done" in again.stdout + again.stderr
