"""Segmenters from everywhere in one experiment: a file, a package, a foreign model, samplers, gold morphemes."""

from __future__ import annotations

import csv
import json
import site
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from subwords import learn, registry
from subwords.errors import InputError
from subwords.template import __file__ as template

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow

SEGMENTATIONS: dict[str, Any] = {
    "bpe": {"algorithm": "bpe", "size": 60, "joint": True, "text": "moses"},
    "own": {"algorithm": "mine.py:Template", "size": 50, "joint": True},
    "packaged": {"algorithm": "template-of-a-package", "size": 50},
    "codes": {"algorithm": "pretrained", "model": "codes", "joint": True, "text": "moses"},
    "dropout": {"algorithm": "bpe-dropout", "size": 60, "joint": True, "dropout": 0.5, "draws": 2},
    "drawn": {"algorithm": "unigram-sampling", "size": 80, "joint": True, "text": "moses", "draws": 2},
    "gold": {"algorithm": "oracle", "joint": True},
    "knockout": {"algorithm": "bpe-knockout", "size": 60, "joint": True},
}
TRAINED = ["bpe", "own", "packaged", "codes", "dropout", "drawn"]
EXPERIMENT = TINY | {
    "segmentations": SEGMENTATIONS,
    "grids": {"trained": {"segmentations": TRAINED}},
    "texts": {"looked at": {"segmentations": ["gold", "knockout"]}},
}


