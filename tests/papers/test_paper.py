"""A paper's file and its scales."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from papers import published
from papers.analyses import KINDS
from papers.paper import SCALES, from_settings, read
from subwords.errors import InputError

GENERATED = {
    "languages": ["en", "ga"],
    "generated": {"seed": 1, "train": 200, "dev": 10, "test": 10, "test_unseen": 10},
}
FILE: dict[str, Any] = {
    "paper": "hft",
    "title": "High Frequency Tokens",
    "citation": "Signoroni and Rychlý 2022",
    "experiment": {
        "corpora": {"loresmt-en-ga": None},
        "directions": ["en-ga", "ga-en"],
        "segmentations": {
            "bpe-2k": {"algorithm": "bpe", "size": 2000},
            "hft-2k": {"algorithm": "hft", "size": 2000},
            "char": {"algorithm": "char"},
        },
        "models": {"transformer-small": None},
        "seeds": [1, 2, 3, 4, 5],
        "baseline": "bpe-2k",
    },
    "grids": {"table1": {"corpora": ["loresmt-en-ga"], "segmentations": ["bpe-2k", "hft-2k"]}},
    "scales": {
        "full": None,
        "reduced": {"experiment": {"seeds": [1]}},
        "smoke": {
            "sizes": {2000: 50},
            "experiment": {"corpora": {"loresmt-en-ga": GENERATED}, "testsets": ["test"], "seeds": [1, 2]},
            "grids": {"table1": {"directions": ["en-ga"]}},
        },
    },
    "analyses": {"counts": {"kind": "corpus_counts"}},
    "tables": {"table1": {"title": "BLEU"}},
    "figures": {"sizes": {"from": ["counts"], "x": "size", "y": ["sentences"]}},
    "claims": {"better": {"says": "it is better", "holds": [{"metric": "bleu", "left": {"algorithm": "hft"}}]}},
}


def at(scale: str, **more: Any) -> Any:
    return from_settings(FILE | {"scale": scale} | more, "hft.yaml")


def test_full_is_the_paper() -> None:
    paper = at("full")
    experiment = paper.experiment
    assert len(experiment.runs) == 2 * 2 * 5
    assert experiment.runs[0].folder == "results/runs/loresmt-en-ga/en-ga/bpe-2k/transformer-small/seed1"
    assert paper.folder == "papers/hft/full"


def test_a_smaller_scale_changes_what_it_names_and_keeps_the_rest() -> None:
    paper = at("smoke")
    experiment = paper.experiment
    assert [run.folder for run in experiment.runs] == [
        f"results/runs/loresmt-en-ga.smoke/en-ga/{name}/transformer-small/seed{seed}"
        for name in ("bpe-2k", "hft-2k")
        for seed in (1, 2)
    ]
    assert experiment.segmentations["bpe-2k"].size == 50
    assert paper.sizes_of_paper == {"bpe-2k": 2000, "hft-2k": 2000, "char": None}
    assert paper.paper_corpus("loresmt-en-ga.smoke") == "loresmt-en-ga"
    assert paper.corpus("loresmt-en-ga") == "loresmt-en-ga.smoke"


def test_runs_of_two_scales_share_no_file() -> None:
    folders = [{run.folder for run in at(scale).experiment.runs} for scale in SCALES]
    assert not folders[0] & folders[1]
    assert not folders[0] & folders[2]
    assert not folders[1] & folders[2]


def test_the_parts_that_are_wanted() -> None:
    whole, part = at("smoke"), at("smoke", parts=["counts"])
    assert whole.sources == ["scores", "counts"]
    assert (list(part.tables), list(part.figures), part.sources) == ([], ["sizes"], ["counts"])
    assert whole.uses_scores
    assert not part.uses_scores


def test_corpora_may_be_a_list_of_names() -> None:
    listed = {"experiment": {**FILE["experiment"], "corpora": ["loresmt-en-ga"]}}
    assert at("full", **listed).experiment.runs == at("full").experiment.runs


def test_the_machine_s_settings_reach_the_experiment(tmp_path: Path) -> None:
    assert at("smoke", mirror=str(tmp_path)).experiment.settings["mirror"] == str(tmp_path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.update(scale="huge"), ["scale", "'huge'", "full, reduced, smoke"]),
        (lambda f: f.update(tabels={}), ["'tabels'", "tables"]),
        (lambda f: f["analyses"]["counts"].update(kind="corpus_count"), ["'corpus_count'", "corpus_counts"]),
        (lambda f: f["analyses"]["counts"].update(split=["train"]), ["counts", "'split'", "splits"]),
        (lambda f: f["analyses"].update(gains={"kind": "likelihood_gains"}), ["gains", "lacks segmentations"]),
        (lambda f: f["claims"]["better"].update(scales=["ful"]), ["better", "'ful'", "full, reduced, smoke"]),
        (lambda f: f["tables"].update(table9={}), ["published table", "'table9'"]),
        (lambda f: f["tables"]["table1"].update(where={"model": "hft-small"}), ["tables.table1", "'hft-small'"]),
        (lambda f: f["figures"]["sizes"].update(where={"corpus": ["x"]}), ["figures.sizes", "'x'", "loresmt-en-ga"]),
        (lambda f: f["figures"]["sizes"].update({"from": ["count"]}), ["source", "'count'", "counts"]),
        (lambda f: f.update(parts=["score"]), ["part", "'score'", "scores"]),
        (lambda f: f.update(paper="hfft"), ["paper", "'hfft'", "hft"]),
        (lambda f: f["figures"].update(table1={}), ["table1", "both"]),
        (lambda f: f["scales"].pop("reduced"), ["scales", "'reduced'"]),
        (lambda f: f["scales"]["smoke"].update(size={}), ["scales.smoke", "'size'"]),
        (lambda f: f["experiment"]["corpora"].update(nowhere=None), ["corpus", "'nowhere'"]),
        (lambda f: f["scales"].update({"Big one": {}}), ["scales", "'Big one'"]),
        (lambda f: f["scales"].update(cpu={"seed": [1]}), ["scales.cpu", "'seed'"]),
        (lambda f: f["scales"]["smoke"]["sizes"].update({501: 60}), ["size", "'501'", "2000"]),
        (lambda f: f["scales"]["smoke"].update(claims={"better": 1}), ["scales.smoke.claims.better", "1"]),
        (lambda f: f["claims"]["better"].pop("holds"), ["claims.better", "'holds'"]),
        (lambda f: f["claims"]["better"].pop("says"), ["claims.better", "'says'"]),
        (lambda f: f["claims"]["better"]["holds"][0].update({"in": "often"}), ["claims.better", "often", "most"]),
        (lambda f: f["claims"]["better"]["holds"][0].update(left={"algorithm": "hftt"}), ["'hftt'", "hft"]),
        (lambda f: f["claims"]["better"]["holds"][0].update(left={"corpus": {"not": "ga"}}), ["corpus", "'ga'"]),
        (lambda f: f["claims"]["better"]["holds"][0].update(left={"direction": "en-gq"}), ["direction", "'en-gq'"]),
        (lambda f: f["analyses"]["counts"].update(grids=["table2"]), ["grid", "'table2'"]),
        (lambda f: f["scales"]["smoke"].setdefault("analyses", {}).update(cuonts={}), ["'cuonts'", "counts"]),
        (lambda f: f["scales"]["smoke"]["experiment"].update(models={"transformer-smal": {}}), ["'transformer-smal'"]),
        (lambda f: f["scales"]["smoke"].update(claims={"bettr": {"says": "x"}}), ["claims", "'bettr'", "better"]),
        (lambda f: f["experiment"]["segmentations"].update(word={"size": 5}), ["segmentations.word", "'algorithm'"]),
        (lambda f: f["experiment"].update(segmentations=["char"]), ["segmentations", "a mapping"]),
        (lambda f: f["experiment"].update(corpora=None), ["experiment.corpora", "'loresmt-en-ga'"]),
        (lambda f: f["scales"]["smoke"]["experiment"].update(seeds=1), ["seeds", "a list"]),
        (lambda f: f["analyses"]["counts"].update(files={"one": {"url": "x"}}), ["counts.files.one", "sha256"]),
        (lambda f: f["scales"]["smoke"].update(sizes={"2000": 50}), ["sizes", "'2000'", "without quotes"]),
        (lambda f: f["claims"]["better"]["holds"][0].update(metric="bluu"), ["claims.better", "'bluu'", "bleu"]),
        (lambda f: f["figures"]["sizes"].update(y=["sentnces"]), ["figures.sizes", "'sentnces'", "sentences"]),
        (lambda f: f["tables"]["table1"].update(extra={"x": {"metric": "chfr"}}), ["tables.table1", "'chfr'", "chrf"]),
        (lambda f: f.update(parts=["counts"], figures={}), ["counts alone"]),
        (lambda f: f["figures"]["sizes"].update(kind="pie"), ["'pie'", "lines"]),
        (lambda f: f["figures"]["sizes"].pop("x"), ["sizes", "no x"]),
        (lambda f: f["tables"]["table1"].update(colums=["x"]), ["tables.table1", "'colums'", "columns"]),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(change: Callable[[dict[str, Any]], Any], says: list[str]) -> None:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    change(document)
    with pytest.raises(InputError) as caught:
        assert from_settings(document, "hft.yaml").experiment
    for words in says:
        assert words in str(caught.value)


def test_a_scale_may_leave_an_analysis_out() -> None:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    document["scales"]["smoke"]["analyses"] = {"spare": False}
    document["analyses"]["spare"] = {"kind": "joint_vocabulary"}
    assert "spare" not in from_settings(document, "hft.yaml").analyses
    assert "spare" in from_settings(document | {"scale": "full"}, "hft.yaml").analyses


def test_a_file_may_add_a_scale() -> None:
    document = copy.deepcopy(FILE | {"scale": "cpu"})
    document["scales"]["cpu"] = {"experiment": {"seeds": [7]}}
    assert {run.seed for run in from_settings(document, "hft.yaml").experiment.runs} == {7}


PAPERS = sorted((Path(__file__).parents[2] / "config" / "papers").glob("*.yaml"))


@pytest.mark.parametrize(
    ("path", "scale"),
    [(path, scale) for path in PAPERS for scale in yaml.safe_load(path.read_text(encoding="utf-8"))["scales"]],
    ids=lambda given: given.stem if isinstance(given, Path) else given,
)
def test_every_committed_paper_is_valid_at_every_scale(path: Path, scale: str) -> None:
    paper = read(path, scale)
    assert paper.name == path.stem
    assert paper.experiment.runs
    shown = {given.get("published", name) for name, given in paper.tables.items()}
    assert shown - {None} <= set(published.tables(paper.name))  # None: a table of ours alone


@pytest.mark.parametrize("kind", KINDS)
def test_options_of_an_analysis_are_those_that_its_module_reads(root: Path, kind: str) -> None:
    source = (root / "src" / "papers" / "analyses" / f"{kind}.py").read_text(encoding="utf-8")
    assert set(re.findall(r'options(?:\.get\(|\[)"([a-z_]+)"', source)) <= set(KINDS[kind].options)
    if kind == "effects_of_published":
        assert set(KINDS[kind].options) - {"table", "replicates"} == set(KINDS["effects"].options)
    else:
        assert [name for name in KINDS[kind].options if not re.search(rf"\b{name}\b", source)] == []
