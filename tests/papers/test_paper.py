"""A paper's file and its scales."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from workflow.conftest import Workplace

from papers import published
from papers.analyses import KINDS
from papers.paper import MACHINE, SCALES, check_call, from_settings, read
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


ANALYSES: dict[str, dict[str, Any]] = {
    "pieces": {
        "kind": "word_pieces",
        "corpus": "loresmt-en-ga",
        "language": "ga",
        "words": ["x"],
        "segmentations": {"BPE": "bpe-2k"},
    },
    "search": {
        "kind": "search_costs",
        "corpus": "loresmt-en-ga",
        "direction": "en-ga",
        "model": "transformer-small",
        "name": "bpe-search",
        "search": ["bpe-2k"],
        "found": ["char"],
    },
    "correlation": {"kind": "muv_correlation", "corpus": "loresmt-en-ga", "pairs": {"hft-2k": "bpe-2k"}},
    "boundaries": {
        "kind": "boundary_f1",
        "segmentations": {"BPE": "best bpe", "HFT": "hft-2k"},
        "without_scores": "bpe-2k",
    },
    "merges": {"kind": "merges_learned", "segmentations": ["bpe-2k"]},
    "human": {
        "kind": "human_evaluation",
        "systems": {"BPE": "best bpe", "HFT": "hft-2k"},
        "sentences": {"en-ga": 10},
        "judges": {"en-ga": 2},
    },
    "parts": {"kind": "corpus_counts", "parts": {"loresmt-en-ga": {"file": "row"}}},
    "texts": {"kind": "text_counts", "texts": {"Irish": ["loresmt-en-ga", "ga"]}},
    "changed": {"kind": "changed_sentences", "system": "hft", "baseline": "bpe"},
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


def test_what_a_scale_leaves_out_may_be_named(root: Path) -> None:
    """Huffman's parts name three corpora: a scale of one of them measures what it has."""
    huffman = yaml.safe_load((root / "config/papers/huffman.yaml").read_text(encoding="utf-8"))
    change = {"experiment": {"corpora": ["huffman-cs-de"], "directions": ["cs-de"]}, "grids": {"table5-en": {}}}
    change["grids"]["table5-en"] = {"corpora": ["huffman-cs-de"]}
    huffman["scales"]["czech"] = change
    assert {run.corpus for run in from_settings(huffman | {"scale": "czech"}, "x").experiment.runs} == {
        "huffman-cs-de.czech"
    }


def test_scores_of_several_test_sets_need_a_name() -> None:
    two = {"experiment": {**FILE["experiment"], "corpora": {"loresmt-en-ga": GENERATED}, "testsets": None}}
    with pytest.raises(InputError, match=r"en-ga is scored on several test sets, test, test_unseen(?s:.*)testset"):
        at("full", **two)
    named = {**FILE["tables"], "table1": {**FILE["tables"]["table1"], "where": {"testset": "test"}}}
    assert at("full", **two, tables=named).experiment.runs


