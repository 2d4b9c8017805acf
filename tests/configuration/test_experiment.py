"""An experiment file: what it means, and what a mistake in it gets."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment import schema
from experiment.config import Experiment, load
from experiment.reporting.like_for_like import differing, planned, planned_exposure, warnings
from experiment.schema import ROOT
from experiment.segmentation.entries import baselines
from subwords import registry
from subwords.errors import InputError
from subwords.testing import CHECKS, check_contract

GOOD: dict[str, Any] = {
    "experiment": "good",
    "corpora": ["multi30k"],
    "directions": ["en-de", "de-en"],
    "testsets": ["test2016", "test2017"],
    "segmentations": {
        "bpe-1k": {"algorithm": "bpe", "size": 1000, "joint": True, "text": "moses"},
        "char": {"algorithm": "char"},
    },
    "models": ["transformer-small"],
    "seeds": [1, 2, 3],
    "baseline": "bpe-1k",
}


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    settings = copy.deepcopy(GOOD)
    change(settings)
    return settings


def test_the_grid() -> None:
    experiment = Experiment(GOOD)
    assert len(experiment.runs) == 1 * 2 * 2 * 1 * 3
    run = experiment.runs[-1]
    assert run.folder == f"results/runs/multi30k/de-en/char/transformer-small.{run.key}/seed3"
    assert run.pair == "en-de"  # both directions share text, segmentation and binarized data
    assert experiment.test_sets("multi30k", "de-en") == ["test2016", "test2017"]
    assert experiment.settings["decode"]["beam"] == 5
    assert experiment.segmentations["char"].text == "raw"


def test_corpora_with_equal_text_and_other_test_sets_share_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train", "dev", "news", "talks"):
        for side in ("en", "xx"):
            (tmp_path / f"{name}.{side}").write_text(f"the {name} of {side} .\n" * 3)

    def split(name: str) -> dict[str, str]:
        return {side: f"{name}.{side}" for side in ("en", "xx")}

    def corpus(test: str) -> dict[str, Any]:
        parts = {"train": split("train"), "dev": split("dev")}
        return {"languages": ["en", "xx"], **parts, "tests": {test: {**split(test), "overlap": "keep"}}}

    settings = GOOD | {"corpora": {"one": corpus("news"), "two": corpus("talks")}, "directions": ["en-xx"]}
    settings |= {"segmentations": {"char": {"algorithm": "char"}}, "baseline": "char", "seeds": [1]}
    experiment = Experiment({**settings, "testsets": ["news", "talks"]})
    plan = experiment.plan
    first, second = experiment.runs
    assert first.folder == second.folder
    assert (list(first.testsets), list(second.testsets)) == (["news"], ["talks"])
    (evaluation,) = plan.evaluations.values()
    assert [test.name for test in evaluation.tests] == ["news", "talks"]
    (text,) = plan.texts.values()
    for test, of in zip(evaluation.tests, ("one", "two"), strict=True):
        assert plan.testset_job(text.key, test.stem)["corpus"] == of
        assert Path(plan.files_of(text.key, test.stem)[0]).name == f"{test.name}.en"
        assert plan.testset_mark(text.key, test.stem) in plan.evaluation(first.key, "1").text_marks


def test_a_sweep_is_a_segmentation_for_each_size() -> None:
    sweep = {"algorithm": "bpe", "sizes": [500, 1000], "joint": True, "text": "moses"}
    experiment = Experiment(
        GOOD | {"segmentations": {"bpe": sweep, "char": {"algorithm": "char"}}, "baseline": "bpe-500"}
    )
    assert [(name, each.size) for name, each in experiment.segmentations.items()] == [
        ("bpe-500", 500),
        ("bpe-1000", 1000),
        ("char", None),
    ]
    assert experiment.segmentations["bpe-1000"].joint
    assert experiment.against == {"bpe-1000": "bpe-500", "char": "bpe-500"}
    hft = {"algorithm": "hft", "sizes": [500, 2000], "joint": True, "text": "raw"}
    both = Experiment(GOOD | {"segmentations": {"hft": hft, "bpe": sweep}, "baseline": "bpe"})
    assert both.baseline == both.plan.manifest()["baseline"] == "bpe-500"
    assert both.plan.manifest()["against"] == {"hft-500": "bpe-500"}  # none of bpe has 2,000
    with pytest.raises(InputError, match="has both size and sizes"):
        Experiment(GOOD | {"segmentations": {"bpe": sweep | {"size": 3}}, "baseline": "bpe-500"})
    twice = {"bpe": sweep, "bpe-500": {"algorithm": "bpe", "size": 7}}
    with pytest.raises(InputError, match="bpe-500 is defined twice"):
        Experiment(GOOD | {"segmentations": twice, "baseline": "bpe-500"})


def test_grids_combine_what_they_name() -> None:
    grids = {
        "small": {"segmentations": ["char"], "seeds": [7]},
        "large": {"directions": ["en-de"], "segmentations": ["bpe-1k", "char"], "seeds": [7]},
    }
    texts = {"looked at": {"directions": ["en-de"], "segmentations": ["word"]}}
    settings = changed(lambda s: s["segmentations"].update(word={"algorithm": "word", "size": 50}))
    experiment = Experiment(settings | {"grids": grids, "texts": texts})
    found = [(run.direction, run.segmentation, run.seed) for run in experiment.runs]
    assert found == [("en-de", "char", 7), ("de-en", "char", 7), ("en-de", "bpe-1k", 7)]  # each once
    assert experiment.segmented == [("multi30k", "en-de", name, 0) for name in ("char", "bpe-1k", "word")]
    marks = experiment.plan.marks
    assert not any("/word" in path for path in marks["runs"])
    assert sum("/word." in path for path in marks["segmented"]) == 1


def test_the_name_of_a_sweep_in_a_grid_is_all_its_sizes() -> None:
    sweep = {"algorithm": "bpe", "sizes": [8, 9], "joint": True}
    settings = GOOD | {"segmentations": {"bpe": sweep, "hft": sweep | {"algorithm": "hft"}}, "baseline": "bpe"}
    experiment = Experiment(settings | {"grids": {"": {"segmentations": ["bpe", "hft-9"]}}})
    assert {run.segmentation for run in experiment.runs} == {"bpe-8", "bpe-9", "hft-9"}


def test_the_baseline_is_one_that_is_trained() -> None:
    """Comparing comes after all trainings: too late to find out that nothing is there to compare with."""
    sweep = {"algorithm": "bpe", "sizes": [8, 9], "joint": True}
    settings = GOOD | {"segmentations": {"bpe": sweep, "hft": sweep | {"algorithm": "hft"}}, "baseline": "bpe"}
    later = Experiment(settings | {"grids": {"g": {"segmentations": ["bpe-9", "hft"]}}})
    assert later.baseline == "bpe-9"
    later.check_baseline()
    without = Experiment(settings | {"grids": {"g": {"segmentations": ["hft"]}}})
    with pytest.raises(InputError, match=r"bpe is in no grid[^:]*\n.*hft-8, hft-9\n.*add bpe to a grid"):
        without.check_baseline()


def test_a_baseline_has_the_seeds_of_what_is_compared_with_it() -> None:
    settings = GOOD | {
        "segmentations": {name: {"algorithm": name, "size": 8} for name in ("bpe", "hft")},
        "baseline": "bpe",
    }
    grids = {"a": {"segmentations": ["bpe"], "seeds": [1, 2, 4]}, "b": {"segmentations": ["hft"], "seeds": [1, 2]}}
    Experiment(settings | {"grids": grids}).check_baseline()
    grids["b"]["seeds"] = [2, 3]
    with pytest.raises(InputError, match=r"hft has seeds .* baseline bpe is not trained.*: 3\n.*\n.*give bpe"):
        Experiment(settings | {"grids": grids}).check_baseline()


def test_each_system_may_have_a_baseline_of_its_own() -> None:
    entries = {f"{name}-{size}": {"algorithm": name, "size": size} for name in ("bpe", "hft") for size in (8, 9)}
    settings = GOOD | {"segmentations": entries, "baseline": {"hft-8": "bpe-8", "hft-9": "bpe-9"}}
    experiment = Experiment(settings | {"grids": {"g": {"segmentations": ["bpe-9", "hft-9"]}}})
    assert experiment.against == {"hft-8": "bpe-8", "hft-9": "bpe-9"}
    assert experiment.plan.manifest()["against"] == experiment.against
    assert experiment.baseline == "bpe-9"  # the first that is trained
    experiment.check_baseline()
    for grid in (["hft-8"], ["hft-8", "bpe-9", "hft-9"]):
        with pytest.raises(InputError, match="hft-8 is compared with bpe-8, which is in no grid"):
            Experiment(settings | {"grids": {"g": {"segmentations": grid}}}).check_baseline()
    with pytest.raises(InputError, match="bpe-8 is compared with itself"):
        Experiment(settings | {"baseline": {"bpe-8": "bpe-8"}})
    with pytest.raises(InputError, match="unknown baseline 'bpe'"):
        Experiment(settings | {"baseline": {"hft-8": "bpe"}})
    with pytest.raises(InputError, match="bpe-9 is compared with bpe-8, but is itself a baseline"):
        Experiment(settings | {"baseline": {"bpe-9": "bpe-8", "hft-9": "bpe-9"}})


def test_sweeps_are_compared_size_by_size_with_the_one_that_is_named() -> None:
    sizes = {f"{name}-{size}": size for name in ("bpe", "hft", "bpe-dropout") for size in (8, 9)} | {"char": None}
    assert baselines(sizes, {"bpe-dropout": "bpe", "char": "bpe-8"}) == {
        "bpe-dropout-8": "bpe-8",
        "bpe-dropout-9": "bpe-9",
        "char": "bpe-8",
    }
    assert baselines(sizes, {"hft": "char"}) == {"hft-8": "char", "hft-9": "char"}
    sizes["hft-7"] = 7
    for named, missing in (({"hft": "bpe"}, "bpe-7"), ({"char": "bpe"}, "bpe"), ({"volt": "bpe"}, "volt")):
        with pytest.raises(InputError, match=f"unknown baseline '{missing}'"):
            baselines(sizes, named)


def test_a_recipe_of_the_catalogue_can_be_changed_under_its_name() -> None:
    models = {"transformer-small": {"like": "transformer-small", "flags": {"dropout": 0.25}}}
    flags = Experiment(changed(lambda s: s.update(models=models))).recipes["transformer-small"]["flags"]
    assert flags["dropout"] == 0.25
    assert flags["encoder-layers"] == 4


def test_what_does_not_depend_on_the_seed_is_shared() -> None:
    assert len(Experiment(GOOD).plan.segmented) == 2
    per_seed = changed(
        lambda s: s["segmentations"].update(r={"algorithm": "random-bpe", "size": 100, "per_seed": True})
    )
    assert len(Experiment(per_seed).plan.segmented) == 2 + 3


def test_a_segmentation_can_have_the_name_that_another_gets_with_its_seed() -> None:
    named = {"r": {"algorithm": "random-bpe", "size": 100, "per_seed": True}, "r.seed1": {"algorithm": "char"}}
    experiment = Experiment(changed(lambda s: s["segmentations"].update(named)))
    of_seed, other = (experiment.plan.segmentation("multi30k", "en-de", name, 1) for name in named)
    assert (of_seed.algorithm, other.algorithm) == ("random-bpe", "char")
    assert [place[2:] for place in experiment.segmented if place[2].startswith("r")] == [
        *(("r", seed) for seed in experiment.settings["seeds"]),
        ("r.seed1", 0),
    ]


def test_every_test_set_of_the_pair_takes_part_in_cleaning() -> None:
    """So that another choice of test sets leaves the text, and all that is made of it, as it is."""
    places = Experiment(GOOD).plan.downloads
    assert all(any(name in place for place in places) for name in ("test_2016", "test_2018", "mscoco"))
    assert not any(place.endswith((".fr.gz", ".cs.gz")) for place in places)
    every = Experiment(GOOD | {"testsets": None})
    assert [run.key for run in every.runs] == [run.key for run in Experiment(GOOD).runs]


def test_where_overlap_stays_test_sets_shape_nothing_else() -> None:
    plan = Experiment(GOOD | {"cleaning": {"overlap": "keep"}}).plan
    (text,) = plan.texts.values()
    assert text.definition["tests"] == {}
    assert not any("test" in Path(place).name for place in plan.files_of(text.key))
    run = next(iter(plan.evaluations.values()))
    assert [test.name for test in run.tests] == ["test2016", "test2017"]
    assert len(plan.files_of(text.key, run.tests[0].stem)) == 2
    assert len({text.done_of(test) for test in text.tests} - {text.done}) == 4


def test_train_is_cleaned_of_the_test_sets_that_are_named_and_of_no_others() -> None:
    """Of test2018, too, which train is not cleaned of by default (`overlap: keep` in the catalogue)."""

    def cleaned_of(**cleaning: Any) -> set[str]:
        (text,) = Experiment(GOOD | {"cleaning": cleaning}).plan.texts.values()
        return {*text.definition["tests"]}

    assert cleaned_of() == {"test2016", "test2017", "mscoco2017"}
    assert cleaned_of(testsets=["test2016", "test2018"]) == {"test2016", "test2018"}
    assert cleaned_of(testsets=["test2016", "test2018"], overlap="keep") == set()


def test_a_corpus_of_the_user_s_own_and_a_changed_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    for name in ("train", "dev", "news"):
        for language in ("sw", "en"):
            (tmp_path / "data" / f"{name}.{language}").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    mine = {
        "languages": ["sw", "en"],
        "train": {"sw": "data/train.sw", "en": "data/train.en"},
        "dev": {"sw": "data/dev.sw", "en": "data/dev.en"},
        "tests": {"news": {"sw": "data/news.sw", "en": "data/news.en"}},
    }
    settings = changed(
        lambda s: s.update(
            corpora={"mine": mine, "multi30k": None},
            directions=["sw-en", "en-de"],
            testsets=None,
            models={"small": {"like": "transformer-small", "flags": {"dropout": 0.1}}, "transformer-base": None},
        )
    )
    experiment = Experiment(settings)
    assert {(run.corpus, run.direction) for run in experiment.runs} == {("mine", "sw-en"), ("multi30k", "en-de")}
    assert experiment.recipes["small"]["flags"]["dropout"] == 0.1
    assert experiment.recipes["small"]["flags"]["encoder-layers"] == 4
    text = experiment.plan.text("mine", "sw-en")
    assert experiment.plan.files_of(text.key)[0] == "data/train.sw"
    (tmp_path / "data" / "news.sw").unlink()
    with pytest.raises(InputError, match="mine: no such file: data/news"):
        Experiment(settings)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s.update(sedes=[1]), ["unknown key 'sedes'", "did you mean 'seeds'"]),
        (lambda s: s.pop("seeds"), ["the key 'seeds' is missing"]),
        (lambda s: s.update(seeds=["one"]), ["seeds.0", "'one'", "a whole number"]),
        (lambda s: s.update(seeds=[1.5]), ["seeds.0", "1.5"]),
        (lambda s: s.update(seeds=[1.0]), ["seeds.0", "1.0", "a whole number"]),  # a folder seed1.0 is not seed1
        (lambda s: s.update(select={"average": 2.0}), ["select.average", "2.0", "a whole number"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(size=True), ["bpe-1k.size", "True"]),
        (lambda s: s["segmentations"].update({500: {"algorithm": "char"}}), ["segmentations", "500", "in quotes"]),
        (
            lambda s: s.update(corpora={"c": {"languages": ["en", "no"], "train": {"en": "a", False: "b"}}}),
            ["corpora: c: train", "the key False is not text", "in quotes"],
        ),
        (
            lambda s: s.update(corpora={"c": {"languages": ["en", "xx"], "train": {"en": "a", "xx": "b"}}}),
            ["c: these keys are too few, or do not go together: languages, train", "dev"],
        ),
        (lambda s: s.update(corpora=["multi30"]), ["unknown corpus 'multi30'", "multi30k"]),
        (lambda s: s.update(directions=["en-xx"]), ["en-xx", "en, de, fr, cs"]),
        (lambda s: s.update(directions=["en-de", "en-ga"]), ["no corpus has both languages", "en-ga"]),
        (lambda s: s.update(testsets=["tst2018"]), ["unknown test set 'tst2018'", "'test2018'?", "mscoco2017"]),
        (lambda s: s.update(testsets=["test2016", "tst2018"]), ["unknown test set 'tst2018'", "'test2018'?"]),
        (
            lambda s: s.update(corpora=["multi30k", "loresmt-en-ga"], directions=["en-de", "en-ga"]),
            ["loresmt-en-ga en-ga: none of its test sets is among ['test2016', 'test2017']", "test_en2ga"],
        ),
        (lambda s: s.update(cleaning={"testsets": ["tst2018"]}), ["'test2018'?", "cleaning: testsets"]),
        (
            lambda s: s.update(corpora=["ted-en-ja"], directions=["en-ja"], testsets=None),
            ["BLEU tokenizer", "'ja'", "sacrebleu[ja]"],
        ),
        (lambda s: s.update(models=["transfomer-small"]), ["unknown model", "transformer-small"]),
        (
            lambda s: s.update(models={"m": {"like": "transformer-small", "flags": {"drop": 1}}}),
            ["fairseq flag 'drop'"],
        ),
        (lambda s: s.update(baseline="bpe"), ["unknown baseline 'bpe'", "bpe-1k"]),
        (lambda s: s.update(metrics=["blue"]), ["unknown metric 'blue'", "bleu"]),
        (lambda s: s.update(significance={"margin": {"blue": 1}}), ["unknown metric 'blue'", "bleu"]),
        (lambda s: s.update(significance={"margin": {"bleu": 0}}), ["significance.margin.bleu"]),
        (lambda s: s.update(cleaning={"overlap": "drop"}), ["'drop'", "remove, keep"]),
        (lambda s: s.update(cleaning={"train_pairs": 0}), ["cleaning.train_pairs"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(algorithm="bppe"), ["unknown algorithm 'bppe'", "'bpe'"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(size=0), ["bpe-1k", "size: 0 is less than the minimum of 1"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(size="many"), ["bpe-1k", "'many'"]),
        (
            lambda s: s["segmentations"]["bpe-1k"].update(size="1k"),
            ["bpe-1k.size: '1k'\n  allowed: a whole number", "or auto"],
        ),
        (lambda s: s["segmentations"].update({"b c": {"algorithm": "char"}}), ["segmentations: 'b c'\n", "digits"]),
        (lambda s: s.update(corpora={"x": "a.en"}), ["x: 'a.en'", "keys to values: languages, and either train"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(mergs=3), ["bpe-1k", "'mergs'"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(text="tok"), ["'tok'", "raw, moses"]),
        (lambda s: s["segmentations"]["char"].update(size=5), ["char takes no size"]),
        (lambda s: s["segmentations"]["char"].update(per_seed=True), ["takes no seed"]),
        (lambda s: s.update(select={"which": "first"}), ["'first'", "best, last"]),
        (lambda s: s.update(select={"metric": "ter"}), ["'ter'", "bleu, loss"]),
        (lambda s: s.update(decode={"beam": 0}), ["decode.beam"]),
        (lambda s: s["segmentations"]["bpe-1k"].pop("size"), ["bpe-1k", "bpe needs a size"]),
        (lambda s: s["segmentations"]["bpe-1k"].update(size="auto"), ["bpe-1k", "bpe needs a size"]),
        (lambda s: s.update(seeds=[2**40]), ["seeds.0", "4294967295"]),
        (lambda s: s.update(experiment="corpora"), ["cannot be called 'corpora'"]),
        (lambda s: s.update(models={"a/b": {"like": "transformer-small"}}), ["models: 'a/b'", "letters, digits"]),
        (lambda s: s.update(runtime={"mirror": "/no/such/folder"}), ["/no/such/folder", "not a folder"]),
        (lambda s: s.update(seeds=3), ["seeds: 3", "a list: integers, one training each, for example [3]"]),
        (lambda s: s.update(runtime={"flags": {"dropout": 0.1}}), ["'dropout'", "runtime.flags", "num-workers"]),
        (lambda s: s.update(runtime={"flags": {"num-workers": "two"}}), ["runtime.flags: num-workers='two' is not"]),
        (lambda s: s.update(runtime={"flags": {"num-workers": True}}), ["runtime.flags: num-workers=True is not"]),
        (lambda s: s.update(runtime={"gpus": 2}), ["gpus=2", "update-freq"]),
        (lambda s: s.update(select={"average": 6}), ["average=6", "keep: 6"]),
        (lambda s: s.update(experiment="../up"), ["experiment", "letters, digits"]),
        (lambda s: s.update(grids={"g": {"segmentations": ["bpe"]}}), ["grids.g.segmentations", "'bpe'", "bpe-1k"]),
        (lambda s: s.update(grids={"g": {"model": ["x"]}}), ["grids.g", "'model'"]),
        (lambda s: s.update(grids={"g": {"seeds": ["one"]}}), ["grids.g.seeds.0", "'one'"]),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(change: Callable[[dict[str, Any]], Any], says: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        Experiment(changed(change), where="mine.yaml")
    for words in says:
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("corpora", "config/corpora.yaml"),
        ("experiment", "config/config.yaml"),
        ("models", "config/models.yaml"),
        ("paper", "docs/new-paper.md"),
    ],
)
def test_a_mistake_is_sent_to_the_page_that_explains_its_file(file: str, page: str) -> None:
    with pytest.raises(InputError, match=f"x: 3\n.*\n  next: see {page}"):
        schema.check(3, file, "x")
    assert (ROOT / page).is_file()


EXPERIMENTS = ["config.yaml", *(f"experiments/{path.name}" for path in (ROOT / "config/experiments").glob("*.yaml"))]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_committed_experiments_compare_like_with_like(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # results of this checkout say more than the files do
    for systems in planned(load(ROOT / "config" / name), lambda *_: 0).values():
        assert set(differing(systems)) <= {"Text form"}


# hft-words asks what a text form does, with a paper's recipe.
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if "hft-words" not in name])
def test_committed_experiments_have_each_algorithm_on_moses_tokens_and_fair_recipes(name: str) -> None:
    experiment = load(ROOT / "config" / name)
    forms: dict[str, set[str]] = {}
    for each in experiment.segmentations.values():
        forms.setdefault(each.algorithm, set()).add(each.text)
    assert all("moses" in found for found in forms.values())
    assert all(warnings(recipe["flags"]) == [] for recipe in experiment.recipes.values())
    assert experiment.settings["metrics"] != ["bleu"]


def test_a_recipe_that_trains_systems_differently_is_said() -> None:
    pieces = {"max-tokens": 2048, "patience": 10, "max-epoch": 32}
    assert len(warnings(pieces)) == 3
    assert not warnings({"batch-size": 10, "max-update": 100, "patience": -1})  # -1: it does not stop early
    assert planned_exposure({"batch-size": 10, "max-update": 100, "patience": -1})["updates"] == 100
    assert planned_exposure(pieces) == {"updates": None, "sentences_seen": None}
    assert planned_exposure({"batch-size": 64, "update-freq": "2,4", "max-update": 10})["sentences_seen"] is None
    assert planned_exposure({"batch-size": 64, "update-freq": "2", "max-update": 10}) == {
        "updates": 10,
        "sentences_seen": 1280,
    }


#: What the demo alone compares, which has gold morphemes, and what no experiment here can: it needs a foreign model.
NEED_GOLD, NEED_A_MODEL = {"oracle", "bpe-knockout"}, {"pretrained"}


@pytest.mark.parametrize(("name", "size"), [("all-segmentations", 4000), ("all-segmentations-cpu", 1000)])
def test_all_segmentations_are_compared_at_one_size_under_one_recipe(root: Path, name: str, size: int) -> None:
    experiment = load(root / "config" / "experiments" / f"{name}.yaml")
    given = list(experiment.segmentations.values())
    assert {segmentation.algorithm for segmentation in given} == set(registry.ALGORITHMS) - NEED_GOLD - NEED_A_MODEL
    assert all(segmentation.joint for segmentation in given)
    sizes = {segmentation.algorithm: segmentation.size for segmentation in given}
    assert {sizes.pop(name) for name in ("char", "muv", "morfessor")} == {None}  # these have none, or choose it
    assert set(sizes.values()) == {size}
    assert len(experiment.recipes) == 1
    assert len(experiment.settings["seeds"]) >= 3
    assert experiment.segmentations[experiment.settings["baseline"]].algorithm == "bpe"


def test_the_demo_has_every_algorithm_that_learns_here(root: Path) -> None:
    found = {each.algorithm for each in load(root / "config/experiments/demo-all.yaml").segmentations.values()}
    assert found == set(registry.ALGORITHMS) - NEED_A_MODEL


def test_classes_of_committed_experiments_hold_the_contract() -> None:
    given = [each for name in EXPERIMENTS for each in load(ROOT / "config" / name).segmentations.values()]
    own = {each.algorithm: each.cls for each in given if each.file}
    quick = [name for name in CHECKS if name != "another_process_learns_the_same"]
    assert {name: check_contract(cls, quick) for name, cls in own.items()} == {"hft_words.py:BPEOnHFTWords": []}


def test_a_mistyped_file_gets_the_nearest_name(tmp_path: Path) -> None:
    for name in ("mine.yaml", "other.yaml"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=f"unknown experiment '{tmp_path}/mien.yaml': did you mean '{tmp_path}/mine.y"):
        load(tmp_path / "mien.yaml")
    with pytest.raises(InputError, match=r"allowed: .*config/experiments/multi30k\.yaml"):
        load(tmp_path / "nowhere" / "multi30k")


def test_a_file_that_is_no_yaml_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: [1,\n")
    with pytest.raises(InputError, match="cannot read"):
        load(path)
    path.write_text("- a\n")
    with pytest.raises(InputError, match="not a mapping"):
        load(path)
