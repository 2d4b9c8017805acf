"""What the pages say is so: every command is understood by its program, every file named is there."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from snakemake import cli as snakemake_cli

from subwords import cli as subwords_cli

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "papers/**/README.md",
        "config/*.md",
        "results/*.md",
        "packages/*/README.md",
    )
    for path in ROOT.glob(pattern)
)
#: Programs of others, whose options are not checked.
FOREIGN = {"cd", "cp", "for", "git", "pip", "pytest", "sacctmgr", "sacrebleu", "sinfo", "snakedeploy", "zcat"}


def commands(page: Path) -> list[str]:
    """Return the commands of a page: lines of blocks whose first line begins with a program's name."""
    found = []
    for info, block in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        lines = block.replace("\\\n", " ").splitlines()
        if info in ("", "sh") and lines and _program(lines[0]):
            found += [re.split(r"\s+#|\s{8,}", line)[0] for line in lines if line.strip()]
    return found


def _program(line: str) -> str | None:
    """Return the program that a line calls, if it is a command."""
    first = (line.split() or [""])[0].removeprefix(".venv/bin/")
    return first if first in {"make", "snakemake", "subwords", "python", *FOREIGN} else None


COMMANDS = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}: {command[:60]}")
    for page in PAGES
    for command in commands(page)
]


class Understood(BaseException):
    """The command line was parsed: the program would go on now."""


@pytest.fixture
def parse_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop every program once it has parsed its command line."""
    parse = argparse.ArgumentParser.parse_args

    def stop(self: argparse.ArgumentParser, *words: object, **named: object) -> None:
        parse(self, *words, **named)  # type: ignore[call-overload]
        raise Understood

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 60
    assert {_program(str(command.values[0])) for command in COMMANDS} >= {"make", "snakemake", "subwords", "python"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_understood(command: str, parse_only: None, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _program(command)
    assert program, f"{command}: unknown program"
    words = shlex.split(command.split(" < ")[0].split(" > ")[0].split(" | ")[0])[1:]
    if program == "make":
        known = {**os.environ, "PYTHON": sys.executable, "CORES": "1"}  # else make looks for them, again and again
        dry = ["make", "--dry-run", *words]
        done = subprocess.run(dry, cwd=ROOT, env=known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    elif program not in FOREIGN:
        monkeypatch.chdir(ROOT)
        with pytest.raises(Understood):
            _start(program, words)
    for word in words:
        file = word.partition("=")[2] if program == "make" else word
        if re.match(r"(config|papers|profiles|scripts)/[\w./-]+$", file) and "NAME" not in file:
            assert (ROOT / file).exists() or file.startswith("papers/letters"), f"{command}: there is no {file}"


def _start(program: str, words: list[str]) -> None:
    if program == "snakemake":
        snakemake_cli.get_argument_parser().parse_args(words)
        raise Understood  # it parses in a way of its own
    if program == "subwords":
        subwords_cli.main(words)
    elif words[0] == "-m":
        is_package = (ROOT / words[1].replace(".", "/")).is_dir()
        importlib.import_module(f"{words[1]}.__main__" if is_package else words[1]).main(words[2:])
    else:
        spec = importlib.util.spec_from_file_location(f"documented_{Path(words[0]).stem}", ROOT / words[0])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.main(words[1:])


@pytest.mark.parametrize("page", ["docs/where.md", "CONTRIBUTING.md", "docs/design.md", "config/README.md"])
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = {path for path in re.findall(r"`([\w.-]+/[\w./-]+)`", text) if not re.search(r"NAME|^results/|mine", path)}
    assert len(paths) > 5 or page == "config/README.md"
    folder = (ROOT / page).parent
    missing = [path for path in paths if not (ROOT / path).exists() and not (folder / path).exists()]
    missing = [
        path for path in missing if not any((ROOT / top / path).exists() for top in ("src/experiment", "scripts"))
    ]
    assert not missing


def test_every_name_is_in_the_file_that_a_page_says() -> None:
    text = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+)` in\s+`([\w/.-]+\.(?:py|yaml))`", text)
    assert len(named) >= 5
    assert not [(name, file) for name, file in named if name not in (ROOT / file).read_text(encoding="utf-8")]


def test_the_workflow_catalog_finds_what_it_asks_for() -> None:
    """The rules of snakemake-workflow-catalog for "standardized usage" (its README.md)."""
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage.keys() == {"mandatory-flags", "software-stack-deployment"}
    assert usage["mandatory-flags"].keys() == {"desc", "flags"}
    assert (ROOT / "workflow" / "Snakefile").is_file()
    assert (ROOT / "config" / "README.md").is_file()
    assert list((ROOT / "workflow" / "rules").glob("*.smk"))
    about = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in about
    assert "workflow" in about
