"""Results are never lost or mixed up: what shares, what meets never, what repeats nothing, and who may run at once."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment.jsonfiles import read_json, write_json

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow

ONE: dict[str, Any] = {**TINY, "segmentations": {"bpe": TINY["segmentations"]["bpe"]}}
OTHER = {**ONE, "experiment": "other", "cleaning": {"max_ratio": 1.5}}
#: Steps whose results lie in the store.
STORE = {"make_corpus", "make_testset", "segment", "train", "select", "evaluate", "rescore"}
#: The same under other names.
RENAMED: dict[str, Any] = {
    **ONE,
    "experiment": "renamed",
    "corpora": {"little": ONE["corpora"]["mini"]},
    "segmentations": {"merges": ONE["segmentations"]["bpe"]},
    "baseline": "merges",
    "models": {"small": ONE["models"]["mini"]},
}


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return time of change and content of every result below a folder, but for Snakemake's marks."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".done")
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files if path.name != "done"}


def stored(place: Workplace) -> dict[str, tuple[int, bytes]]:
    return {
        name: content
        for part in ("corpora", "segmented", "runs")
        for name, content in contents(place.results / part).items()
    }


def folder_of(place: Workplace, file: str) -> Path:
    """Return where the experiment `tiny` has a file of its first run: its definition, or its translation of test."""
    run = json.loads((place.results / "tiny/manifest.json").read_text())["runs"][0]
    path = Path(run["folder"]) if file == "definition.json" else Path(run["testsets"]["test"]["hypothesis"])
    return place.folder / path.parent


@pytest.fixture(scope="module")
def copies(finished: Workplace, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Workplace]:
    """Return a maker of workplaces in which the experiment of one system is finished."""
    made = finished.copy(tmp_path_factory.mktemp("finished-one"))
    made.write(ONE)
    made.run()
    return lambda name: made.copy(tmp_path_factory.mktemp(name))


@pytest.fixture(scope="module")
def one(copies: Callable[[str], Workplace]) -> Workplace:
    """Such a workplace for all tests that only add to it: its tables are of its own folder."""
    made = copies("one")
    made.run()
    return made


@pytest.fixture(scope="module")
def with_other(one: Workplace) -> tuple[dict[str, tuple[int, bytes]], dict[str, int]]:
    """Make the other definitions there, too; return what was in the store before, and what was planned."""
    before = stored(one)
    planned = one.plan(OTHER)
    one.run()
    return before, planned


def test_other_definitions_under_the_same_names(
    one: Workplace, with_other: tuple[dict[str, tuple[int, bytes]], dict[str, int]]
) -> None:
    """A, then B with the same names and another cleaning, then A again: the third plans nothing."""
    before, planned = with_other
    assert planned == {
        **dict.fromkeys(("make_corpus", "segment", "train"), 1),
        **dict.fromkeys(("list_runs", "collect_scores", "make_tables"), 1),
    }
    sizes = {len(path.read_text().splitlines()) for path in one.results.glob("corpora/mini.*/en-qmo/train.en")}
    assert len(sizes) == 2
    assert one.plan(ONE) == {}
    assert before.items() <= stored(one).items()


@pytest.mark.usefixtures("with_other")
def test_tables_of_one_name_are_those_of_who_runs(one: Workplace, tmp_path: Path) -> None:
    """Also where Snakemake remembers nothing, as in another clone on the same results."""
    place, other = one.copy(tmp_path), {**OTHER, "experiment": "tiny"}
    place.write(other)
    place.run()
    for mine, others in ((ONE, other), (other, ONE)):
        shutil.rmtree(place.folder / ".snakemake")
        assert place.plan(mine).keys() == {"list_runs", "collect_scores", "make_tables"}
        assert place.plan(others) == {}
        place.write(mine)
        place.run()
        manifest = json.loads((place.results / "tiny/manifest.json").read_text())
        assert manifest["parameters"]["cleaning"] == mine.get("cleaning", {})
        assert place.plan(mine) == {}


def test_another_model_translates_again(copies: Callable[[str], Workplace]) -> None:
    """A training that was repeated may end with another model: its row is of one model alone."""
    place = copies("repeated")
    assert not STORE & place.plan(ONE).keys()
    record = place.one("runs/*/*/bpe/*/seed1/best-2/record.json")
    content = json.loads(record.read_text())
    del content["seal"]
    content["files"]["model.pt"]["sha256"] = "0" * 64
    write_json(record, content, sealed=True)
    assert place.plan(ONE).keys() >= {"evaluate"}


def test_equal_definitions_share_whatever_they_are_called(one: Workplace) -> None:
    assert not STORE & one.plan(RENAMED).keys()


def test_a_new_metric_scores_and_translates_nothing(one: Workplace) -> None:
    translations = list(one.results.glob("runs/**/test.translation.json"))
    before = {path: path.stat().st_mtime_ns for path in translations}
    more = {**ONE, "experiment": "more", "metrics": ["bleu", "chrf", "ter"]}
    assert one.plan(more).keys() & STORE == {"rescore"}
    one.run()
    assert {path: path.stat().st_mtime_ns for path in translations} == before
    with open(one.results / "more/scores.csv", newline="") as stream:
        assert {row["metric"] for row in csv.DictReader(stream)} == {"bleu", "chrf", "ter"}
    assert one.plan(ONE).keys() & STORE == set()


def test_a_kill_between_a_step_and_snakemake_s_note_of_it_hides_nothing(
    copies: Callable[[str], Workplace],
) -> None:
    """The job of a segmentation had written its last file, and Snakemake still held it for begun."""
    place = copies("noted")
    shutil.rmtree(place.results / "runs")
    (place.results / "tiny/scores.csv").unlink()
    done = place.one("segmented/mini.*/en-qmo/bpe.*/done").relative_to(place.folder)
    note = place.folder / ".snakemake/incomplete" / urlsafe_b64encode(str(done).encode()).decode()
    note.parent.mkdir(exist_ok=True)
    note.write_text("{}")
    assert place.plan(ONE).keys() - {"list_runs"} == {"train", "collect_scores", "make_tables"}


def test_finished_runs_move_without_their_models(
    copies: Callable[[str], Workplace], workplaces: Callable[[str], Workplace]
) -> None:
    """As docs/keeping-results.md moves them: text and pieces are made again, nothing is trained or translated."""
    there, here = copies("published"), workplaces("elsewhere")
    archive = there.folder / "runs.tar.xz"
    left_out = ("--exclude=model.pt", "--exclude=checkpoints")
    subprocess.run(["tar", "-cJf", archive, *left_out, "results/runs"], cwd=there.folder, check=True)
    subprocess.run(["tar", "-xJf", archive], cwd=here.folder, check=True)
    assert not {"train", "select", "evaluate"} & here.plan(ONE).keys()
    here.run()
    scores = [(place.results / "tiny/scores.csv").read_text().splitlines() for place in (there, here)]
    assert scores[0] == scores[1]


def test_scoring_does_not_even_import_torch(one: Workplace, tmp_path: Path) -> None:
    folder = folder_of(one, "test.hyp")
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "test.scores.json").unlink()
    text = one.results / "corpora"
    reference = next(text.glob("mini.*/en-qmo/references/test.qmo"))
    round_trip = next(one.results.glob("segmented/mini.*/en-qmo/*/test.qmo.round-trip"))
    job = {
        "folder": str(copy),
        "definition": json.loads((folder / "definition.json").read_text()),
        "model": "none",
        "direction": "en-qmo",
        "segmented": str(round_trip.parent),
        "metrics": list(json.loads((folder / "test.scores.json").read_text())["metrics"]),
        "inputs": {},
        "train": str(reference.parent.parent / "train.qmo"),
        "tests": [{"stem": "test", "reference": str(reference), "round_trip": str(round_trip)}],
    }
    program = "import sys, evaluate; assert evaluate.main([sys.argv[1]]) == 0; assert 'torch' not in sys.modules"
    environment = one.environment() | {"PYTHONPATH": f"{one.folder}/scripts:{one.folder}/src:{one.folder}"}
    subprocess.run([sys.executable, "-c", program, json.dumps(job)], env=environment, check=True)
    assert json.loads((copy / "test.scores.json").read_text()) == json.loads((folder / "test.scores.json").read_text())


@pytest.mark.parametrize(
    ("change", "makes"),
    [
        ({"decode": {**ONE["decode"], "beam": 1}}, {"evaluate"}),
        ({"testsets": ["test", "test_unseen"]}, {"evaluate"}),
        ({"seeds": [1, 2]}, {"train"}),
        ({"significance": {"samples": 30}}, set()),
        ({"runtime": {"threads": 2, "workers": 1, "mirror": "config", "flags": {"num-workers": 1}}}, set()),
        ({"description": "more words"}, set()),
        ({"select": {**ONE["select"], "metric": "loss"}}, {"train"}),
    ],
    ids=["beam", "test set", "seed", "significance", "machine", "description", "metric of the choice"],
)
def test_a_change_makes_what_it_touches_and_nothing_else(
    one: Workplace, change: dict[str, Any], makes: set[str]
) -> None:
    assert one.plan({**ONE, **change}).keys() & STORE == makes


def test_code_and_environments_repeat_nothing_in_the_store(one: Workplace) -> None:
    one.write(ONE)
    one.run()
    changed = [one.folder / name for name in ("scripts/train.py", "scripts/evaluate.py", "envs/pipeline.yaml")]
    changed += [one.folder / "workflow/rules/training.smk", one.folder / "src/experiment/scoring/scorebook.py"]
    before = {path: path.read_text() for path in changed}
    try:
        for path in changed:
            path.write_text(before[path] + "\n# changed\n")
        again = {"collect_scores", "make_tables"}  # of changed code, and cheap
        assert one.plan(ONE).keys() == again
        assert one.plan(ONE, "--profile", "none", "--workflow-profile", "none").keys() == again
    finally:
        for path, text in before.items():
            path.write_text(text)


def test_lost_marks_and_metadata_repeat_nothing(one: Workplace) -> None:
    """Snakemake deletes the outputs of jobs that failed: its marks are not the results."""
    one.write(ONE)
    one.run()
    for mark in [
        *one.results.glob("corpora/**/done"),
        *one.results.glob("runs/**/done"),
        *one.results.glob("runs/**/*.done"),
    ]:
        mark.unlink()
    shutil.rmtree(one.folder / ".snakemake")
    assert one.plan(ONE).keys() & STORE == set()


def test_a_forced_job_finds_its_work_done(one: Workplace) -> None:
    one.write(ONE)
    before = stored(one)
    one.run("--forcerun", "make_corpus", "segment", "train", "select", "evaluate")
    assert stored(one) == before


def test_a_lost_file_is_made_again(one: Workplace) -> None:
    one.write(ONE)
    one.run()
    hypotheses = folder_of(one, "test.hyp") / "test.hyp"
    before = hypotheses.read_bytes()
    hypotheses.unlink()
    assert one.plan(ONE).keys() & STORE == {"evaluate"}
    one.run()
    assert hypotheses.read_bytes() == before


@pytest.mark.parametrize("file", ["definition.json", "test.hyp"])
def test_a_definition_that_does_not_fit_its_folder(one: Workplace, file: str) -> None:
    one.write(ONE)
    path = folder_of(one, file) / "definition.json"
    before = path.read_text()
    path.write_text(re.sub(r'"beam": \d', '"beam": 9', before))
    try:
        said = one.snakemake("-n")
        assert said.returncode != 0
        assert str(path.relative_to(one.folder)) in said.stdout
        assert path.parent.suffix.removeprefix(".") in said.stdout
    finally:
        path.write_text(before)


def test_a_model_is_not_used_with_pieces_that_it_has_not_seen(one: Workplace) -> None:
    """As after a segmentation was deleted, and made again by other versions."""
    one.write(ONE)
    training = folder_of(one, "definition.json") / "seed1"
    record, sealed = read_json(training / "record.json"), (training / "record.json").read_bytes()
    record["made_of"]["model.qmo"] = "0" * 64
    write_json(training / "record.json", record, sealed=True)
    try:
        said = one.snakemake("-n")
        assert said.returncode != 0
        assert f"{training.relative_to(one.folder)} was made from another version of results/segmented/" in said.stdout
    finally:
        (training / "record.json").write_bytes(sealed)


def test_another_choice_needs_checkpoints(copies: Callable[[str], Workplace]) -> None:
    place = copies("choice")
    shutil.rmtree(place.results / "runs")
    kept = {**ONE, "runtime": {"keep_checkpoints": True}}
    place.write(kept)
    place.run("training")
    other = {**kept, "select": {**ONE["select"], "average": 1}}
    assert place.plan(other, "training") == {"list_runs": 1, "select": 1, "training": 1}
    place.run("training")
    training = place.one("runs/mini/en-qmo/bpe/mini.*/seed1")
    assert sorted(path.parent.name for path in training.glob("*/model.pt")) == ["best-1", "best-2"]
    for checkpoint in training.glob("checkpoints/*.pt"):
        checkpoint.unlink()
    place.write({**kept, "select": {**ONE["select"], "which": "last"}})
    said = place.snakemake("-n")
    assert said.returncode != 0
    assert "were deleted when it was finished" in said.stdout
    assert "best-1, best-2" in said.stdout


def test_choices_that_others_want_of_a_training_are_made_with_it(copies: Callable[[str], Workplace]) -> None:
    place = copies("wishes")
    shutil.rmtree(place.results / "runs")
    other = {**ONE, "experiment": "other", "select": {**ONE["select"], "average": 1}}
    place.write(other)
    place.run("results/other/manifest.json")  # it has been planned, and has trained nothing
    place.write(ONE)
    place.run("training")
    training = place.one("runs/mini/en-qmo/bpe/mini.*/seed1")
    assert sorted(path.parent.name for path in training.glob("*/model.pt")) == ["best-1", "best-2"]
    assert not list(training.glob("checkpoints/*.pt"))


def test_who_plans_later_uses_the_folders_of_who_began(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("names")
    place.write(ONE)
    place.run("results/tiny/manifest.json")
    place.write({**RENAMED, "experiment": "later"})
    place.run("segmentation")
    assert [path.parent.name for path in place.results.glob("segmented/*/*/*/done")] == [
        path.parent.name for path in place.results.glob("segmented/mini.*/en-qmo/bpe.*/definition.json")
    ]


def test_finished_trainings_keep_their_model_alone(one: Workplace) -> None:
    assert list(one.results.glob("runs/**/*.pt")) == list(one.results.glob("runs/**/model.pt")) != []


def test_two_at_once_share_and_make_nothing_twice(workplaces: Callable[[str], Workplace]) -> None:
    """Two experiments with half of their runs in common, started together on one results folder."""
    place = workplaces("two")
    char, word = TINY["segmentations"]["char"], {"algorithm": "word", "size": 60, "text": "moses"}
    bpe = TINY["segmentations"]["bpe"]
    experiments = [
        {**TINY, "experiment": "first", "segmentations": {"bpe": bpe, "char": char}},
        {**TINY, "experiment": "second", "segmentations": {"bpe": bpe, "word": word}},
    ]
    running = []
    for experiment in experiments:
        name = f"{experiment['experiment']}.json"
        (place.folder / name).write_text(json.dumps(experiment))
        command = [word if word != "experiment.yaml" else name for word in place.command()]
        command[command.index("--cores") + 1] = "1"
        running.append(
            subprocess.Popen(
                command,
                cwd=place.folder,
                env=place.environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
    for process in running:
        said, _ = process.communicate()
        assert process.returncode == 0, said
    for name in ("first", "second"):
        assert (place.results / name / "report.html").stat().st_size > 1000
    # One folder for each definition, nothing half made, and each training wrote its log once.
    runs = list(place.results.glob("runs/mini/en-qmo/*/mini.*/seed1"))
    assert sorted(run.parent.parent.name for run in runs) == ["bpe", "char", "word"]
    assert not list(place.results.rglob(".making.*"))
    for run in runs:
        assert (run / "checkpoints/fairseq.log").read_text().count("done training") == 1
    scores = []
    for name in ("first", "second"):
        with open(place.results / name / "scores.csv", newline="") as stream:
            scores.append(
                {row["metric"]: row["score"] for row in csv.DictReader(stream) if row["segmentation"] == "bpe"}
            )
    assert scores[0] == scores[1]


def test_a_test_set_that_came_later(workplaces: Callable[[str], Workplace], tmp_path: Path) -> None:
    """It says that train is not cleaned of it, repeats no training, and what train shares with it is counted."""
    place = workplaces("later")
    data = place.folder / "data"
    data.mkdir()
    words = ["the", "old", "house", "stands", "near", "a", "river", "and", "nobody", "lives", "there"]
    for language in ("en", "xx"):
        for split, count in (("train", 120), ("dev", 8), ("news", 6)):
            lines = [f"{language}{split}{n} {' '.join(words[n % 7 :])} {n}" for n in range(count)]
            (data / f"{split}.{language}").write_text("".join(f"{line}\n" for line in lines))
        first = (data / f"train.{language}").read_text().splitlines()[:2]
        (data / f"late.{language}").write_text("".join(f"{line}\n" for line in [*first, f"{language} is new"]))

    def split(name: str, **more: str) -> dict[str, str]:
        return {language: f"data/{name}.{language}" for language in ("en", "xx")} | more

    corpus = {"languages": ["en", "xx"], "train": split("train"), "dev": split("dev"), "tests": {"news": split("news")}}
    experiment = {**ONE, "corpora": {"mine": corpus}, "directions": ["en-xx"], "testsets": None}
    place.write(experiment)
    place.run("scores")
    later = {**corpus, "tests": {**corpus["tests"], "late": split("late", overlap="keep")}}
    planned = place.plan({**experiment, "corpora": {"mine": later}})
    assert planned.keys() & STORE == {"make_testset", "evaluate"}
    place.run("scores")
    record = json.loads(place.one("corpora/mine.*/en-xx/late.*.json").read_text())
    assert record["train pairs also in it"] == {"any side": 2, "pairs": 2, "en": 2, "xx": 2}
    with open(place.results / "tiny/scores.csv", newline="") as stream:
        assert {row["testset"] for row in csv.DictReader(stream)} == {"news", "late"}
    kept = {**experiment, "cleaning": {"overlap": "keep"}}  # no test set belongs to the text then
    place.write(kept)
    place.run("data")
    cleaned = {**corpus, "tests": {**corpus["tests"], "late": split("late")}}
    assert place.plan({**experiment, "corpora": {"mine": cleaned}}).keys() >= {"make_corpus", "train"}
    (data / "train.en").write_text((data / "train.en").read_text().replace("river", "lake"))
    assert place.plan(experiment).keys() >= {"make_corpus", "segment", "train"}  # content, not place


def test_names_that_differ_by_a_sign(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("signs")
    corpora = {name: {**TINY["corpora"]["mini"]} for name in ("a-b", "a_b")}
    corpora["a_b"] = {**corpora["a_b"], "generated": {**corpora["a_b"]["generated"], "seed": 2}}
    assert place.plan({**ONE, "corpora": corpora}) == {
        **dict.fromkeys(("make_corpus", "segment", "train"), 2),
        **dict.fromkeys(("list_runs", "collect_scores", "make_tables"), 1),
    }


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path, root: Path) -> None:
    program = "import sys, time; from pathlib import Path; from experiment.store.making import locked\n"
    program += "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waiting = subprocess.Popen(
        [sys.executable, "-c", program.replace("time.sleep(60)", "None"), str(tmp_path)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    assert waiting.poll() is None
    holder.kill()
    holder.wait()
    said, about = waiting.communicate(timeout=60)
    assert said == "held\n"
    assert "another process is at work" in about
