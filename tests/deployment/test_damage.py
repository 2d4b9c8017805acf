"""Damaged results: what is cut or has a flipped bit is found where it would be read, or made again as it was."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from workflow.conftest import Workplace

from deployment.damage import DAMAGES, flip
from deployment.runs import contents
from experiment.jsonfiles import read_json, write_json
from experiment.store.making import check_inputs, fits, write_record
from subwords.errors import InputError


def test_a_sealed_file_reads_as_it_was_written(tmp_path: Path) -> None:
    value = {"b": [1.5, None, "ü"], "a": {"x": (1, 2)}, "n": 0.1 + 0.2}
    write_json(tmp_path / "f.json", value, sealed=True)
    assert read_json(tmp_path / "f.json") == {**value, "a": {"x": [1, 2]}}


def test_no_flipped_bit_of_a_sealed_file_is_read(tmp_path: Path) -> None:
    """Every bit of the file is flipped once: what can still be read is what was written."""
    value = {"score": 27.125, "name": "BLEU", "list": [1, 2]}
    path = tmp_path / "f.json"
    write_json(path, value, sealed=True)
    whole, found = path.read_bytes(), 0
    for place in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            read = read_json(path)
        except InputError:
            found += 1
        else:
            assert {name: read.get(name) for name in value} == value
    assert found > 7 * len(whole)


def test_a_file_that_is_not_what_was_made_is_found_before_it_is_read(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"the text {name}\n")
    record = tmp_path / "record.json"
    write_record(record, [Path("a.txt"), Path("b.txt")], {})
    check_inputs({str(record): ["*"]})
    flip(tmp_path / "a.txt")
    check_inputs({str(record): ["b.*"]})
    assert fits(record)  # the size is right
    with pytest.raises(InputError, match=rf"a\.txt has changed since(.|\n)*delete {record} and run again"):
        check_inputs({str(record): ["*"]})


def test_a_damaged_record_is_an_error_and_no_reason_to_make_a_result_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text\n")
    record = tmp_path / "record.json"
    write_record(record, [Path("a.txt")], {"seconds": 1})
    record.write_text(record.read_text().replace('"seconds": 1', '"seconds": 3'))
    with pytest.raises(InputError, match="has changed since it was written"):
        fits(record)


#: What is damaged -> what is deleted beside it, so that the damaged file is read again (globs in results/).
KINDS: dict[str, tuple[str, list[str]]] = {
    "clean text": ("corpora/*/*/moses/train.qmo", ["segmented/*/*/bpe*/record.json", "runs/*/*/bpe"]),
    "reference": ("corpora/*/*/references/test.qmo", ["runs/**/test.scores.json"]),
    "segmenter": ("segmented/*/*/bpe*/model.en", ["runs/**/test.translation.json"]),
    "dictionary": ("segmented/*/*/bpe*/binarized/dict.qmo.txt", ["runs/**/test.translation.json"]),
    "binarized data": ("segmented/*/*/bpe*/binarized/train.en-qmo.qmo.bin", ["runs/*/*/bpe"]),
    "statistics": ("segmented/*/*/bpe*/stats.json", ["tiny/scores.csv"]),
    "model": ("runs/*/*/bpe/*/seed1/*/model.pt", ["runs/**/test.translation.json"]),
    "what a run cost": ("runs/*/*/bpe/*/seed1/*/run.json", ["tiny/scores.csv"]),
    "training's record": ("runs/*/*/bpe/*/seed1/record.json", []),
    "translation": ("runs/*/*/bpe/**/test.hyp", ["runs/**/test.scores.json"]),
    "translation, for significance": ("runs/*/*/bpe/**/test.hyp", ["tiny/scores.csv"]),
    "translation's record": ("runs/*/*/bpe/**/test.translation.json", ["tiny/scores.csv"]),
    "scores": ("runs/*/*/bpe/**/test.scores.json", ["tiny/scores.csv"]),
    "definition": ("corpora/*/*/definition.json", []),
    "scores.csv": ("tiny/scores.csv", ["tiny/table.md"]),
}


@pytest.mark.deployment
@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_file_changes_a_number(finished: Workplace, tmp_path: Path, kind: str, damage: str) -> None:
    """It heals, or it is an error that names the file; and what the error says to delete heals it."""
    place = finished.copy(tmp_path / "damaged")
    pattern, deleted = KINDS[kind]
    (path,) = place.results.glob(pattern)
    DAMAGES[damage](path)
    for glob in deleted:
        for other in place.results.glob(glob):
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    before = contents(finished)
    for _ in range(4):
        began = time.time()
        done = place.snakemake()
        if done.returncode == 0:
            break
        logs = [log for log in place.results.glob("logs/*/*.log") if log.stat().st_mtime > began]
        said = done.stdout + "".join(log.read_text() for log in logs)
        advice = re.findall(r"\b(?:delete|move|and) (results/\S+)", said)
        assert advice, said[-4000:]
        for advised in {path.rstrip(",;:") for path in advice}:
            gone = place.folder / advised
            shutil.rmtree(gone) if gone.is_dir() else gone.unlink(missing_ok=True)
    assert done.returncode == 0, done.stdout[-4000:]
    assert contents(place) == before
    assert json.loads((place.results / "tiny" / "manifest.json").read_text())
