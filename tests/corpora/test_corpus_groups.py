"""Groups of corpora: what a definition may say, and how train, dev and test sets are put together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from experiment.config import Experiment
from experiment.corpora.catalogue import corpora, read_catalogue
from experiment.corpora.corpus import Corpus
from experiment.corpora.corpus_groups import Group, with_members
from experiment.corpora.gathering import MemberText, gather, read_origins
from subwords.errors import InputError


def generated(seed: int, *languages: str) -> dict[str, Any]:
    sizes = {"train": 200, "dev": 9, "test": 8, "test_unseen": 5}
    return {"languages": list(languages), "generated": {"seed": seed, **sizes}}


KNOWN: dict[str, Any] = {
    "a": generated(1, "en", "es"),
    "b": generated(2, "fr", "en"),
    "c": generated(3, "en", "pt_br"),
    "three": {"title": "Three", "group": {"es": "a", "fr": "b", "pt_br": "c"}, "into": "en"},
}


def resolved(change: Mapping[str, Any], name: str = "three") -> Corpus:
    known = corpora({**KNOWN, **change}, "mine.yaml")
    return with_members(known[name], known, "mine.yaml")


def test_a_group_of_three_languages() -> None:
    group = resolved({})
    assert isinstance(group, Group)
    assert (group.languages, group.pairs(), group.pair("many", "en")) == (["many", "en"], ["many-en"], "many-en")
    assert list(group.splits("many-en")) == ["train", "dev", "es", "fr", "pt_br"]
    assert group.test_sets("many", "en") == ["es", "fr", "pt_br"]
    assert [(m.language, m.corpus.name, m.pair, m.test) for m in group.members] == [
        ("es", "a", "en-es", "test"),
        ("fr", "b", "fr-en", "test"),
        ("pt_br", "c", "en-pt_br", "test"),
    ]
    assert group.gold_languages("many-en") == []
    assert group.wanted_tests("many", "en", wanted=["test"]) == ["es", "fr", "pt_br"]
    assert group.wanted_tests("many", "en", wanted=["fr"]) == ["fr"]
    assert group.wanted_tests("many", "en", wanted=["test_unseen"]) == []


def files(*languages: str, **tests: str) -> dict[str, Any]:
    def split(name: str) -> dict[str, str]:
        return {language: f"x/{name}.{'-'.join(languages)}.{language}" for language in languages}

    return {
        "languages": list(languages),
        "train": split("train"),
        "dev": split("dev"),
        "tests": {name: split(file) for name, file in tests.items()},
    }


def test_which_test_set_is_taken() -> None:
    other = {"a": files("en", "es", news2014="news"), "b": files("en", "fr", test="t", talks="u")}
    group = resolved(other)
    assert isinstance(group, Group)
    assert [member.test for member in group.members] == ["news2014", "test", "test"]
    assert [file.path for file in group.files("many-en") if "en-es" in file.path] == [
        f"x/{name}.en-es.{language}" for name in ("train", "dev", "news") for language in ("en", "es")
    ]
    group = resolved(
        other
        | {"three": {"group": {"fr": "b", "pt_br": "c"}, "into": "en", "test": "talks"}, "c": other["b"]}
        | {"c": files("en", "pt_br", talks="v")}
    )
    assert isinstance(group, Group)
    assert [member.test for member in group.members] == ["talks", "talks"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": {"es": "a", "fr": "bb"}}, "unknown corpus for fr in mine.yaml: three 'bb': did you mean 'b'"),
        ({"group": {"es": "a", "de": "b"}}, "unknown language of b, which mine.yaml: three takes from it, 'de'"),
        ({"group": {"es": "a", "en": "b"}}, "en cannot be translated into itself"),
        ({"into": "de"}, "unknown language of a, which mine.yaml: three takes from it, 'de'"),
        ({"into": None}, "into: None"),
        ({"group": {"es": "a"}}, "three.group"),
        ({"group": {"es": "a", "Spanish": "b"}}, "language code"),
        ({"group": {"es": "a", "dev": "b"}}, "not dev"),
        ({"group": {"es": "a", "fr": "three"}}, "three is a group, too"),
        (
            {"group": {"es": "a", "fr": "copy"}, "copy": generated(1, "en", "fr")},
            "es and fr have the same text (a and copy)",
        ),
        ({"test": "test2"}, "a has no test set called test2 for es-en"),
        ({"train": {"en": "x"}}, "unknown key 'train'"),
        ({"cleaning": {"max_tokens": 3}}, "unknown key 'max_tokens'"),
        ({"cleaning": {"overlap": "drop"}}, "unknown value 'drop'"),
    ],
)
def test_wrong_groups(change: dict[str, Any], message: str) -> None:
    change = dict(change)
    others = {"copy": change.pop("copy")} if "copy" in change else {}
    with pytest.raises(InputError) as error:
        resolved({"three": KNOWN["three"] | change, **others})
    assert message in str(error.value)


def test_a_group_without_into() -> None:
    with pytest.raises(InputError, match="the key 'into' is missing"):
        resolved({"three": {"group": KNOWN["three"]["group"]}})


def test_a_group_has_one_direction() -> None:
    with pytest.raises(InputError, match="three is a group: it is translated from many languages into en, not en-many"):
        resolved({}).pair("en", "many")


def test_every_group_of_the_catalogue_has_its_members() -> None:
    known = read_catalogue()
    for corpus in known.values():
        with_members(corpus, known, "the catalogue")


# --- text


def write(folder: Path, languages: Sequence[str], **splits: Sequence[tuple[str, str]]) -> Path:
    for name, pairs in splits.items():
        for side, language in enumerate(languages):
            path = folder / f"{name.replace('__', '/')}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{pair[side]}\n" for pair in pairs))
    return folder


def lines(path: Path) -> list[str]:
    return path.read_text().split("\n")[:-1]


@pytest.fixture
def members(tmp_path: Path) -> list[MemberText]:
    """Spanish and French. Of the Spanish pairs the second is in the French test set and the last in French dev."""
    es = write(
        tmp_path / "es",
        ("es", "en"),
        train=[("uno", "one"), ("dos", "two"), ("tres", "three"), ("seis", "six"), ("ocho", "eight")],
        dev=[("siete", "seven")],
        test=[("cuatro", "four"), ("", "")],
        references__dev=[(" siete", "seven ")],
        references__test=[("cuatro", "four!"), ("", "")],
    )
    fr = write(
        tmp_path / "fr",
        ("fr", "en"),
        train=[("un", "one"), ("quatre", "vier"), ("cinq", "four"), ("six", "six")],
        dev=[("huit", "eight")],
        news=[("deux", "two")],
        references__dev=[("huit ", "eight")],
        references__news=[("deux", "two?")],
    )
    members = [MemberText("es", es, "test"), MemberText("fr", fr, "news")]
    for part in members:
        for split in ("train", "dev", part.test):
            pairs = [(first.upper(), second.upper()) for first, second in part.pairs(split, "en")]
            write(part.folder / "moses", (part.language, "en"), **{split: pairs})
    return members


def test_train_pairs_of_any_evaluation_set_are_removed(members: list[MemberText], tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = gather(members, "en", out)
    # two is the French test set's, eight French dev's, four the Spanish test set's: with either side.
    assert list(zip(lines(out / "train.many"), lines(out / "train.en"), strict=True)) == [
        ("uno", "one"),
        ("tres", "three"),
        ("seis", "six"),
        ("un", "one"),
        ("quatre", "vier"),
        ("six", "six"),
    ]
    assert lines(out / "train.origin") == ["es\t1", "es\t3", "es\t4", "fr\t1", "fr\t2", "fr\t4"]
    assert read_origins(out / "dev.origin") == {"es": [1], "fr": [1]}
    assert (lines(out / "dev.many"), lines(out / "dev.en")) == (["siete", "huit"], ["seven", "eight"])
    assert (lines(out / "es.many"), lines(out / "es.en")) == (["cuatro", ""], ["four", ""])
    assert (lines(out / "fr.many"), lines(out / "fr.en")) == (["deux"], ["two"])
    references = out / "references"
    assert (lines(references / "dev.many"), lines(references / "dev.en")) == ([" siete", "huit "], ["seven ", "eight"])
    assert (lines(references / "es.en"), lines(references / "fr.en")) == (["four!", ""], ["two?"])
    assert json.loads((out / "cleaning.json").read_text()) == report
    assert report["splits"]["train"] == {"read": 9, "kept": 6, "dropped": {"overlap": 3}}
    assert report["members"] == {"es": {"train": 3, "dev": 1}, "fr": {"train": 3, "dev": 1}}
    assert report["train pairs also in"]["fr news"] == {"pairs": 0, "many": 0, "en": 1}


def test_overlap_may_stay(members: list[MemberText], tmp_path: Path) -> None:
    report = gather(members, "en", tmp_path / "out", keep_overlap=True)
    assert report["splits"]["train"] == {"read": 9, "kept": 9, "dropped": {"overlap": 0}}
    assert len(lines(tmp_path / "out/train.many")) == 9


def test_tokens_are_gathered_by_the_same_lines(members: list[MemberText], tmp_path: Path) -> None:
    gather(members, "en", tmp_path / "out")
    for split in ("train", "dev", "es", "fr"):
        for side in ("many", "en"):
            clean, tokens = (lines(tmp_path / "out" / form / f"{split}.{side}") for form in ("", "moses"))
            assert tokens == [line.upper() for line in clean], (split, side)


def test_a_member_of_which_nothing_is_left(members: list[MemberText], tmp_path: Path) -> None:
    write(members[0].folder, ("es", "en"), train=[("dos", "two")])
    with pytest.raises(InputError, match="nothing is left of es in train"):
        gather(members, "en", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- in an experiment

EXPERIMENT: dict[str, Any] = {
    "experiment": "group",
    "corpora": {"three": KNOWN["three"], "a": KNOWN["a"], "b": KNOWN["b"], "c": KNOWN["c"]},
    "directions": ["many-en", "es-en", "fr-en", "pt_br-en"],
    "segmentations": {"bpe": {"algorithm": "bpe", "size": 50, "joint": True}},
    "models": ["transformer-tiny"],
    "seeds": [1],
    "baseline": "bpe",
    "grids": {"group": {"corpora": ["three"]}},
}


def test_members_are_prepared_for_the_group_alone() -> None:
    experiment = Experiment(EXPERIMENT)
    plan = experiment.plan
    assert [(run.corpus, run.direction) for run in experiment.runs] == [("three", "many-en")]
    texts = {text.corpus.name: text for text in plan.texts.values()}
    assert {name: text.pair for name, text in texts.items()} == {
        "a": "en-es",
        "b": "fr-en",
        "c": "en-pt_br",
        "three": "many-en",
    }
    members = [texts[name] for name in ("a", "b", "c")]
    assert plan.members_of(texts["three"].key) == [text.done for text in members]
    told = texts["three"].job(experiment.settings["runtime"])["members"]
    assert told == [
        ["es", texts["a"].folder, "test"],
        ["fr", texts["b"].folder, "test"],
        ["pt_br", texts["c"].folder, "test"],
    ]
    assert experiment.test_sets("three", "many-en") == ["es", "fr", "pt_br"]


def test_a_group_has_another_key_when_a_member_has() -> None:
    changed = {**KNOWN["a"], "generated": {**KNOWN["a"]["generated"], "seed": 99}}
    groups = [
        next(text for text in Experiment(EXPERIMENT | {"corpora": corpora}).plan.texts.values() if text.members)
        for corpora in (EXPERIMENT["corpora"], {**EXPERIMENT["corpora"], "a": changed})
    ]
    assert groups[0].key != groups[1].key


def test_members_need_no_direction_of_their_own() -> None:
    settings = {key: value for key, value in EXPERIMENT.items() if key != "grids"}
    experiment = Experiment(settings | {"directions": ["many-en", "fr-en"]})
    assert [(run.corpus, run.direction) for run in experiment.runs] == [("three", "many-en"), ("b", "fr-en")]
    others = {"corpora": {"a": KNOWN["a"], "b": KNOWN["b"]}, "directions": ["fr-en"]}
    with pytest.raises(InputError, match="no direction fits the corpus a: fr-en"):
        Experiment(settings | others)


def test_test_sets_go_by_either_name() -> None:
    assert Experiment(EXPERIMENT | {"testsets": ["test"]}).test_sets("three", "many-en") == ["es", "fr", "pt_br"]
    assert Experiment(EXPERIMENT | {"testsets": ["es"]}).test_sets("three", "many-en") == ["es"]
    with pytest.raises(InputError, match=r"unknown test set 'test_unseen'[^\n]*\n  allowed: es, fr, pt_br"):
        Experiment(EXPERIMENT | {"testsets": ["test_unseen"]})


def test_members_keep_the_test_sets_that_the_group_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`d` is translated on its news alone, but the group takes its `test`; cleaning looks at all of them."""
    given = files("en", "de", test="t", news="n", talks="s")
    monkeypatch.chdir(tmp_path)
    for split in (given["train"], given["dev"], *given["tests"].values()):
        for path in split.values():
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).touch()
    group = {"group": {"de": "d", "pt_br": "c"}, "into": "en"}
    settings = EXPERIMENT | {
        "corpora": {"g": group, "d": given, "c": KNOWN["c"]},
        "directions": ["de-en", "many-en", "pt_br-en"],
        "testsets": ["news", "pt_br"],
        "grids": {"group": {"corpora": ["g"]}, "alone": {"corpora": ["d"]}},
    }
    experiment = Experiment(settings)
    assert experiment.test_sets("d", "de-en") == ["news"]
    assert experiment.test_sets("g", "many-en") == ["pt_br"]
    assert set(experiment.plan.text("d", "en-de").definition["tests"]) == {"test", "news", "talks"}
    plan = Experiment(settings | {"cleaning": {"overlap": "keep"}}).plan
    member = plan.text("d", "en-de")  # from which nothing is taken out for `test`: that has a record of its own
    (own,) = {str(member.record_of(test)) for test in member.tests if test.name == "test"}
    assert own != str(member.record)
    assert own in plan.text("g", "many-en").job(plan.runtime)["inputs"]
