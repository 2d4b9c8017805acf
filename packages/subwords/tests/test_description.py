"""FILE.json beside a model: the files that a model names, what happens when they are gone, and damaged descriptions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from subwords import InputError, learn, load, registry
from subwords.bpe import BPE
from subwords.cli import main

LINES = ["low lower lowest low", "new newer newest"] * 4
KNOWN = "l@@ 60\no@@ 60\nw 60\n"


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A vocabulary under which "low" is its letters, in another folder than the models."""
    path = tmp_path / "words" / "known"
    path.parent.mkdir()
    path.write_text(KNOWN)
    return path


def described(model: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(model.with_name(f"{model.name}.json").read_text())
    return found


def test_the_digest_of_a_vocabulary_is_of_what_was_read(
    tmp_path: Path, known: Path, piped: Callable[[bytes], str]
) -> None:
    from_file = learn("bpe", iter(LINES), 5, vocabulary=str(known))
    from_pipe = learn("bpe", iter(LINES), 5, vocabulary=piped(KNOWN.encode()))
    assert from_pipe.signature() == from_file.signature()
    from_pipe.save(tmp_path / "piped")
    assert described(tmp_path / "piped")["files"] == {"vocabulary": hashlib.sha256(KNOWN.encode()).hexdigest()}
    with pytest.raises(InputError, match=r"which is gone or was changed\s+next: name vocabulary once more"):
        load(tmp_path / "piped")
    assert load(tmp_path / "piped", vocabulary=str(known)).signature() == from_file.signature()


def test_a_vocabulary_that_was_changed_after_it_was_read_is_not_taken_for_it(tmp_path: Path, known: Path) -> None:
    model = learn("bpe", iter(LINES), 5, vocabulary=str(known))
    signature = model.signature()
    known.write_text("lo@@ 60\nw 60\n")
    assert model.signature() == signature
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match="known, which is gone or was changed"):
        load(tmp_path / "model")
    known.write_text(KNOWN)
    assert load(tmp_path / "model").signature() == signature


