"""What code the key of a paper's measurements has: all that the paper's measure uses, and nothing of its claims."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from guide_paper import write_files_of_the_page

import measure
from replication.paper import check_call, read
from replication.sources import Sources
from subwords.errors import InputError

MEASURES = """
from replication.sources import measure

from . import lengths
from .counting import count, lines_of

MARGIN = {"words": 3}
MARGIN.update(lines=4)
TITLE = "Words"


def doubled(number):
    return number * MARGIN["words"]


@measure()
def words(sources):
    from .spelling import spelled as as_written

    many = count(as_written("a b"))
    yield {"metric": "words", "value": doubled(many)}


@measure()
def lines(sources):
    yield {"metric": "lines", "value": 1 + lengths.length(lines_of("a"))}


@claim(TITLE, where="abstract")
def many(runs):
    return in_all(values(runs, "words") > 0)
"""
OTHERS = {
    "counting.py": """
from .inner.splitting import words_of

def count(text):
    return len(words_of(text))

def lines_of(text):
    return text.splitlines()
""",
    "inner/splitting.py": """
from ..spelling import BLANK

def words_of(text):
    return text.split(BLANK)
""",
    "spelling.py": """
BLANK = " "

def spelled(text):
    return text.strip()
""",
    "lengths.py": """
def length(lines):
    return len(lines)
""",
    "program.py": """
from .counting import count

print(count("a b c"))
""",
}


def write_paper(root: Path, place: Path) -> Path:
    """Write a paper with these measures; return its folder."""
    write_files_of_the_page(root, place)
    folder = place / "papers/letters"
    with (folder / "paper.py").open("a") as module:
        module.write(MEASURES)
    (folder / "inner").mkdir()
    for name, code in OTHERS.items():
        (folder / name).write_text(code)
    return folder


@pytest.mark.parametrize(
    ("file", "before", "after", "measures"),
    [
        ("paper.py", "number * MARGIN", "number + MARGIN", {"words"}),
        ("paper.py", '"words": 3', '"words": 5', {"words"}),
        ("paper.py", "lines=4", "lines=5", {"words"}),
        ("paper.py", '"value": 1 +', '"value": 2 +', {"lines"}),
        ("paper.py", '"Words"', '"Many words"', set()),
        ("paper.py", '"words") > 0', '"words") > 1', set()),
        ("paper.py", "@measure()\ndef words", "# a comment\n@measure()\ndef words", set()),
        ("counting.py", "len(words_of", "1 + len(words_of", {"words"}),
        ("counting.py", "splitlines()", "splitlines(True)", {"lines"}),
        ("inner/splitting.py", "split(BLANK)", "rsplit(BLANK)", {"words"}),
        ("spelling.py", '" "', "None", {"words"}),
        ("spelling.py", "strip()", "lower()", {"words"}),
        ("lengths.py", "len(lines)", "len(lines) + 1", {"lines"}),
        ("program.py", "a b c", "a b", set()),
    ],
)
def test_changed_code_measures_again_what_uses_it(
    root: Path, tmp_path: Path, file: str, before: str, after: str, measures: set[str]
) -> None:
    folder = write_paper(root, tmp_path)

    def files() -> dict[str, str]:
        paper = read(folder / "experiment.yaml")
        return {name: Sources(paper, name).measured for name in ("words", "lines", "corpora")}

    first, code = files(), (folder / file).read_text()
    assert code.count(before) == 1
    (folder / file).write_text(code.replace(before, after))
    assert {name for name, path in files().items() if path != first[name]} == measures


@pytest.fixture
def paper(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a paper with these measures, in the working directory; one of them names a file of the user's own."""
    folder = write_paper(root, tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_text("yes\n")
    file = folder / "experiment.yaml"
    settings = yaml.safe_load(file.read_text())
    settings.setdefault("measures", {})["words"] = {"files": {"anna": {"local": "answers.csv"}}}
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    return file


def test_a_file_of_the_users_own_counts_by_its_content(paper: Path) -> None:
    def measured() -> str:
        return Sources(read(paper), "words").measured

    first = measured()
    Path("answers.csv").write_text("no\n")
    assert measured() != first
    Path("answers.csv").write_text("yes\n")
    assert measured() == first


def test_an_algorithm_of_the_users_own_is_loaded_from_its_copy_beside_the_pieces(paper: Path) -> None:
    settings = yaml.safe_load(paper.read_text())
    settings["experiment"]["segmentations"] = {"mine": {"algorithm": "mine.py:Mine", "size": 500, "text": "raw"}}
    settings["experiment"]["baseline"] = "mine"
    settings |= {"grids": {}, "scales": {"smoke": None}}
    settings["measures"]["words"].pop("grids", None)
    paper.write_text(yaml.safe_dump(settings, sort_keys=False))
    (paper.parent / "mine.py").write_text("from subwords.bpe import BPE\n\n\nclass Mine(BPE):\n    pass\n")
    (text,) = {text.name: text for text in Sources(read(paper), "words").segmented}.values()
    assert text.algorithm == f"{text.folder}/mine.py:Mine"


def test_nothing_is_measured_under_the_key_of_another_plan(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job may wait for days, and the paper's code be edited meanwhile."""
    words = ["--paper", str(paper), "--measure", "words", "--output", Sources(read(paper), "words").measured]
    assert measure.main(words) == 0
    (paper.parent / "lengths.py").write_text("")
    assert measure.main(words) == 0
    (paper.parent / "counting.py").write_text(OTHERS["counting.py"].replace("len(words", "1 + len(words"))
    assert measure.main(words) == 2
    assert "what words measures, or its code, has changed since" in capsys.readouterr().err


def test_a_measure_has_no_parts(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        measure.main(["--paper", str(paper), "--measure", "words", "--output", "words.csv", "--parts", "lines"])
    assert "unrecognized arguments: --parts lines" in capsys.readouterr().err


def test_what_is_missing_is_made_by_the_workflow(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert measure.main(["--paper", str(paper), "--measure", "corpora", "--output", "corpora.csv"]) == 2
    command = f"next: .venv/bin/snakemake --cores all --configfile {paper} --config scale=smoke"
    assert command in capsys.readouterr().err


@pytest.mark.parametrize("setting", ["precision", "comet_model", "seeds"])
def test_what_shapes_trainings_is_in_the_papers_file_alone(setting: str) -> None:
    """Its measures read the file: with another precision they would look at other trainings."""
    check_call(["scale", "mirror", "runtime"], ["experiment.yaml"])
    with pytest.raises(InputError, match=f"'{setting}' on the command line would reach a paper's trainings, but not"):
        check_call([setting], ["experiment.yaml"])
