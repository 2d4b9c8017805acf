"""A result is made once, whole or not at all, and its record is the last thing that is written."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from experiment.jsonfiles import read_json, write_json
from experiment.store.checksums import MEMORY, Checksums
from experiment.store.keys import key
from experiment.store.making import DEFINITION, RECORD, Work, check_made_of, define, fits, made_of, make
from experiment.store.results import Results, synchronize
from subwords.errors import InputError


def work(scratch: Path) -> Mapping[str, Any]:
    (scratch / "inner").mkdir()
    (scratch / "inner/model").write_text("weights")
    (scratch / "text").write_text("line\n")
    with open(scratch.parent / "calls", "a") as calls:
        calls.write("once\n")
    return {"size": 7}


def test_files_and_record(tmp_path: Path) -> None:
    assert make(tmp_path, work)
    record = json.loads((tmp_path / RECORD).read_text())
    assert record["size"] == 7
    assert record["files"] == {
        name: {"size": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        for name, text in (("inner/model", b"weights"), ("text", b"line\n"))
    }
    assert record["made"]["versions"]["python"]
    assert not make(tmp_path, work)
    assert (tmp_path / "calls").read_text() == "once\n"


@pytest.mark.parametrize("harm", ["gone", "cut"])
def test_what_does_not_fit_is_made_again(tmp_path: Path, harm: str) -> None:
    make(tmp_path, work)
    if harm == "gone":
        (tmp_path / "text").unlink()
    else:
        (tmp_path / "inner/model").write_text("weigh")
    assert not fits(tmp_path / RECORD)
    assert make(tmp_path, work)
    assert fits(tmp_path / RECORD)
    assert (tmp_path / "inner/model").read_text() == "weights"


def test_a_damaged_record_is_an_error_that_says_what_to_delete(tmp_path: Path) -> None:
    make(tmp_path, work)
    (tmp_path / RECORD).write_text('{"files": ')
    with pytest.raises(InputError, match=r"or delete .*record\.json and run again"):
        make(tmp_path, work)


def test_work_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(scratch: Path) -> Mapping[str, Any]:
        work(scratch)
        raise InputError("no")

    with pytest.raises(InputError):
        make(tmp_path, fail)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "calls"]


def test_what_a_killed_one_left_is_cleared(tmp_path: Path) -> None:
    child = multiprocessing.get_context("fork").Process(target=make, args=(tmp_path, lambda scratch: os._exit(9)))
    child.start()
    child.join()
    assert list(tmp_path.glob(".making.*"))
    assert make(tmp_path, work)
    assert not list(tmp_path.glob(".making.*"))


def test_many_at_once_make_it_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=make, args=(tmp_path, work)) for _ in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert (tmp_path / "calls").read_text() == "once\n"
    assert fits(tmp_path / RECORD)


def test_a_result_says_what_it_was_made_of(tmp_path: Path) -> None:
    pieces, training = tmp_path / "pieces", tmp_path / "training"

    def write(text: str) -> Work:
        def work(scratch: Path) -> dict[str, Any]:
            for name in ("model.en", "stats.json"):
                (scratch / name).write_text(text)
            return {}

        return work

    make(pieces, write("first"))
    make(training, lambda scratch: {"made_of": made_of(pieces / RECORD, ["model.*"])})
    sha256 = hashlib.sha256(b"first").hexdigest()
    assert json.loads((training / RECORD).read_text())["made_of"] == {"model.en": sha256}
    check_made_of(training / RECORD, pieces / RECORD)
    shutil.rmtree(pieces)
    check_made_of(training / RECORD, pieces / RECORD)  # not there: it is made again first
    make(pieces, write("second"))
    with pytest.raises(InputError, match=f"made from another version of {pieces / 'model.en'}"):
        check_made_of(training / RECORD, pieces / RECORD)


def test_a_folder_has_one_definition(tmp_path: Path) -> None:
    define(tmp_path, {"step": "x 1", "size": 5})
    define(tmp_path, {"size": 5.0, "step": "x 1"})
    with pytest.raises(InputError, match="does not fit its folder"):
        define(tmp_path, {"step": "x 1", "size": 6})


def test_a_folder_is_found_by_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    definition = {"step": "corpus 1", "languages": ["en", "de"]}
    own = f"corpora/mine.{key(definition)}/en-de"
    assert Results().folder(own, definition) == f"results/{own}"
    other = tmp_path / f"results/corpora/theirs.{key(definition)}/en-de"
    define(other, definition)
    assert Results().folder(own, definition) == str(other.relative_to(tmp_path))
    define(tmp_path / "results" / own, definition)
    assert Results().folder(own, definition) == f"results/{own}"  # its own name first
    (tmp_path / "results" / own / DEFINITION).write_text(json.dumps({**definition, "languages": ["en"]}))
    with pytest.raises(InputError, match=key(definition)):
        Results().folder(own, definition)


def test_marks_follow_what_is_there(tmp_path: Path) -> None:
    done, record = tmp_path / "done", tmp_path / RECORD
    synchronize(done, False)
    assert not done.exists()
    record.write_text("{}")
    os.utime(record, (1_000_000, 1_000_000))
    synchronize(done, True, record)
    assert done.stat().st_mtime == 1_000_000
    synchronize(done, False)
    assert not done.exists()


def test_checksums_are_remembered_by_size_and_time(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("one")
    assert Checksums(tmp_path).of(file) == hashlib.sha256(b"one").hexdigest()
    memory = read_json(tmp_path / MEMORY)
    memory[str(file.resolve())][2] = "remembered"
    write_json(tmp_path / MEMORY, memory, sealed=True)
    assert Checksums(tmp_path).of(file) == "remembered"
    file.write_text("other")
    assert Checksums(tmp_path).of(file) == hashlib.sha256(b"other").hexdigest()


def test_damaged_checksums_are_computed_again(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("one")
    checksum = Checksums(tmp_path).of(file)
    for damaged in ("torn", "[]", (tmp_path / MEMORY).read_text().replace(checksum, "0" + checksum[1:])):
        (tmp_path / MEMORY).write_text(damaged)
        assert Checksums(tmp_path).of(file) == checksum
