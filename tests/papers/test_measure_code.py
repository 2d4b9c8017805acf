"""What code the key of a paper's measurements has: all that the paper's measure uses, and nothing of its claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from guide_paper import write_files_of_the_page

from replication.paper import read
from replication.sources import Sources

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
