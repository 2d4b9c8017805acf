"""The catalogue: what it promises about its corpora, and what a wrong definition gets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment.corpora.catalogue import corpora, read_catalogue
from experiment.corpora.cleaning import OPTIONS
from experiment.corpora.corpus import Corpus, File
from experiment.corpora.download import place
from subwords.errors import InputError

SUM = "0" * 64
MINE: dict[str, Any] = {
    "languages": ["en", "sw"],
    "train": {"en": "a/train.en", "sw": ["a/train1.sw.gz", {"local": "a/train2.sw"}]},
    "dev": {"en": {"url": "https://example.org/dev.en", "sha256": SUM}, "sw": "a/dev.sw"},
    "tests": {"news": {"en": "a/news.en", "sw": "a/news.sw"}},
}


@pytest.fixture(scope="module")
def known() -> dict[str, Corpus]:
    return read_catalogue()


def test_corpora_of_the_catalogue(known: dict[str, Corpus]) -> None:
    assert {"demo", "multi30k", "loresmt-en-ga", "loresmt-en-mr"} <= set(known)
    for corpus in known.values():
        assert corpus.definition["licence"]
        assert corpus.generator is not None or (corpus.definition["citation"] and corpus.definition["homepage"])


@pytest.mark.shared
def test_checksums_are_those_of_the_mirrors_list(known: dict[str, Corpus], shared: Path) -> None:
    listed = dict(reversed(line.split()) for line in (shared / "mirror/SHA256SUMS").read_text().split("\n") if line)
    urls = set()
    for name in ("multi30k", "loresmt-en-ga", "loresmt-en-mr"):
        corpus = known[name]
        for file in (file for pair in corpus.pairs() for file in corpus.files(pair)):
            assert listed[place(file.url)] == file.sha256
            urls.add(place(file.url))
    wanted = {path for path in listed if "multi30k" in path or ("loresmt" in path and not path.endswith("LICENSE"))}
    assert urls == wanted


def test_test_sets_of_a_direction(known: dict[str, Corpus]) -> None:
    multi30k = known["multi30k"]
    assert multi30k.test_sets("en", "de") == ["test2016", "test2017", "test2018", "mscoco2017"]
    assert multi30k.test_sets("cs", "en") == ["test2016", "test2018"]  # 2017 and MS COCO were not translated into Czech
    assert known["loresmt-en-ga"].test_sets("en", "ga") == ["test_en2ga"]
    assert known["loresmt-en-ga"].test_sets("ga", "en") == ["test_ga2en"]
    assert known["demo"].test_sets("en", "qmo") == ["test", "test_unseen"]


def test_pairs_have_one_name_in_both_directions(known: dict[str, Corpus]) -> None:
    assert known["multi30k"].pair("de", "en") == known["multi30k"].pair("en", "de") == "en-de"
    assert known["multi30k"].pair("cs", "fr") == "fr-cs"
    with pytest.raises(InputError, match="unknown language of multi30k 'ed'"):
        known["multi30k"].pair("en", "ed")
    with pytest.raises(InputError, match="both en"):
        known["multi30k"].pair("en", "en")
    with pytest.raises(InputError, match=r"unknown language pair of multi30k 'de-en'(.|\n)*en-de"):
        known["multi30k"].splits("de-en")


def test_language_codes_may_have_hyphens() -> None:
    mine = json.loads(json.dumps(MINE).replace('"sw"', '"pt_BR"'))
    corpus = corpora({"mine": mine}, "here")["mine"]
    assert list(corpus.splits(corpus.pair("pt_BR", "en"))) == ["train", "dev", "news"]


def test_chosen_test_sets(known: dict[str, Corpus]) -> None:
    few = known["multi30k"].with_tests(["test2016"])
    assert few.test_sets("en", "de") == ["test2016"]
    assert len(few.files("en-de")) == 6
    assert list(few.for_pair("en-de")["tests"]) == ["test2016"]
    with pytest.raises(InputError, match=r"unknown test set of multi30k 'test2015': did you mean 'test201[678]'"):
        known["multi30k"].with_tests(["test2015"])


def test_what_a_pair_depends_on() -> None:
    more = {"licence": "mine", "gold": {"sw": "gold.sw"}, "cleaning": {"max_tokens": 50}}
    corpus = corpora({"mine": MINE | more}, "here")["mine"]
    part = corpus.for_pair("en-sw")
    assert part == MINE | {"gold": {"sw": "gold.sw"}}  # all but the prose, and what comes after the raw files
    assert corpus.cleaning == {"max_tokens": 50}
    assert corpora({"mine": part}, "again")["mine"].files("en-sw") == corpus.files("en-sw")
    three = MINE | {"languages": ["en", "sw", "de"], "train": MINE["train"] | {"de": "train.de"}}
    assert corpora({"m": three}, "here")["m"].for_pair("en-sw") == MINE


def test_held_out_sets_are_like_any_other() -> None:
    drawn = {"languages": ["en", "sw", "fr"], "train": MINE["train"], "held_out": {"seed": 3, "test": 7, "dev": 5}}
    corpus = corpora({"mine": drawn | {"tests": MINE["tests"]}}, "here")["mine"]
    assert list(corpus.splits("en-sw")) == ["train", "dev", "news", "test"]
    assert corpus.test_sets("sw", "en") == ["news", "test"]
    assert (corpus.held_out, corpus.held_out_seed) == ({"test": 7, "dev": 5}, 3)
    assert corpus.with_tests(["news"]).test_sets("en", "sw") == ["news"]
    assert corpora({"mine": corpus.for_pair("en-sw")}, "again")["mine"].held_out == corpus.held_out
    with pytest.raises(InputError, match="has no train files for en-fr"):
        corpus.splits("en-fr")
    for taken in ("train", "gold", "words"):  # names of other files of the text
        with pytest.raises(InputError, match=taken):
            corpora({"mine": drawn | {"held_out": {"dev": 5, taken: 7}}}, "here")


def test_files_of_a_split(tmp_path: Path) -> None:
    corpus = corpora({"mine": MINE}, "here")["mine"]
    where = [str(file.location(Path("downloads"))) for file in corpus.files("en-sw")]
    assert where[:4] == ["a/train.en", "a/train1.sw.gz", "a/train2.sw", "downloads/example.org/dev.en"]
    based = MINE | {"base": "https://example.org/x/", "dev": {"en": {"url": "d.en", "sha256": SUM}, "sw": "d.sw"}}
    assert corpora({"m": based}, "here")["m"].files("en-sw")[3].url == "https://example.org/x/d.en"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trian": {}}, "unknown key 'trian': did you mean 'train'"),
        ({"train": {"en": "a.en", "de": "a.de"}}, "unknown language of train 'de'"),
        ({"train": {"en": "https://host/a.en", "sw": "a.sw"}}, "sha256sum"),
        ({"train": {"en": {"url": "https://host/a.en"}, "sw": "a.sw"}}, "'sha256' is missing"),
        ({"train": {"en": {"url": "ftp://host/a", "sha256": SUM}, "sw": "a"}}, "unknown scheme 'ftp'"),
        ({"train": {"en": {"url": "https://host/a", "sha256": "123"}, "sw": "a"}}, "64 hexadecimal digits"),
        ({"train": {"en": "a", "sw": "a"}}, "the same file a"),
        ({"train": {"en": "a", "mtdata": ["Statmt-europarl-10-deu-eng"]}}, "has mtdata ids, and files that lack sw"),
        ({"held_out": {"dev": 5}}, "mine.dev has both files and lines held out"),
        ({"held_out": {"train": 5}}, "train"),
        ({"held_out": {"more": 0}}, "0 is less than the minimum"),
        ({"train": {"mtdata": ["europarl"]}}, "europarl"),
        ({"train": {"en": "a", "sw": "b", "lines": "many"}}, "lines: 'many'"),
        ({"tests": {"train": {"en": "a", "sw": "b"}}}, "train"),
        ({"tests": {"news": {"en": "a", "sw": "b", "directions": ["en-de"]}}}, "unknown direction of news 'en-de'"),
        ({"languages": ["en"]}, "languages"),
        ({"languages": ["en", "Swahili"]}, "language code"),
        ({"cleaning": {"max_ration": 3}}, "unknown key 'max_ration': did you mean 'max_ratio'"),
        ({"cleaning": {"train_pairs": 1.5}}, "train_pairs: 1.5"),
        ({"cleaning": {"seed": "one"}}, "seed: 'one'"),
    ],
)
def test_wrong_definitions(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        corpora({"mine": MINE | change}, "mine.yaml")
    assert message in str(error.value)


def test_a_pair_without_train_files() -> None:
    three = MINE | {"languages": ["en", "sw", "de"]}
    with pytest.raises(InputError, match="has no train files for en-de"):
        corpora({"mine": three}, "here")["mine"].splits("en-de")


def test_a_catalogue_that_is_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("mine: [")
    with pytest.raises(InputError, match=r"c\.yaml"):
        read_catalogue(tmp_path / "c.yaml")
    with pytest.raises(InputError, match=r"none\.yaml"):
        read_catalogue(tmp_path / "none.yaml")


def test_every_key_of_the_schema_is_described(root: Path) -> None:
    schema = json.loads((root / "config/schemas/corpora.schema.json").read_text())

    def undescribed(node: Any, name: str) -> list[str]:
        if not isinstance(node, dict):
            return []
        missing = []
        for key, value in node.get("properties", {}).items():
            described = "description" in value or "$ref" in value or name == "$defs.file.then"
            missing += ([] if described else [f"{name}.{key}"]) + undescribed(value, f"{name}.{key}")
        for key in ("then", "else", "items"):
            missing += undescribed(node.get(key), f"{name}.{key}")
        return missing

    assert [key for name, node in schema["$defs"].items() for key in undescribed(node, f"$defs.{name}")] == []
    assert all("description" in node for node in schema["$defs"].values())
    cleaning = schema["$defs"]["cleaning"]["properties"]
    assert set(cleaning) == {*OPTIONS, "testsets"}
    stated = {key: re.search(r"\(default:? (.+)\)", value["description"])[1] for key, value in cleaning.items()}
    words = {None: "all", False: "false"}
    expected = {
        key: words.get(value, f"{value:g}" if isinstance(value, float) else str(value))
        for key, value in OPTIONS.items()
    }
    assert {key: stated[key] for key in OPTIONS} == expected


def test_a_path_that_snakemake_would_change_is_refused() -> None:
    assert File(path="data/<B>/train.en").path
    with pytest.raises(InputError, match="Snakemake takes <results> in a path for a variable"):
        File(path="data/<results>/train.en")


@pytest.mark.slow
def test_mtdata_has_the_ids(
    known: dict[str, Corpus], mtdata_index: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against mtdata's packaged index; only its modules in use are read, which takes seconds instead of a minute."""
    from experiment.corpora.mtdata_parts import find_entries

    monkeypatch.setattr("mtdata.index.Index.obj", mtdata_index("statmt", "neulab_tedtalks", "opus.opus_index"))
    seen = 0
    for corpus in known.values():
        for pair in corpus.pairs():
            for split in corpus.splits(pair).values():
                if split.mtdata:
                    assert len(find_entries(split.mtdata, pair.split("-"))) == len(split.mtdata)
                    seen += len(split.mtdata)
    assert seen >= 6
    with pytest.raises(InputError, match=r"mtdata has no corpus 'Statmt-europarl-11-deu-eng'(.|\n)*mtdata list"):
        find_entries(["Statmt-europarl-11-deu-eng"], ["en", "de"])
    with pytest.raises(InputError, match="mtdata does not know a language of en, qmo"):
        find_entries(["Statmt-europarl-10-deu-eng"], ["en", "qmo"])
    with pytest.raises(InputError, match="Statmt-europarl-10-deu-eng has the languages deu-eng"):
        find_entries(["Statmt-europarl-10-deu-eng"], ["en", "fr"])
