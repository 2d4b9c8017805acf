"""What the pages say is so: every command is understood by its program, what is cheap runs, every file named is there.

Commands that train, download, install or take longer than about a second are not run: they are parsed by their
programs, up to the point where the work would begin. Those of `subwords` run, and all Python.
"""

from __future__ import annotations

import argparse
import ast
import csv
import doctest
import gzip
import importlib
import importlib.util
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import fmean, stdev

import pytest
import yaml
from scipy.stats import ttest_ind
from snakemake import cli as snakemake_cli

from subwords import cli as subwords_cli
from subwords import export, learn

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
FOREIGN = {"cd", "cp", "for", "git", "pip", "pytest", "sacctmgr", "sacrebleu", "sinfo", "snakedeploy", "tar", "zcat"}
#: Of what is not `subwords`, the programs that a test can run.
CHEAP = ("docs/algorithms/huffman_padding.py", "docs/algorithms/volt_sizes.py")
#: Pages that take seconds.
SLOW = ("docs/adding-an-algorithm.md", "docs/algorithms/huffman.md", "docs/algorithms/volt.md")
#: Its blocks are files, which tests/papers/test_new_paper.py writes and runs.
RUN_ELSEWHERE = "docs/new-paper.md"


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page: language and text."""
    return re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def text_of(page: Path) -> str:
    """Return what is outside the blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[str]:
    """Return the commands of a shell block, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [re.split(r"\s+#", line)[0] for line in lines if line.strip()]


def commands_in_sentences(page: Path) -> list[str]:
    """Return the commands that a page's text has with arguments: `subwords learn bpe ...`, not `subwords learn`."""
    spans = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text_of(page)))
    return [span for span in spans if _program(span) and (span.count(" ") > 1 or span.startswith("make "))]


def _program(line: str) -> str | None:
    """Return the program that a line calls, if it is a command."""
    first = (line.split() or [""])[0].removeprefix(".venv/bin/")
    return first if first in {"make", "snakemake", "subwords", "python", *FOREIGN} else None


def runs(command: str) -> bool:
    """Say whether a command is run, not only parsed."""
    return bool(re.search(r"(^|[|&] |do )subwords ", command)) or any(program in command for program in CHEAP)


#: Each command once, with the first page that has it.
COMMANDS = {
    command: page.relative_to(ROOT)
    for page in reversed(PAGES)
    for command in (
        *commands_in_sentences(page),
        *(command for language, block in blocks(page) if language == "sh" for command in commands(block)),
    )
}
PAGES_THAT_RUN = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for page in PAGES
    for name, found in [(page.relative_to(ROOT).as_posix(), blocks(page))]
    if page != ROOT / RUN_ELSEWHERE
    and any(language == "python" or (language == "sh" and any(map(runs, commands(block)))) for language, block in found)
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
    assert {_program(command) for command in COMMANDS} >= {"make", "snakemake", "subwords", "python"}
    assert len(PAGES_THAT_RUN) > 9


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_are_in_shell_blocks(page: Path) -> None:
    """Else no test would look at them."""
    indented = [line for line in re.findall(r"^(?: {4}|\t)\s*(.*)", text_of(page), re.MULTILINE) if _is_command(line)]
    fenced = [block for language, block in blocks(page) if language != "sh" and _program(block)]
    assert not indented + fenced


def _is_command(text: str) -> bool:
    """Say whether a line or block is a command, and no sentence that begins with the word `for` or `make`."""
    return bool(_program(text)) and bool(re.match(r"\S+ (-|[a-z]+ [A-Z]+=|\S+[./=]|learn|encode|compare)", text))


@pytest.mark.parametrize("command", [pytest.param(name, id=f"{page}: {name[:60]}") for name, page in COMMANDS.items()])
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
        if re.match(r"(config|docs|packages|papers|profiles|scripts|tools)/[\w./-]+$", file) and "NAME" not in file:
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
        sys.path.insert(0, str((ROOT / words[0]).parent))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.pop(0)
        module.main(words[1:])