def test_answers_do_not_lie_where_sheets_are_made_anew() -> None:
    human = {"kind": "human_evaluation", "sentences": {"en-ga": 1}, "systems": {"a": "bpe-2k", "b": "hft-2k"}}
    answers = {"anna": {"local": "results/papers/hft/smoke/human_evaluation/sheets/en-ga.csv"}}
    with pytest.raises(InputError, match=r"anna(?s:.*)copy it to another folder"):
        at("smoke", analyses={**FILE["analyses"], "human": {**human, "files": answers}})
    answers = {"anna": {"local": "answers/anna.csv"}}
    assert at("smoke", analyses={**FILE["analyses"], "human": {**human, "files": answers}}).analyses["human"]


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
        (
            lambda f: f["tables"]["table1"].update(marks={"bold": {"metric": "bleu_below_bestbpe", "at_most": 1}}),
            ["tables.table1", "metric", "'bleu_below_bestbpe'", "did you mean 'bleu_below_best_bpe'?"],
        ),
        (
            lambda f: f["tables"]["table1"].update(marks={"*": {"metric": {"bleu": "bleu_p_x"}, "below": 1}}),
            ["tables.table1", "metric", "'bleu_p_x'"],
        ),
        (
            lambda f: f["tables"]["table1"].update(marks={"*": {"metric": {"blue": "chrf"}, "below": 1}}),
            ["tables.table1.marks", "published metric", "'blue'", "did you mean 'bleu'?"],
        ),
        (
            lambda f: f["tables"]["table1"].update(extra={"x": {"metric": {"blue": "chrf"}}}),
            ["tables.table1.extra", "published metric", "'blue'", "did you mean 'bleu'?"],
        ),
        (
            lambda f: f["tables"]["table1"].update(
                marks={"*": {"metric": "bleu_increment", "above": 1, "columns": ["BLEU 9"]}}
            ),
            ["column in", "tables.table1.marks", "'BLEU 9'", "BLEU avg", "hft.table1.csv"],
        ),
        (
            lambda f: f["tables"]["table1"].update(
                marks={"*": {"metric": "bleu_increment", "above": 1, "columns": "BLEU avg"}}
            ),
            ["tables.table1.marks.*.columns", "a list"],
        ),
        (
            lambda f: f["tables"]["table1"].update(means={"BLEU avg": ["BLEU 9"]}),
            ["column in", "tables.table1.means", "'BLEU 9'", "BLEU 1", "hft.table1.csv"],
        ),
        (lambda f: f["tables"]["table1"].update(means={"Avg": ["BLEU 1"]}), ["tables.table1.means", "'Avg'"]),
        (lambda f: f["tables"]["table1"].update(means={"BLEU avg": "BLEU 1"}), ["means.BLEU avg", "a list"]),
        (lambda f: f["tables"].update(own={"published": None, "rows": ["corpuss"]}), ["tables.own.rows", "'corpuss'"]),
        (lambda f: f["tables"].update(own={"published": None, "columns": "metrc"}), ["tables.own.columns", "'metrc'"]),
        (
            lambda f: f["tables"].update(own={"published": None, "means": {"Avg": ["BLEU 1"]}}),
            ["tables.own", "means", "rows, columns, decimals"],
        ),
        (lambda f: f["figures"]["sizes"].update(published="figure-4"), ["published table", "'figure-4'", "figure4"]),
        (lambda f: f["tables"]["table1"].update(where={"testset": "tset"}), ["tables.table1", "testset", "'tset'"]),
        (lambda f: f["figures"]["sizes"].update(where={"split": "trian"}), ["split", "'trian'", "train", "dev"]),
        (lambda f: f["tables"]["table1"].update(where={"selection": "tset"}), ["selection", "'tset'", "test"]),
        (lambda f: f["claims"]["better"]["holds"][0].update(left={"testset": "tset"}), ["claims.better", "'tset'"]),
        (
            lambda f: (
                f["experiment"].update(segmentations=["bpe-2k"])
                or f["scales"]["smoke"]["experiment"].update(segmentations={"bpe-2k": {"algorithm": "bpe"}})
            ),
            ["segmentations", "a mapping"],
        ),
        (lambda f: f["experiment"].update(models=[{"transformer-small": None}]), ["models"]),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(change: Callable[[dict[str, Any]], Any], says: list[str]) -> None:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    change(document)
    with pytest.raises(InputError) as caught:
        assert from_settings(document, "hft.yaml").experiment
    for words in says:
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("analysis", "change", "says"),
    [
        ("pieces", {"corpus": "loresmt-en-gaa"}, ["corpus", "'loresmt-en-gaa'", "did you mean 'loresmt-en-ga'?"]),
        ("pieces", {"segmentations": {"BPE": "bpe-3k"}}, ["segmentation", "'bpe-3k'", "bpe-2k"]),
        ("pieces", {"segmentations": {"BPE": "best bpe"}}, ["segmentation", "'best bpe'"]),
        ("search", {"direction": "en-gq"}, ["direction", "'en-gq'", "en-ga"]),
        ("search", {"model": "transformer-smal"}, ["model", "'transformer-smal'", "transformer-small"]),
        ("search", {"search": ["bpe-2k", "bpe-3k"]}, ["segmentation", "'bpe-3k'", "bpe-2k"]),
        ("search", {"found": ["cahr"]}, ["segmentation", "'cahr'", "char"]),
        ("correlation", {"pairs": {"hft-3k": "bpe-2k"}}, ["segmentation", "'hft-3k'", "hft-2k"]),
        ("correlation", {"pairs": {"hft-2k": "bpe-3k"}}, ["segmentation", "'bpe-3k'", "bpe-2k"]),
        ("boundaries", {"segmentations": {"BPE": "best-bpe"}}, ["segmentation", "'best-bpe'", "best bpe"]),
        ("boundaries", {"without_scores": "bpe-3k"}, ["segmentation", "'bpe-3k'", "bpe-2k"]),
        ("merges", {"segmentations": ["bpe-3k"]}, ["segmentation", "'bpe-3k'", "bpe-2k"]),
        ("human", {"systems": {"BPE": "best bpe", "HFT": "hft"}}, ["segmentation", "'hft'", "hft-2k"]),
        ("human", {"sentences": {"en-gq": 10}}, ["direction", "'en-gq'", "en-ga"]),
        ("human", {"judges": {"en-gq": 10}}, ["direction", "'en-gq'", "en-ga"]),
        ("parts", {"parts": {"loresmt": {}}}, ["corpus", "'loresmt'", "loresmt-en-ga"]),
        ("texts", {"texts": {"Irish": ["loresmt", "ga"]}}, ["corpus", "'loresmt'", "loresmt-en-ga"]),
        ("changed", {"system": "hftt"}, ["algorithm", "'hftt'", "hft"]),
    ],
)
def test_what_an_analysis_names_is_in_the_experiment(analysis: str, change: dict[str, Any], says: list[str]) -> None:
    described = {analysis: ANALYSES[analysis] | change}
    with pytest.raises(InputError) as caught:
        at("smoke", analyses=FILE["analyses"] | described)
    for words in (analysis, *change, *says):
        assert words in str(caught.value)


