"""A paper with what ordinary experiments lack: a corpus by mtdata ids, checkpoints chosen on test, measures."""

from __future__ import annotations

import io
import pickle
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workflow.conftest import Workplace

from deployment.runs import some_sentences, three_runs
from experiment.corpora.download import place as place_of

PAPER = '''"""A paper for tests."""

from replication.claims import claim, in_all, of, values
from replication.corpus_counts import corpus_counts
from replication.sources import measure
from replication.tables import alone, table

corpora = corpus_counts


@measure("chosen_on_test")
def on_test(sources):
    for run, testset, keys in sources.translations():
        report, _ = sources.on_test(run, testset)
        for metric, found in report["scores"].items():
            yield keys | {"selection": "test", "metric": metric, "value": found["score"]}


@table("Chosen on test", needs="on-test")
def table1(printed, ours):
    return alone(ours, rows="segmentation")


@table("Texts", needs="corpora")
def table2(printed, ours):
    return alone(ours, rows="split")


@claim("something is right", where="nowhere", needs="on-test")
def right(runs):
    """Some word is."""
    return in_all(values(runs, "bleu", of(algorithm="bpe")) > 0)
'''


@contextmanager
def small_index(home: Path) -> Iterator[Any]:
    """Give mtdata a small index, because all of it takes a minute; yield its entry of TED's dev set."""
    from mtdata import __version__
    from mtdata.index import Index, neulab_tedtalks

    index = Index()
    neulab_tedtalks.load_all(index)
    with (home / f"mtdata.index.{__version__}.pkl").open("wb") as stream:
        pickle.dump(index, stream)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTDATA", str(home))
        yield next(entry for entry in index.entries.values() if str(entry.did) == "Neulab-tedtalks_dev-1-eng-deu")


def write_small_paper(place: Workplace, entry: Any) -> None:
    """Write the paper and the mirror of its corpus, which has the form of an entry of mtdata, into a workplace."""
    mirror = place.folder / "mirror"
    archive = mirror / place_of(entry.url)
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as stream:
        for split, lines in (("train", 200), ("dev", 12), ("test", 10)):
            data = "".join(_row(words, entry.cols) for words in some_sentences(split, lines)).encode()
            described = tarfile.TarInfo(f"all_talks_{split}.tsv")
            described.size = len(data)
            stream.addfile(described, io.BytesIO(data))
    ids = {split: {"mtdata": [f"Neulab-tedtalks_{split}-1-eng-deu"]} for split in ("train", "dev", "test")}
    corpus = {"languages": ["en", "de"], "train": ids["train"], "dev": ids["dev"], "tests": {"test": ids["test"]}}
    experiment = {**three_runs(seeds=[1]), "corpora": {"mini": corpus}, "directions": ["en-de"], "metrics": ["bleu"]}
    runtime = experiment.pop("runtime") | {"mirror": str(mirror)}
    experiment.pop("experiment")
    place.configfile = "papers/small/experiment.yaml"
    (place.folder / "papers" / "small").mkdir()
    (place.folder / "papers" / "small" / "paper.py").write_text(PAPER)
    about = {"paper": "small", "title": "Small", "citation": "Nobody 2099", "scales": {"smoke": None}}
    place.write(about | {"runtime": runtime, "experiment": experiment})


def _row(words: list[str], columns: Sequence[int]) -> str:
    cells = ["x"] * 60
    for column, side in zip(columns, (words, [word[::-1] for word in words]), strict=True):
        cells[column] = " ".join(side)
    return "\t".join(cells) + "\n"