def write_texts(folder: Path, words: int = 0) -> None:
    """Write every file that the pages' commands read: small texts. Those called train have so many more words."""
    draw = random.Random(1)
    some = shlex.split("the cat sat. The low price is lower than the widest of the rest slowly .")
    short = "".join(" ".join(draw.choices(some, k=9)) + "\n" for _ in range(100))
    invented = ("".join(draw.choices("bdfgklmnprstvzaeiou", k=draw.randint(2, 8))) for _ in range(words))
    long = short + "".join(f"{word} {word} {word[::-1]}\n" for word in invented)
    for name in ("text", "text.en", "text.de", "TEXT", "test.txt", "dev.en", "dev.ga", "a.txt"):
        (folder / name).write_text(short, encoding="utf-8")
    for name in ("train.txt", "train.en", "train.de", "train.ga"):
        (folder / name).write_text(long, encoding="utf-8")
    for name in ("b.txt.gz", "big.gz"):
        (folder / name).write_bytes(gzip.compress(short.encode()))
    (folder / "gold.tsv").write_text("widest\twid est\nlower\tlow er\n", encoding="utf-8")
    export.write(learn("bpe", folder / "text", size=20), "huggingface", folder / "tokenizer.json")


def run_python(block: str, names: dict[str, object]) -> None:
    """Run a block. Where a value is said in a comment beside an expression (`1 + 1  # 2`), it must have this value."""
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "a page", "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), "a page", "eval"), names)
        said = re.search(r"\s+# (['\"\[({\d].*)$", lines[(statement.end_lineno or 0) - 1])
        if said:
            shown, found = said[1].replace("…", "...") + "\n", f"{value!r}\n"
            assert doctest.OutputChecker().check_output(shown, found, doctest.ELLIPSIS), f"{shown}is {found}"


@pytest.mark.filterwarnings("ignore::subwords.errors.Shortfall")
@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python, and its commands that are cheap, in their order, in a folder with small texts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    write_texts(tmp_path, words=1200 if page.endswith("volt.md") else 0)  # VOLT chooses among thousands
    names: dict[str, object] = {}
    for language, block in blocks(ROOT / page):
        if language == "python" and "\ndef test_" in block:
            Path("test_page.py").write_text(block, encoding="utf-8")
            _run("python -m pytest -q -p no:hydra_pytest test_page.py")
        elif language == "python":
            run_python(block, names)
        elif language == "sh":
            for command in filter(runs, commands(block)):
                _run(command)


def _run(command: str) -> None:
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("block", ["1 + 1  # 3", "[1, 2]  # [1, 3, …]", "assert False", "undefined"])
def test_a_page_that_is_wrong_is_found(block: str) -> None:
    run_python("1 + 1  # 2\n[1, 2]  # [1, …]\n'a'  # a letter", {})
    with pytest.raises((AssertionError, NameError)):
        run_python(block, {})


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


def test_every_page_is_in_the_menu_of_the_site() -> None:
    """The site is not built where a page is missing; this says so in a second."""
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages
    assert not pages - set(re.findall(r"[\w./-]+\.md", menu))


def test_every_name_is_in_the_file_that_a_page_says() -> None:
    text = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+)` in\s+`([\w/.-]+\.(?:py|yaml))`", text)
    assert len(named) >= 5
    assert not [(name, file) for name, file in named if name not in (ROOT / file).read_text(encoding="utf-8")]


def test_the_table_of_whole_trainings_follows_from_their_scores() -> None:
    page = (ROOT / "docs" / "training-speed.md").read_text(encoding="utf-8").replace("−", "-")
    scores: dict[tuple[str, str, str], list[float]] = {}
    for folder in ("same-scores", "same-scores/bf16"):
        with (ROOT / "docs" / "experiments" / folder / "scores.csv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row["metric"] == "chrf":
                    arm = row["model"], row["precision"], row["testset"]
                    scores.setdefault(arm, []).append(float(row["score"]))
    for testset in ("test", "test_unseen"):
        systems = ("fairseq", "fp32"), ("ours", "fp32"), ("fairseq", "bf16"), ("ours", "bf16")
        arms = [scores[*system, testset] for system in systems]
        cells = [f"`{testset}`", *(f"{fmean(arm):.2f} ± {stdev(arm):.2f}" for arm in arms)]
        for left, right in ((arms[1], arms[0]), (arms[3], arms[2]), (arms[3], arms[1]), (arms[3], arms[0])):
            ends = ttest_ind(left, right, equal_var=False).confidence_interval()
            cells.append(f"{fmean(left) - fmean(right):+.2f} [{ends.low:+.2f}, {ends.high:+.2f}]")
        assert f"| {' | '.join(cells)} |" in page


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