def install_a_package(folder: Path) -> Path:
    """Make an environment that has what this one has, and a package that offers the template; return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "this_one.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    for finder in Path(site.getsitepackages()[0]).glob("__editable__*.pth"):
        (packages / finder.name).write_text(finder.read_text())
    code = Path(template).read_text().replace('"template"', '"template-of-a-package"')
    (packages / "offering.py").write_text(code)
    about = packages / "offering-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[subwords.algorithms]\ntemplate-of-a-package = offering:Template\n")
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def everything(workplaces: Callable[[str], Workplace], tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """A workplace in which an experiment with all of them has run to its end."""
    made = workplaces("any")
    made.python = str(install_a_package(tmp_path_factory.mktemp("environment")))
    (made.folder / "mine.py").write_text(Path(template).read_text())
    learn("bpe", iter(["the small house sees houses", "a house"] * 9), size=20).write(made.folder / "codes")
    made.write(EXPERIMENT)
    made.run("all", "segmentation")
    return made


def segmented(workplace: Workplace, name: str) -> Path:
    return workplace.one(f"segmented/mini.*/en-qmo/{name}.*")


def test_every_system_is_scored_and_says_what_made_its_pieces(everything: Workplace) -> None:
    with open(everything.results / "tiny" / "scores.csv", newline="") as stream:
        signatures = {row["segmentation"]: row["segmentation_signature"] for row in csv.DictReader(stream)}
    assert list(signatures) == TRAINED
    report = (everything.results / "tiny" / "report.html").read_text()
    for name, signature in signatures.items():
        record = json.loads((segmented(everything, name) / "segmentation.json").read_text())
        assert signature == " / ".join(dict.fromkeys(record["signatures"].values())), name
        assert signature in report
    assert "dropout:0.5" in signatures["dropout"]
    assert signatures["packaged"].count(" / ") == 1  # one model a side


def test_a_class_of_one_s_own_is_kept_with_what_it_made(everything: Workplace) -> None:
    folder = segmented(everything, "own")
    assert (folder / "mine.py").read_text() == Path(template).read_text()
    definition = json.loads((folder / "definition.json").read_text())
    assert definition["algorithm"] == "Template"
    assert definition["source"] == registry.source_digest(f"{folder}/mine.py:Template")
    pieces = (folder / "train.qmo").read_text().split()
    assert any(piece.startswith("##") for piece in pieces)


def test_a_changed_class_is_another_segmentation(everything: Workplace) -> None:
    mine = everything.folder / "mine.py"
    before = mine.read_text()
    assert "Nothing to be done" in everything.run("-n")
    try:
        mine.write_text(before + "\n# changed\n")
        assert everything.plan(EXPERIMENT, "segmentation") == {"list_runs": 1, "segment": 1, "segmentation": 1}
    finally:
        mine.write_text(before)


def test_a_model_learned_elsewhere_is_copied_and_applied(everything: Workplace) -> None:
    folder = segmented(everything, "codes")
    assert (folder / "model.en").read_bytes() == (everything.folder / "codes").read_bytes()
    assert json.loads((folder / "definition.json").read_text())["options"]["model"] != "codes"  # but what it holds


def test_draws_are_different_epochs_of_the_same_text(everything: Workplace) -> None:
    for name in ("dropout", "drawn"):
        folder = segmented(everything, name)
        algorithm = SEGMENTATIONS[name]["algorithm"]
        model = registry.find(algorithm).load(
            folder / "model.qmo", **json.loads((folder / "encode.qmo.json").read_text())
        )
        text = everything.one("corpora/mini.*/en-qmo/moses/train.qmo").read_text().splitlines()
        draws = [(folder / file).read_text().splitlines() for file in ("train.qmo", "train.2.qmo")]
        assert draws == [list(model.sample_lines(text, seed)) for seed in (1, 2)]
        assert draws[0] != draws[1]
        dev = everything.one("corpora/mini.*/en-qmo/moses/dev.qmo").read_text().splitlines()
        assert (folder / "dev.qmo").read_text().splitlines() == list(model.encode_lines(dev))
        known = {line.split()[0] for line in (folder / "binarized/dict.qmo.txt").read_text().splitlines()}
        assert {piece for draw in draws for line in draw for piece in line.split()} <= known
        cost = json.loads((folder / "segmentation.json").read_text())["sampling"]["qmo"]
        assert cost["pieces_of_draws"] == [sum(len(line.split()) for line in draw) for draw in draws]
        assert (
            cost["pieces_encoded"]
            == sum(len(line.split()) for line in model.encode_lines(text))
            < cost["pieces_of_draws"][0]
        )
        training = json.loads(everything.one(f"runs/mini/en-qmo/{name}/mini.*/seed1/training.json").read_text())
        assert training["epochs"] == 2
        assert training["pieces_seen"] == sum(cost["pieces_of_draws"])  # each epoch has read its own draw


def test_gold_morphemes_of_the_corpus_are_pieces(everything: Workplace) -> None:
    gold = dict(
        line.split("\t")[:2] for line in everything.one("corpora/mini.*/en-qmo/gold.qmo").read_text().splitlines()
    )
    stats = json.loads((segmented(everything, "gold") / "stats.json").read_text())
    assert stats["qmo"]["boundaries"]["micro"]["f1"] == 1
    model = registry.find("oracle").load(segmented(everything, "gold") / "model.qmo")
    assert all(model.encode(word).replace(" ##", " ") == morphs for word, morphs in list(gold.items())[:50])


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"algorithm": "bpe-dropout", "size": 60}, "draws is missing"),
        ({"algorithm": "bpe", "size": 60, "draws": 3}, "bpe segments a line in one way only"),
        ({"algorithm": "pretrained"}, "pretrained needs model"),
        ({"algorithm": "pretrained", "model": "gone.json"}, "no such file"),
        ({"algorithm": "gone.py:Mine", "size": 60}, "no such file"),
        ({"algorithm": "mine.py:Mine", "size": 60}, "unknown class"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(tmp_path: Path, entry: dict[str, Any], says: str) -> None:
    from experiment.config import load

    workplace_file = tmp_path / "experiment.yaml"
    (tmp_path / "mine.py").write_text(Path(template).read_text())
    settings = TINY | {"segmentations": {"bpe": SEGMENTATIONS["bpe"], "other": entry}}
    workplace_file.write_text(json.dumps(settings))
    with pytest.raises(InputError, match=says):
        load(workplace_file)
