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

from .counting import count

MARGIN = {"words": 3}
MARGIN.update(lines=4)
TITLE = "Words"


def doubled(number):
    return number * MARGIN["words"]


@measure()
def words(sources):
    yield {"metric": "words", "value": doubled(count("a b"))}


@measure()
def lines(sources):
    yield {"metric": "lines", "value": 1}


@claim(TITLE, where="abstract")
def many(runs):
    return in_all(values(runs, "words") > 0)
"""
COUNTING = "def count(text):\n    return len(text.split())\n"


@pytest.mark.parametrize(
    ("file", "before", "after", "measures"),
    [
        ("paper.py", "number * MARGIN", "number + MARGIN", {"words"}),
        ("paper.py", '"words": 3', '"words": 5', {"words"}),
        ("paper.py", "lines=4", "lines=5", {"words"}),
        ("paper.py", '"value": 1}', '"value": 2}', {"lines"}),
        ("paper.py", '"Words"', '"Many words"', set()),
        ("paper.py", '"words") > 0', '"words") > 1', set()),
        ("paper.py", "@measure()\ndef words", "# a comment\n@measure()\ndef words", set()),
        ("counting.py", "split()", 'split(" ")', {"words", "lines", "corpora"}),
    ],
)
def test_changed_code_measures_again_what_uses_it(
    root: Path, tmp_path: Path, file: str, before: str, after: str, measures: set[str]
) -> None:
    write_files_of_the_page(root, tmp_path)
    folder = tmp_path / "papers/letters"
    with (folder / "paper.py").open("a") as module:
        module.write(MEASURES)
    (folder / "counting.py").write_text(COUNTING)

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
    write_files_of_the_page(root, tmp_path)
    folder = tmp_path / "papers/letters"
    with (folder / "paper.py").open("a") as module:
        module.write(MEASURES)
    (folder / "counting.py").write_text(COUNTING)
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
    (paper.parent / "counting.py").write_text(COUNTING.replace("split()", 'split(" ")'))
    assert measure.main(words) == 2
    assert "what words measures, or its code, has changed since" in capsys.readouterr().err


@pytest.mark.parametrize("setting", ["precision", "comet_model", "seeds"])
def test_what_shapes_trainings_is_in_the_papers_file_alone(setting: str) -> None:
    """Its measures read the file: with another precision they would look at other trainings."""
    check_call(["scale", "mirror", "runtime"], ["experiment.yaml"])
    with pytest.raises(InputError, match=f"'{setting}' on the command line would reach a paper's trainings, but not"):
        check_call([setting], ["experiment.yaml"])
