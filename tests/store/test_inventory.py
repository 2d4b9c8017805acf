"""What is in a folder of results, who uses it, and what may go."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deployment.damage import DAMAGES

import results
from experiment.jsonfiles import write_json
from experiment.schema import ROOT
from experiment.store.inventory import DELETED, MEASURED, MEASUREMENTS, delete, held, others, waste
from experiment.store.keys import key
from experiment.store.making import DEFINITION, LOCK, RECORD, locked
from experiment.store.results import Results
from experiment.store.usage import use_file, uses, uses_of, write_use
from subwords.errors import InputError

RUNS = "runs/demo/en-xx/bpe"
TEXT, PIECES = "corpora/demo.00/en-xx", "segmented/demo.00/en-xx/bpe.01"


def result(folder: Path, finished: bool = True, definition_above: bool = False) -> Path:
    """Make a result of a few bytes."""
    folder.mkdir(parents=True)
    ((folder.parent if definition_above else folder) / DEFINITION).write_text("{}")
    (folder / "model.pt").write_text("0123456789")
    if finished:
        (folder / RECORD).write_text("{}")
    if finished and definition_above:
        (folder / "best-1").mkdir()
        (folder / "best-1" / RECORD).write_text("{}")
    return folder


def plan(root: Path, experiment: str, *runs: str, folders: tuple[str, ...] = (TEXT, PIECES), age: float = 0) -> None:
    """Leave the list of what a plan uses, made so many seconds ago."""
    trainings: dict[str, Any] = {
        f"{RUNS}/{run}/seed1": {"chosen": f"{RUNS}/{run}/seed1/best-1", "select": {}, "keep": False} for run in runs
    }
    use = {"experiment": experiment, "folders": list(folders), "trainings": trainings}
    path = Path(use_file(str(root), use))
    write_use(path, use)
    if age:
        write_json(path, {**use, "planned": time.time() - age}, sealed=True)


@pytest.fixture(params=["relative", "absolute"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make results of two experiments that share a text, and one run that neither uses; return their folder."""
    monkeypatch.chdir(tmp_path)
    place = Path("results") if request.param == "relative" else tmp_path / "results"
    result(place / TEXT)
    result(place / PIECES)
    for name, run in (("one", "tiny.02"), ("papers/two/smoke", "tiny.03")):
        result(place / RUNS / run / "seed1", definition_above=True)
        plan(place, name, run)
    result(place / RUNS / "tiny.04" / "seed1", finished=False, definition_above=True)
    return place


def test_results_are_listed_with_those_who_use_them(root: Path) -> None:
    users = {str(one.folder.relative_to(root)): set(one.users) for one in held(root)}
    assert users == {
        TEXT: {"one", "papers/two/smoke"},
        PIECES: {"one", "papers/two/smoke"},
        f"{RUNS}/tiny.02/seed1": {"one"},
        f"{RUNS}/tiny.03/seed1": {"papers/two/smoke"},
        f"{RUNS}/tiny.04/seed1": set(),
    }
    assert [one.finished for one in held(root)] == [True, True, True, True, False]
    assert {one.size for one in held(root) if one.kind == "runs" and one.finished} == {14}  # model and records


def test_age_is_that_of_the_result_and_not_of_what_was_added(root: Path) -> None:
    os.utime(root / TEXT / RECORD, (1000, 1000))
    (root / TEXT / "late.en").touch()
    assert [one.made for one in held(root) if one.kind == "corpora"] == [1000]


def test_age_of_what_is_unfinished_is_that_of_its_newest_file(root: Path) -> None:
    """A training writes its checkpoints further down; its own folder stays as old as its first file."""
    run = root / RUNS / "tiny.04" / "seed1"
    (run / "checkpoints").mkdir()
    for name, when in (("checkpoints/checkpoint_last.pt", 2000), ("model.pt", 1000), (".", 3000)):
        (run / name).touch()
        os.utime(run / name, (when, when))
    assert [one.made for one in held(root) if not one.finished] == [2000]


def test_downloads_and_tables_are_listed_too(root: Path) -> None:
    for folder in ("downloads", "one", "papers", ".snakemake"):
        (root / folder).mkdir()
    (root / "README.md").touch()
    assert [path.name for path in others(root)] == ["downloads", "one", "papers"]


