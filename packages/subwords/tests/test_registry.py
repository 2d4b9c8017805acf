"""Algorithms from outside: a file of one's own, an installed package, the template, the check."""

from __future__ import annotations

from pathlib import Path

import pytest

from subwords import registry
from subwords.cli import main
from subwords.errors import InputError
from subwords.template import Template
from subwords.testing import CHECKS, check_contract


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The template as `subwords new` writes it, in the working folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine"]) == 0
    assert "subwords check mine.py:Mine" in capsys.readouterr().out
    return tmp_path / "mine.py"


@pytest.mark.slow
def test_a_copy_of_the_template_passes_the_check_unchanged(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine.py:Mine"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == len(CHECKS)
    assert all(line.startswith("ok ") for line in shown)


def test_the_commands_take_a_class_in_a_file(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("text").write_text("the cat sat on the mat\n" * 3)
    assert main(["learn", "mine.py:Mine", "--size", "2", "--model", "m", "text"]) == 0
    assert main(["encode", "mine.py:Mine", "--model", "m", "-i", "text", "-o", "pieces"]) == 0
    assert Path("pieces").read_text().splitlines()[0] == "the cat s ##a ##t o ##n the m ##a ##t"
    assert main(["decode", "mine.py:Mine", "--model", "m", "-i", "pieces", "-o", "back"]) == 0
    assert Path("back").read_bytes() == Path("text").read_bytes()
    assert main(["list", "mine.py:Mine"]) == 0
    assert "min_frequency" in capsys.readouterr().out
    assert main(["compare", "text", "--size", "2", "--algorithms", "word", "mine.py:Mine"]) == 0
    assert "\nmine" in capsys.readouterr().out


def test_a_relative_file_is_looked_for_in_the_folder_given(mine: Path, tmp_path: Path) -> None:
    cls = registry.find("mine.py:Mine", tmp_path)
    assert cls is registry.find(str(mine) + ":Mine"), "the same content is imported once"
    with pytest.raises(InputError, match="no such file"):
        registry.find("mine.py:Mine", tmp_path / "elsewhere")


def test_the_digest_follows_the_file(mine: Path) -> None:
    before, cls = registry.source_digest("mine.py:Mine"), registry.find("mine.py:Mine")
    assert before == registry.source_digest("mine.py:Mine")
    mine.write_text(mine.read_text().replace("Author Year", "Us 2026"))
    assert registry.source_digest("mine.py:Mine") != before
    assert registry.find("mine.py:Mine") is not cls
    assert "Us 2026" in registry.find("mine.py:Mine").summary
    assert registry.source_digest("bpe") != registry.source_digest("word")


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        ("", "none.py:Mine", "no such file"),
        ("", "x.py", "names no class"),
        ("class Mien: pass", "x.py:Mine", "did you mean 'Mien'"),
        ("Mine = 3", "x.py:Mine", "not a subclass"),
        ("class Mine: pass", "x.py:Mine", "not a subclass"),
        ("import does_not_exist", "x.py:Mine", "ModuleNotFoundError"),
        ("def (", "x.py:Mine", "SyntaxError"),
        ("from subwords.segmenter import Segmenter\nclass Mine(Segmenter): reads = 'raw'", "x.py:Mine", "has no algor"),
        (
            "from subwords.template import Template\nclass Mine(Template): reads = 'tokens'",
            "x.py:Mine",
            "unknown value for reads",
        ),
    ],
)
def test_what_cannot_be_used_is_said(source: str, name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(source)
    with pytest.raises(InputError, match=said):
        registry.find(name, tmp_path)


def test_an_installed_package_offers_an_algorithm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = tmp_path / "theirs-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    offered = {"theirs": "Template", "bpe": "Template", "broken": "NoSuchClass"}
    points = "".join(f"{name} = subwords.template:{cls}\n" for name, cls in offered.items())
    (installed / "entry_points.txt").write_text(f"[{registry.ENTRY_POINTS}]\n{points}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "entry_points", registry.entry_points.__wrapped__)  # without what is remembered
    assert registry.names()[-2:] == ["broken", "theirs"]
    assert registry.find("theirs") is Template
    assert registry.find("bpe").algorithm == "bpe", "a name of ours cannot be taken"
    with pytest.raises(InputError, match="NoSuchClass"):
        registry.find("broken")
    with pytest.raises(InputError, match="did you mean 'theirs'"):
        registry.find("their")
    assert main(["list"]) == 0
    shown = capsys.readouterr()
    assert "template: frequent words whole" in shown.out
    assert "NoSuchClass" in shown.err


@pytest.mark.parametrize("name", ["Mine", "9", "a-b", "a/b", "", "__", "class", "word", "none", "true", "_1"])
def test_names_that_are_no_module_or_taken(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", name]) == 2
    assert not list(tmp_path.iterdir())


def test_new_overwrites_nothing(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine.write_text("precious")
    assert main(["new", "mine"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert mine.read_text() == "precious"


class Wrong(Template):
    """Two faults: decoding drops a mark that a text may have, and the size is not the model's."""

    def __init__(self, words: list[str]) -> None:  # without super().__init__(), which is no fault
        self.words, self._whole = words, frozenset(words)

    def decode(self, pieces: str) -> str:
        return super().decode(pieces).replace("@@", "")

    def reached(self) -> int:
        return len(self.words) + 1000


def test_the_check_names_what_fails() -> None:
    fast = [name for name in CHECKS if name != "another_process_learns_the_same"]
    assert check_contract(Template, fast) == []
    failed = {failure.partition(":")[0] for failure in check_contract(Wrong, fast)}
    assert failed == {
        "awkward_lines_come_back",
        "words_made_of_marks_come_back",
        "the_size_is_what_was_asked_or_less",
    }


def test_the_check_gives_status_2(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine.write_text(mine.read_text().replace("marks.read(pieces)", "pieces"))
    assert main(["check", "mine.py:Mine"]) == 2
    shown = capsys.readouterr()
    assert "FAILED  every learned line comes back: the learned text: expected" in shown.out
    assert "checks" in shown.err
