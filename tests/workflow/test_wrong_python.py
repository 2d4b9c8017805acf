"""The wrong Python is an error before anything runs, and never other versions in silence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from experiment import provenance
from experiment.provenance import check_versions
from subwords.errors import InputError

from .conftest import Workplace


def test_this_python_has_the_versions_of_the_lock(root: Path) -> None:
    check_versions(root / "envs" / "pipeline.yaml")


@pytest.mark.parametrize("version", ["2.5.1", None])
def test_another_version_is_named_with_the_right_one(
    root: Path, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    installed = provenance.versions() | {"sacrebleu": version}
    found = {name: value for name, value in installed.items() if value}
    monkeypatch.setattr(provenance, "versions", lambda: found)
    with pytest.raises(InputError, match=rf"sacrebleu {version or '.none.'}\n.*sacrebleu 2\.\d+\.\d+(.|\n)*make env"):
        check_versions(root / "envs" / "pipeline.yaml")


def test_torch_is_the_machine_s(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = provenance.versions() | {"torch": "2.99.0+cu999"}
    monkeypatch.setattr(provenance, "versions", lambda: found)
    check_versions(root / "envs" / "pipeline.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stand_in", "says"),
    [("sacrebleu-1.0.dist-info", "has sacrebleu 1.0"), ("subwords", "it has no package subwords")],
)
def test_snakemake_stops(workplace: Workplace, tmp_path: Path, stand_in: str, says: str) -> None:
    """A package of another version lies first on the path; or the library cannot be found."""
    if stand_in == "subwords":
        program = "import importlib.util as u; found = u.find_spec; "
        program += "u.find_spec = lambda name, *rest: None if name == 'subwords' else found(name, *rest); "
    else:
        (tmp_path / stand_in).mkdir()
        (tmp_path / stand_in / "METADATA").write_text("Metadata-Version: 2.1\nName: sacrebleu\nVersion: 1.0\n")
        program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
    program += "from snakemake.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--cores", "1", "--configfile", "experiment.yaml"],
        cwd=workplace.folder,
        env=workplace.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert says in done.stderr
    assert not list(workplace.results.glob("corpora"))