def test_what_nobody_uses_may_go_and_nothing_else(root: Path) -> None:
    used, unused = root / RUNS / "tiny.02" / "seed1", root / RUNS / "tiny.04" / "seed1"
    left = [used / "checkpoints/checkpoint_last.pt", used / ".making.abc", used / "checkpoints/.last.pt.xyz.part"]
    (used / "checkpoints").mkdir()
    left[0].write_text("state")
    left[1].mkdir()
    left[2].write_text("half")
    found = waste(root)
    assert {one.path for one in found} == {unused, *left}
    assert delete(root, found) == found
    assert not any(path.exists() for path in (unused, *left))
    assert not list(root.rglob(f"{DELETED}*"))
    assert (used / "model.pt").exists()
    assert waste(root) == []


def test_an_unfinished_training_that_is_planned_keeps_its_checkpoints(root: Path) -> None:
    run = root / RUNS / "tiny.04" / "seed1"
    (run / "checkpoints").mkdir()
    (run / "checkpoints" / "checkpoint_last.pt").write_text("state")
    assert [one.path for one in waste(root)] == [run]
    plan(root, "three", "tiny.04")
    assert waste(root) == []


def test_checkpoints_that_a_plan_keeps_stay(root: Path) -> None:
    run = root / RUNS / "tiny.02" / "seed1"
    (run / "checkpoints").mkdir()
    (run / "checkpoints" / "checkpoint_last.pt").write_text("state")
    wish = {"chosen": f"{RUNS}/tiny.02/seed1/best-1", "select": {}, "keep": True}
    use = {"experiment": "keeper", "folders": [], "trainings": {f"{RUNS}/tiny.02/seed1": wish}}
    write_use(Path(use_file(str(root), use)), use)
    assert [one.path for one in waste(root)] == [root / RUNS / "tiny.04" / "seed1"]
    assert [one["keep"] for one in uses_of(root, run)].count(True) == 1


def test_checkpoints_that_an_earlier_plan_kept_go_when_asked_for(root: Path) -> None:
    checkpoint = root / RUNS / "tiny.02" / "seed1" / "checkpoints" / "checkpoint_last.pt"
    checkpoint.parent.mkdir()
    checkpoint.write_text("state")
    (checkpoint.parents[1] / "best-1" / RECORD).write_text(json.dumps({"files": {}}))
    wish = {"chosen": f"{RUNS}/tiny.02/seed1/best-1", "select": {}, "keep": True}
    use = {"experiment": "one", "folders": [], "trainings": {f"{RUNS}/tiny.02/seed1": wish}}
    write_json(use_file(str(root), use), {**use, "planned": time.time() - 60}, sealed=True)  # an earlier form
    unused = root / RUNS / "tiny.04" / "seed1"
    assert [one.path for one in waste(root)] == [unused]
    assert {one.path for one in waste(root, superseded=True)} == {unused, checkpoint}


def test_what_an_earlier_plan_used_goes_when_asked_for(root: Path) -> None:
    plan(root, "one", "tiny.04", age=60)  # the present one has tiny.02
    earlier = root / RUNS / "tiny.04" / "seed1"
    assert {str(one.folder.relative_to(root)): one.users for one in held(root)}[f"{RUNS}/tiny.04/seed1"] == ("(one)",)
    assert waste(root) == []
    assert [one.path for one in waste(root, superseded=True)] == [earlier]


def test_a_choice_of_checkpoints_that_nobody_names_goes(root: Path) -> None:
    """Its model and translations; the training and what others choose of it stay."""
    run = root / RUNS / "tiny.02" / "seed1"
    for choice in ("last-2", "best-5"):
        (run / choice).mkdir()
        (run / choice / RECORD).write_text("{}")
    wish = {"chosen": f"{RUNS}/tiny.02/seed1/best-5", "select": {}, "keep": False}
    use = {"experiment": "one", "folders": [], "trainings": {f"{RUNS}/tiny.02/seed1": wish}}
    write_json(use_file(str(root), use), {**use, "planned": time.time() - 60}, sealed=True)  # an earlier form
    (root / RUNS / "tiny.04").rename(root / "away")
    assert [one.path for one in waste(root)] == [run / "last-2"]
    found = waste(root, superseded=True)
    assert {one.path for one in found} == {run / "last-2", run / "best-5"}
    assert delete(root, found, superseded=True) == found
    assert sorted(path.name for path in run.iterdir() if path.is_dir()) == ["best-1"]