@pytest.mark.parametrize("scale", SCALES)
def test_what_an_analysis_may_name(scale: str) -> None:
    assert set(ANALYSES) < set(at(scale, analyses=FILE["analyses"] | ANALYSES).analyses)


def test_a_table_may_say_what_its_published_table_and_its_sources_have() -> None:
    shown = {
        "means": {"BLEU avg": ["BLEU 1", "BLEU 2"]},
        "marks": {
            "bold": {"metric": "bleu_below_best_bpe", "at_most": 0.4, "columns": ["BLEU avg"]},
            "*": {"metric": {"bleu": "bleu_increment"}, "above": 0},
        },
    }
    own = {"published": None, "rows": ["corpus", "algorithm"], "columns": "metric", "where": {"split": ["", "train"]}}
    paper = at("full", tables={"table1": shown, "own": own})
    assert list(paper.tables) == ["table1", "own"]


@pytest.mark.parametrize("testset", ["test", "test-a"])  # of this scale; of the paper, where this scale has another
def test_a_test_set_of_the_paper_may_be_named_at_every_scale(testset: str) -> None:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    files = {"en": "a.en", "ga": "a.ga"}
    document["experiment"]["corpora"]["loresmt-en-ga"] = {
        "title": "Mine",
        "languages": ["en", "ga"],
        "train": files,
        "dev": files,
        "tests": {"test-a": files},
    }
    document["tables"]["table1"]["where"] = {"testset": testset}
    assert from_settings(document, "hft.yaml").tables["table1"]["where"] == {"testset": testset}


def models_at_smoke(models: Any, change: Any) -> list[str]:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    document["experiment"]["models"] = models
    document["scales"]["smoke"]["experiment"]["models"] = change
    return list(from_settings(document, "hft.yaml").experiment.recipes)


def test_a_scale_that_changes_one_of_a_list_keeps_the_others() -> None:
    tiny = {"hft-default": {"like": "transformer-tiny"}}
    assert models_at_smoke(["hft-default", "transformer-tiny"], tiny) == ["hft-default", "transformer-tiny"]
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    document["experiment"]["corpora"] = ["loresmt-en-ga", "loresmt-en-mr"]
    document["experiment"]["directions"] = ["en-ga", "en-mr"]
    assert list(from_settings(document, "hft.yaml").experiment.corpora) == [
        "loresmt-en-ga.smoke",
        "loresmt-en-mr.smoke",
    ]


def test_a_scale_s_list_takes_these_alone_as_the_file_describes_them() -> None:
    described = {"mine": {"like": "transformer-tiny"}, "transformer-tiny": None}
    assert models_at_smoke(described, ["mine"]) == ["mine"]


def test_a_size_that_a_scale_changes_keeps_the_paper_s_label() -> None:
    document = copy.deepcopy(FILE | {"scale": "smoke"})
    document["scales"]["smoke"]["experiment"]["segmentations"] = {"bpe-2k": {"size": 77}}
    paper = from_settings(document, "hft.yaml")
    assert {name: given.size for name, given in paper.experiment.segmentations.items()} == {
        "bpe-2k": 77,
        "hft-2k": 50,
        "char": None,
    }
    assert paper.sizes_of_paper == {"bpe-2k": 2000, "hft-2k": 2000, "char": None}


def test_a_call_may_say_what_is_the_machine_s() -> None:
    check_call([*MACHINE, "scale", "parts"], ["hft.yaml"])


def test_a_paper_is_in_one_file() -> None:
    with pytest.raises(InputError, match=r"a paper in 2 files: hft\.yaml, mine\.yaml"):
        check_call([], ["hft.yaml", "mine.yaml"])


@pytest.mark.parametrize("key", ["scales", "experiment", "seeds", "gpu"])
def test_a_call_cannot_say_what_the_programs_read_in_the_file(key: str) -> None:
    with pytest.raises(InputError) as caught:
        check_call(["scale", key], ["hft.yaml"])
    for words in (f"{key!r}", "scale, parts, mirror, threads", "write it in the paper's file, hft.yaml"):
        assert words in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("given", [[], ["--configfile", "config/papers/hft.yaml"]])
def test_a_call_with_a_setting_of_the_paper_s_starts_nothing(root: Path, tmp_path: Path, given: list[str]) -> None:
    place = Workplace(tmp_path, root)

    def planned(*settings: str) -> subprocess.CompletedProcess[str]:
        words = ["--cores", "2", "-n", "paper_hft", *given, "--config", "scale=smoke", "threads=1", *settings]
        command = [sys.executable, "-m", "snakemake", *words]
        return subprocess.run(
            command, cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
        )

    assert planned("parts=[scores]").returncode == 0
    refused = planned('scales={"smoke": {"experiment": {"seeds": [7]}}}')
    assert refused.returncode != 0
    assert "write it in the paper's file" in refused.stdout + refused.stderr


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