def test_a_model_is_saved_when_its_vocabulary_is_gone(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(known.parent)
    model = learn("bpe", iter(LINES), 5, vocabulary="known")
    monkeypatch.chdir(tmp_path)
    model.save("model")
    assert load("model").encode("low") == "l@@ o@@ w"
    known.unlink()
    model.save("other")
    assert described(Path("other")) == described(Path("model"))


def test_a_model_that_cannot_be_described_is_not_written(tmp_path: Path) -> None:
    class Odd(BPE):
        def learned_with(self) -> dict[str, Any]:
            raise InputError("no description")

    learn("bpe", iter(LINES), 3).save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    with pytest.raises(InputError, match="no description"):
        Odd([("n", "e")]).save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before
    assert load(tmp_path / "model").model_bytes() == before


@pytest.mark.parametrize("linked", [("model", "model.json"), ("model", "model.json", "words")])
def test_files_that_a_linked_model_names_are_found(linked: tuple[str, ...], tmp_path: Path, known: Path) -> None:
    """From where its description is, or beside the links, as in a store that keeps every file under its digest."""
    (tmp_path / "models").mkdir()
    (tmp_path / "links" / "models").mkdir(parents=True)
    template = Path(registry.__file__).with_name("template.py")
    (tmp_path / "words" / "mine.py").write_text(template.read_text())
    places = {name: tmp_path / "models" / name for name in ("model", "model.json", "own", "own.json")}
    learn("bpe", iter(LINES), 5, vocabulary=str(known)).save(places["model"])
    learn(f"{tmp_path}/words/mine.py:Template", iter(LINES), 2).save(places["own"])
    if "words" in linked:
        (tmp_path / "words").rename(tmp_path / "links" / "words")
    for name, path in places.items():
        (tmp_path / "links" / "models" / name).symlink_to(path)
    assert load(tmp_path / "links" / "models" / "model").encode("low") == "l@@ o@@ w"
    assert load(tmp_path / "links" / "models" / "own").algorithm == "template"


def test_a_model_that_is_saved_through_links_names_files_from_where_it_is(tmp_path: Path, known: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("model", "model.json"):
        (tmp_path / name).symlink_to(tmp_path / "a" / "b" / name)
    learn("bpe", iter(LINES), 5, vocabulary=str(known)).save(tmp_path / "model")
    for model in (tmp_path / "model", tmp_path / "a" / "b" / "model"):
        assert load(model).encode("low") == "l@@ o@@ w"


@pytest.mark.parametrize("given", ["false", "False", 0, False, "true"])
def test_options_are_kept_in_their_types(given: object, tmp_path: Path) -> None:
    """As they come from a command line: the text "false" would contradict False."""
    learn("hft", iter(LINES), 20, pretokenized=given == "true").write(tmp_path / "foreign")
    load(tmp_path / "foreign", "hft", pretokenized=given).save(tmp_path / "model")
    assert described(tmp_path / "model")["options"] == {"pretokenized": given == "true", "variant": "paper"}
    load(tmp_path / "model", pretokenized=given == "true").save(tmp_path / "copy")
    assert described(tmp_path / "copy") == described(tmp_path / "model")


JUNK: list[Any] = [None, 5, "x", [], ["vocabulary"], {}, {"vocabulary": 5}, {"vocabulary": None}]


@pytest.mark.parametrize("field", ["files", "options", "letters", "algorithm", "sha256", "size", "file", "subwords"])
@pytest.mark.parametrize("junk", JUNK, ids=str)
def test_whatever_a_description_says_there_is_no_traceback(field: str, junk: Any, tmp_path: Path, known: Path) -> None:
    learn("bpe", iter(LINES), 5, vocabulary=str(known)).save(tmp_path / "model")
    (tmp_path / "model.json").write_text(json.dumps(described(tmp_path / "model") | {field: junk}))
    with suppress(InputError):
        load(tmp_path / "model")


def test_a_description_that_is_nested_too_deep_cannot_be_read(tmp_path: Path) -> None:
    learn("bpe", iter(LINES), 5).save(tmp_path / "model")
    (tmp_path / "model.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match=r"cannot read .*model\.json"):
        load(tmp_path / "model")


@pytest.mark.parametrize("name", ["bpe", None])
@pytest.mark.parametrize("described", [True, False])
def test_a_model_that_is_gone_is_what_the_error_names(name: str | None, described: bool, tmp_path: Path) -> None:
    learn("bpe", iter(LINES), 5).save(tmp_path / "model")
    (tmp_path / "model").unlink()
    if not described:
        (tmp_path / "model.json").unlink()
    with pytest.raises(InputError, match=r"\Acannot read .*/model: no such file"):
        load(tmp_path / "model", name)


@pytest.mark.parametrize("do", ["export --to fairseq", "encode -i text", "decode -i text"])
@pytest.mark.parametrize("given", [True, False])
def test_no_output_takes_the_place_of_a_model_or_its_vocabulary(
    do: str, given: bool, tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("low\n")
    learn("bpe", iter(LINES), 5, vocabulary=str(known)).save(tmp_path / "model")
    (tmp_path / "link").symlink_to(known)
    command, *options = do.split()
    options += ["--set", f"vocabulary={known}"] if given else []
    before = (tmp_path / "model").read_bytes(), (tmp_path / "model.json").read_bytes()
    for output in ("model", "model.json", known, "link"):
        assert main([command, "bpe", "--model", "model", *options, "-o", str(output)]) == 2
        assert known.read_text() == KNOWN
        assert ((tmp_path / "model").read_bytes(), (tmp_path / "model.json").read_bytes()) == before


def test_a_model_does_not_take_the_place_of_its_vocabulary(tmp_path: Path, known: Path) -> None:
    model = learn("bpe", iter(LINES), 5, vocabulary=str(known))
    with pytest.raises(InputError, match="known is the vocabulary of the model"):
        model.save(known)
    assert known.read_text() == KNOWN