def test_older_measurements_of_a_paper_go(root: Path) -> None:
    """Those of which its tables have a newer version. What was measured since the tables were made stays."""
    folder, old = root / "papers/two/smoke" / MEASUREMENTS, {}
    folder.mkdir(parents=True)
    for name in ("counts.01.csv", "counts.02.csv", "counts.03.csv", "unknown.01.csv"):
        for path in (folder / name, folder / f"{name}.sha256"):
            path.write_text("0123456789")
            os.utime(path, (1000, 1000))
            old[path.name] = path
    assert {one.folder.name for one in waste(root)} == {"seed1"}  # no table says what it is made of
    write_json(folder.with_name(MEASURED), {"counts": "counts.02.csv"}, sealed=True)
    os.utime(old["counts.03.csv"], (time.time() + 60,) * 2)
    found = [one for one in waste(root) if one.folder == folder]
    assert {one.path.name for one in found} == {"counts.01.csv", "counts.01.csv.sha256", "counts.03.csv.sha256"}
    assert delete(root, found) == found
    assert {name for name, path in old.items() if path.exists()} == old.keys() - {one.path.name for one in found}


def test_a_lock_is_opened_as_network_file_systems_want_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS locks a file for one process alone where that may write to it."""
    (root / TEXT / LOCK).touch()
    opened, really = [], os.open
    monkeypatch.setattr(os, "open", lambda path, flags, *rest: opened.append(flags) or really(path, flags, *rest))
    waste(root)
    assert [flags & os.O_ACCMODE for flags in opened] == [os.O_RDWR]


def test_a_file_that_vanishes_while_sizes_are_added_up_is_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are at work: they rename and delete files."""
    walk = os.walk

    def with_vanished(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(top):
            yield folder, [*folders, ".making.x"], [*names, ".model.pt.x.part"]

    before = [one.size for one in held(root)]
    monkeypatch.setattr(os, "walk", with_vanished)
    assert [one.size for one in held(root)] == before


def test_nothing_is_waste_where_nobody_says_what_is_used(root: Path) -> None:
    for path in (root / "used").rglob("*.json"):
        path.unlink()
    for folder in sorted((root / "used").rglob("*"), reverse=True):
        folder.rmdir()
    (root / "used").rmdir()
    with pytest.raises(InputError, match="it is not known which experiment uses what"):
        waste(root)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_list_is_put_aside_and_not_deleted(root: Path, damage: str) -> None:
    """It may be a colleague's: the error says whose it is, what it protects, and how it comes back."""
    (path,) = (root / "used/papers/two").glob("smoke.*.json")
    DAMAGES[damage](path)
    with pytest.raises(InputError) as error:
        waste(root)
    said = str(error.value)
    assert f"the experiment papers/two/smoke of {path.owner()} uses" in said
    assert "delete" not in said.partition("next: ")[2]
    command = re.search(r"mv (\S+) (\S+),", said)
    assert command
    Path(command[1]).rename(command[2])  # as a person would
    plan(root, "papers/two/smoke", "tiny.03")  # started again
    assert root / RUNS / "tiny.03" / "seed1" not in {one.path for one in waste(root)}


def test_a_folder_in_which_a_process_is_at_work_stays(root: Path) -> None:
    run = root / RUNS / "tiny.04" / "seed1"
    found = waste(root)
    handle = os.open(run / LOCK, os.O_CREAT | os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert waste(root) == []
    assert delete(root, found) == []
    os.close(handle)
    assert [one.path for one in waste(root)] == [run]


def test_what_is_planned_after_it_was_listed_stays(root: Path) -> None:
    found = waste(root)
    plan(root, "three", "tiny.04")
    assert delete(root, found) == []
    assert (root / RUNS / "tiny.04" / "seed1" / "model.pt").exists()


def test_who_waits_for_a_folder_that_is_deleted_gets_a_new_one(root: Path) -> None:
    run = root / RUNS / "tiny.04" / "seed1"
    began, worked = threading.Event(), []

    def work() -> None:
        began.set()
        with locked(run):
            (run / "new").touch()
            worked.append(sorted(path.name for path in run.iterdir()))

    with locked(run):
        waiting = threading.Thread(target=work)
        waiting.start()
        began.wait()
        time.sleep(0.2)  # now it waits for our lock
        run.rename(root / "away")
    waiting.join()
    assert worked == [[LOCK, "new"]]


def test_who_planned_last_is_in_the_list_and_not_in_the_file_s_time(root: Path) -> None:
    """Copies lose times, and clocks go back."""
    plan(root, "one", "tiny.04")
    (later,) = (use for use in uses_of(root, root / RUNS / "tiny.04" / "seed1"))
    for path in (root / "used").rglob("*.json"):
        os.utime(path, (0, 0))
    assert next(use.trainings for use in uses(root) if use.experiment == "one") == {f"{RUNS}/tiny.04/seed1": later}


def test_what_a_killed_deletion_left_is_in_nobody_s_way(root: Path) -> None:
    definition = {"step": "segmentation 1"}
    left = (root / PIECES).with_name(f"{DELETED}.bpe.{key(definition)}")
    (root / PIECES).rename(left)
    assert [one.folder for one in held(root) if one.kind == "segmented"] == []
    assert Results(str(root)).folder(PIECES, definition) == str(root / PIECES)
    assert delete(root, waste(root))
    assert not left.exists()


def test_checkpoints_stay_until_every_wanted_model_is_there(root: Path) -> None:
    """A kill or a full disk may come between the end of a training and its model."""
    run = root / RUNS / "tiny.02" / "seed1"
    (run / "checkpoints").mkdir()
    last = run / "checkpoints" / "checkpoint_last.pt"
    last.write_text("state")
    (run / "best-1" / RECORD).unlink()
    assert last not in {one.path for one in waste(root)}
    (run / "best-1" / RECORD).write_text("{}")
    assert last in {one.path for one in waste(root)}
    wish = {"chosen": f"{RUNS}/tiny.02/seed1/last-2", "select": {}, "keep": False}
    use = {"experiment": "other", "folders": [], "trainings": {f"{RUNS}/tiny.02/seed1": wish}}
    write_use(Path(use_file(str(root), use)), use)
    assert last not in {one.path for one in waste(root)}


def test_what_lies_on_another_disk_is_deleted_there(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = root / RUNS / "tiny.04" / "seed1"
    elsewhere = tmp_path_factory.mktemp("disk") / "seed1"
    run.rename(elsewhere)
    run.symlink_to(elsewhere)
    assert [one.path for one in delete(root, waste(root))] == [run]
    assert not elsewhere.exists()
    assert not run.is_symlink()


def test_the_program_shows_first_and_deletes_when_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unused, used = (root / RUNS / name / "seed1" for name in ("tiny.04", "tiny.02"))
    assert results.main(["ls", "--results", str(root)]) == 0
    listed = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "unfinished" in listed[str(unused)]
    assert listed[str(used)].rstrip().endswith(" one")
    for words, said in (([], "nothing is deleted without --delete"), (["--delete"], "deleted")):
        assert unused.exists()
        assert results.main(["prune", "--results", str(root), *words]) == 0
        shown = capsys.readouterr().out
        assert said in shown
        assert str(unused) in shown
        assert str(used) not in shown
    assert not unused.exists()
    assert used.exists()


def test_clean_deletes_no_training_unless_told_and_nothing_that_people_judge(tmp_path: Path) -> None:
    kept = {"README.md", "downloads", "corpora", "segmented", "runs", "used"}
    for name in (*kept, "demo", "logs"):
        (tmp_path / "results" / name).mkdir(parents=True)
    judged = "results/papers/sbpe/smoke/human_evaluation/keys/de-en.json"
    for name in (judged, "results/papers/sbpe/smoke/claims.md", ".snakemake/log/x.log", ".snakemake/conda/abc/bin"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for words, left in (([], kept), (["TRAININGS=yes"], {"README.md", "downloads"})):
        subprocess.run(["make", "-f", ROOT / "Makefile", "clean", *words], cwd=tmp_path, check=True)
        assert {path.name for path in (tmp_path / "results").iterdir()} == {*left, "papers"}
        found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
        assert found == {judged, ".snakemake/conda/abc/bin"}
