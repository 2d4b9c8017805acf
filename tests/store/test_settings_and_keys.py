"""Which setting changes which key: every key of the experiment file's schemas is here, with what it changes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from experiment import schema
from experiment.config import RUNTIME, Experiment
from experiment.store.keys import key
from experiment.training.fairseq_flags import RUNTIME_FLAGS

#: What a result is made from: another text has other pieces, and other pieces are another training.
TEXT = {"text", "pieces", "training"}
PIECES = {"pieces", "training"}
TRAINING = {"training"}
CHOICE, SEARCH, ASKED, COMET = {"choice"}, {"search"}, {"asked"}, {"comet"}
NOTHING: set[str] = set()
SPLITS = ("train", "dev", "news", "other", "late")

#: Path in the file, another value, what that changes. None takes the key out.
CHANGES: list[tuple[str, Any, set[str]]] = [
    ("experiment", "other", NOTHING),
    ("title", "A title", NOTHING),
    ("description", "More words", NOTHING),
    ("baseline", "second", NOTHING),
    ("seeds", [1, 7], NOTHING),
    ("directions", ["xx-yy", "yy-xx"], NOTHING),
    ("grids", {"one": {"seeds": [1]}}, NOTHING),
    ("texts", {"one": {"segmentations": ["second"]}}, NOTHING),
    ("testsets", ["news", "other"], ASKED),
    ("metrics", ["bleu", "chrf", "ter"], ASKED),
    ("metrics", ["bleu", "chrf", "chrf++"], NOTHING),  # the default
    ("metrics", ["bleu", "chrf", "chrf++", "comet"], COMET),
    ("comet_model", "other/checkpoints/model.ckpt", NOTHING),  # until it is used
    ("significance.test", "randomization", NOTHING),
    ("significance.samples", 77, NOTHING),
    ("significance.margin", {"bleu": 0.3}, NOTHING),
    ("precision", "bf16", TRAINING),
    ("select.metric", "loss", TRAINING),
    ("select.beam", 4, TRAINING),
    ("select.keep", 9, TRAINING),
    ("select.average", 3, CHOICE),
    ("select.which", "last", CHOICE),
    ("decode.beam", 9, SEARCH),
    ("decode.length_penalty", 0.6, SEARCH),
    ("decode.length_factor", 3, SEARCH),
    ("decode.length_constant", 99, SEARCH),
    ("decode.precision", "bf16", SEARCH),
    *(
        (f"runtime.{name}", value, NOTHING)
        for name, value in [
            ("mirror", "."),
            ("threads", 5),
            ("workers", 9),
            ("gpus", 2),
            ("device", "cpu"),
            ("runs_per_gpu", 4),
            ("keep_checkpoints", True),
            ("decode_tokens", 123),
            ("flags", {"tensorboard-logdir": "logs", "num-workers": 3, "batch-size-valid": 7}),
        ]
    ),
    ("cleaning.max_tokens", 50, TEXT),
    ("cleaning.max_characters", 50, TEXT),
    ("cleaning.max_ratio", 2, TEXT),
    ("cleaning.max_ratio", 9, NOTHING),  # the default
    ("cleaning.overlap", "keep", TEXT | ASKED),  # test sets have keys of their own then
    ("cleaning.testsets", ["other", "late"], TEXT | ASKED),
    ("cleaning.testsets", [], TEXT | ASKED),  # of none
    ("cleaning.deduplicate", True, TEXT),
    ("cleaning.train_pairs", 2, TEXT),
    ("cleaning.seed", 2, NOTHING),  # until pairs are drawn: below
    ("segmentations.first.algorithm", "random-bpe", PIECES),
    ("segmentations.first.size", 11, PIECES),
    ("segmentations.first.joint", False, PIECES),
    ("segmentations.first.text", "raw", PIECES),
    ("segmentations.first.per_seed", False, NOTHING),  # the default
    ("segmentations.first.learn_pairs", 2, PIECES),
    ("segmentations.first.min_frequency", 3, PIECES),  # an option of the algorithm
    ("segmentations.first.min_frequency", 2, NOTHING),  # its default
    ("segmentations.second.size", 12, NOTHING),  # of another system
    ("models.mini.what", "a model", NOTHING),
    ("models.mini.source", "a paper", NOTHING),
    ("models.mini.like", "transformer-small", TRAINING),
    ("models.mini.flags.lr", 0.125, TRAINING),
    *((f"models.mini.flags.{name}", 7, NOTHING) for name in ("num-workers", "batch-size-valid")),
    *((f"corpora.mine.{name}", "http://other", NOTHING) for name in ("title", "homepage", "licence", "citation")),
    ("corpora.mine.base", "http://other/", NOTHING),  # files from there are known by their checksums
    ("corpora.mine.train.xx", "copy/train.xx", NOTHING),  # the same content elsewhere
    *((f"corpora.mine.{split}.yy", "data/more", TEXT) for split in ("train", "dev", "tests.news")),
    ("corpora.mine.train.xx", ["data/train.xx", "data/late.xx"], TEXT),
    ("corpora.mine.train.mtdata", ["Statmt-europarl-10-deu-eng"], TEXT),
    ("corpora.mine.tests.news.mtdata", ["Statmt-europarl-10-deu-eng"], TEXT),
    ("corpora.mine.tests.news.lines", 4, NOTHING),  # what is expected
    ("corpora.mine.tests.news.directions", ["xx-yy"], NOTHING),  # where it is translated
    ("corpora.mine.tests.news.overlap", "keep", TEXT | ASKED),
    ("corpora.mine.tests.late.yy", "data/more", ASKED),  # train is not cleaned of it
    ("corpora.mine.held_out", {"drawn": 2, "seed": 3}, TEXT | ASKED),
    ("corpora.mine.gold", {"yy": "data/more"}, TEXT),
    ("corpora.mine.cleaning.max_tokens", 60, TEXT),
    ("corpora.mine.languages", ["xx", "yy", "zz"], NOTHING),  # of other pairs
]
#: Keys of the schemas that are not varied above, and why.
ELSEWHERE = {
    **{f"corpora.*.generated{name}": "below" for name in ("", ".seed", ".train", ".dev", ".test", ".test_unseen")},
    "corpora.*.group": "a group is its members' texts: tests/workflow/test_corpus_group.py",
    "corpora.*.cleaning.overlap": "the experiment's cleaning is above, and overrides the corpus's",
    "corpora.*.held_out.seed": "below",
    "corpora.*.into": "the same",
    "corpora.*.test": "the same",
    "segmentations.*.draws": "below",
    "segmentations.*.sizes": "a segmentation for each: tests/configuration/test_experiment.py",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An experiment with a corpus of the user's own."""
    folder = tmp_path_factory.mktemp("experiment")
    for place in ("data", "copy"):
        (folder / place).mkdir()
        for name in SPLITS:
            for language in ("xx", "yy"):
                (folder / place / f"{name}.{language}").write_text("".join(f"{name} {n}\n" for n in range(4)))
    (folder / "data/more").write_text("more 1\nmore 2\nmore 3\nmore 4\n")
    for model in ("first", "other"):
        checkpoint = folder / model / "checkpoints" / "model.ckpt"
        checkpoint.parent.mkdir(parents=True)
        checkpoint.write_text(model)
        (folder / model / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    files = {name: {language: f"data/{name}.{language}" for language in ("xx", "yy")} for name in SPLITS}
    tests = {"news": files["news"], "other": files["other"], "late": {**files["late"], "overlap": "keep"}}
    corpus = {"languages": ["xx", "yy"], "train": files["train"], "dev": files["dev"], "tests": tests}
    segmentation = {"algorithm": "bpe", "size": 10, "joint": True, "text": "moses"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield {
            "experiment": "base",
            "corpora": {"mine": corpus},
            "directions": ["xx-yy"],
            "segmentations": {"first": segmentation, "second": {**segmentation, "size": 20}},
            "baseline": "first",
            "models": {"mini": {"like": "transformer-tiny", "flags": {"update-freq": 2}}},
            "comet_model": "first/checkpoints/model.ckpt",
            "seeds": [1],
        }


@pytest.fixture(scope="module")
def of_base(base: dict[str, Any]) -> dict[str, str]:
    return keys(base)


def changed(base: Mapping[str, Any], changes: list[tuple[str, Any, set[str]]]) -> dict[str, Any]:
    found = copy.deepcopy(dict(base))
    for path, value, _ in changes:
        *way, last = path.split(".")
        place = found
        for name in way:
            place = place.setdefault(name, {})
        place[last] = value
    return found


def keys(experiment: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of the first system with seed 1."""
    planned = Experiment(experiment)
    run = next(run for run in planned.runs if (run.segmentation, run.direction, run.seed) == ("first", "xx-yy", 1))
    evaluation = planned.plan.evaluations[run.key, 1]
    segmented = evaluation.system.segmented
    return {
        "text": segmented.text.key,
        "pieces": segmented.key,
        "training": run.key,
        "choice": Path(evaluation.chosen).name,
        "search": key(evaluation.definition),
        "asked": Path(evaluation.done).stem,
        "comet": planned.comet_key,
    }


#: What counts only beside another setting: that setting, the one that counts then, and what it changes.
BESIDE: list[tuple[tuple[str, Any], tuple[str, Any], set[str]]] = [
    (("cleaning.train_pairs", 2), ("cleaning.seed", 2), TEXT),
    (("select.metric", "loss"), ("select.beam", 4), NOTHING),  # no beam in a loss
    (("metrics", ["bleu", "comet"]), ("comet_model", "other/checkpoints/model.ckpt"), COMET),
]


@pytest.mark.parametrize(("first", "second", "expected"), BESIDE)
def test_a_setting_beside_another(
    base: dict[str, Any], first: tuple[str, Any], second: tuple[str, Any], expected: set[str]
) -> None:
    found = [keys(changed(base, [(*change, NOTHING) for change in given])) for given in ([first], [first, second])]
    assert differing(*found) == expected


def differing(first: Mapping[str, str], second: Mapping[str, str]) -> set[str]:
    return {kind for kind in first if first[kind] != second[kind]}


def _in_words(part: Any) -> str:
    """Return a part of a test's name; it is the same in every process."""
    return " ".join(sorted(part)) if isinstance(part, set) else str(part)[:40]


@pytest.mark.parametrize(("path", "value", "expected"), CHANGES, ids=_in_words)
def test_a_setting_changes_these_keys_and_no_other(
    base: dict[str, Any], of_base: dict[str, str], path: str, value: Any, expected: set[str]
) -> None:
    assert differing(of_base, keys(changed(base, [(path, value, expected)]))) == expected


#: What goes together with every other change.
TOGETHER = [
    change
    for change in CHANGES
    if change[0] not in ("segmentations.first.algorithm", "corpora.mine.languages", "comet_model")
]


@given(st.lists(st.sampled_from(TOGETHER), max_size=6, unique_by=lambda change: change[0]))
@settings(max_examples=30, phases=[Phase.generate])
def test_several_settings_change_the_keys_of_each(
    base: dict[str, Any], of_base: dict[str, str], changes: list[Any]
) -> None:
    found = differing(of_base, keys(changed(base, changes)))
    assert found == set().union(*(expected for _, _, expected in changes))


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_in_a_file_is_nothing(base: dict[str, Any], of_base: dict[str, str], random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        names = list(value)
        random.shuffle(names)
        return {name: shuffled(value[name]) for name in names}

    assert keys(shuffled(base)) == of_base


@pytest.mark.parametrize("flag", sorted(RUNTIME_FLAGS - {"aim-repo"}))
def test_flags_of_the_machine_are_in_no_key(base: dict[str, Any], of_base: dict[str, str], flag: str) -> None:
    flags = json.loads((schema.SCHEMAS / "fairseq_flags.json").read_text())
    known = flags["core"] | flags["components"]["task:translation_text_bleu"]
    value: Any = {"bool": True, "int": 3, "float": 3.0}.get(known[flag]["kind"], "x")
    value = next(iter(known[flag].get("choices") or [value]))
    assert differing(of_base, keys(changed(base, [(f"models.mini.flags.{flag}", value, set())]))) == set()


@pytest.mark.parametrize("name", ["seed", "train", "dev", "test", "test_unseen"])
def test_the_generator_s_settings_change_its_text(base: dict[str, Any], of_base: dict[str, str], name: str) -> None:
    made = {"seed": 1, "train": 200, "dev": 12, "test": 10, "test_unseen": 10}
    whole = {**base, "corpora": {"mine": {"languages": ["xx", "yy"], "generated": made}}}
    other = {**base, "corpora": {"mine": {"languages": ["xx", "yy"], "generated": {**made, name: made[name] + 1}}}}
    assert differing(keys(whole), keys(other)) == TEXT


def test_every_training_has_a_folder_of_its_own_for_tensorboard(base: dict[str, Any]) -> None:
    logs = ("runtime", {"flags": {"tensorboard-logdir": "logs/board"}}, NOTHING)
    plan = Experiment(changed(base, [logs, ("seeds", [1, 2], NOTHING)])).plan
    jobs = [run.training_job(plan.runtime, "results") for run in plan.evaluations.values()]
    folders = {job["recipe"]["tensorboard-logdir"] for job in jobs}
    assert len(folders) == len(jobs) == 4  # two systems with two seeds
    assert all(folder.startswith("logs/board/mine/xx-yy/") for folder in folders)


def test_null_takes_away_a_recipe_s_flag_of_the_machine(base: dict[str, Any]) -> None:
    """As in a recipe; fairseq does not know the word None."""
    flags = ("runtime", {"flags": {"num-workers": None, "profile": None}}, NOTHING)
    plan = Experiment(changed(base, [flags])).plan
    (recipe, *_) = (run.training_job(plan.runtime, "results")["recipe"] for run in plan.evaluations.values())
    assert not {"num-workers", "profile"} & recipe.keys()
    assert recipe["batch-size"] == 48


def test_more_draws_are_other_pieces(base: dict[str, Any]) -> None:
    def drawn(draws: int) -> dict[str, str]:
        sampler = {"algorithm": "bpe-dropout", "draws": draws}
        return keys(changed(base, [(f"segmentations.first.{name}", value, PIECES) for name, value in sampler.items()]))

    assert differing(drawn(1), drawn(2)) == PIECES


def test_another_draw_is_another_text(base: dict[str, Any]) -> None:
    drawn = [changed(base, [("corpora.mine.held_out", {"drawn": 2, "seed": seed}, TEXT)]) for seed in (1, 2)]
    assert differing(keys(drawn[0]), keys(drawn[1])) == TEXT


def test_names_are_in_no_key(base: dict[str, Any], of_base: dict[str, str]) -> None:
    same = json.dumps(base)
    for old, new in (("mine", "yours"), ("second", "third"), ("mini", "small")):
        same = same.replace(f'"{old}"', f'"{new}"')
    assert keys(json.loads(same)) == of_base


def test_every_key_of_the_schemas_is_here() -> None:
    """A setting that is new has to say what it changes."""
    here = {generalized(path) for path, _, _ in CHANGES} | ELSEWHERE.keys()
    here |= {above for path in here for above in parents(path)}
    assert set(schema_paths()) - here == set()
    assert {path.removeprefix("runtime.") for path in here if path.startswith("runtime.")} == RUNTIME.keys()


def generalized(path: str) -> str:
    """Return a path with `*` for names: corpora.mine.tests.news.yy is corpora.*.tests.*.yy."""
    words = path.split(".")
    if words[0] in ("corpora", "segmentations", "models"):
        words[1] = "*"
    if words[2:3] == ["tests"]:
        words[3] = "*"
    return ".".join(words)


def parents(path: str) -> Iterator[str]:
    while path := path.rpartition(".")[0]:
        yield path


def schema_paths() -> Iterator[str]:
    """Yield the paths of all keys that the schemas of experiments, recipes and corpora have."""
    read = {
        name: json.loads((schema.SCHEMAS / f"{name}.schema.json").read_text())
        for name in ("experiment", "models", "corpora")
    }
    yield from below(read["experiment"], "")
    yield from below({"properties": {"*": read["models"]["additionalProperties"]}}, "models.")
    for name in ("corpus", "group"):
        yield from below(read["corpora"]["$defs"][name], "corpora.*.")
    yield from below(read["corpora"]["$defs"]["split"], "corpora.*.tests.*.")


def below(part: Mapping[str, Any], place: str) -> Iterator[str]:
    for name, inner in part.get("properties", {}).items():
        yield f"{place}{name}"
        yield from below(inner, f"{place}{name}.")
        if name == "segmentations":
            yield from below({"properties": {"*": inner["additionalProperties"]}}, f"{name}.")
