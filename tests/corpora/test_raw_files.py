"""Raw corpora put together from every kind of source."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from deployment.damage import cut, flip

from experiment.corpora.catalogue import corpora, read_catalogue
from experiment.corpora.download import place
from experiment.corpora.mtdata_parts import fetch_entry, find_entries
from experiment.corpora.raw_files import check_checksums, prepare
from experiment.programs import program
from subwords.errors import InputError


def make(folder: Path, **files: bytes) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    paths = {}
    for name, data in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        paths[name] = str(path)
    return paths


def definition(folder: Path) -> dict[str, Any]:
    files = make(
        folder,
        train1__en__gz=b"one\ntwo\n",
        train2__en=b"three",  # no line end: the next part starts on a new line all the same
        train3__en=b"four\r\n",
        train__sw=b"moja\nmbili\ntatu\nnne\n",
        dev__en=b"d\n",
        dev__sw=b"e\n",
        gold__sw=b"moja\tmo ja\n",
    )
    return {
        "languages": ["en", "sw"],
        "train": {
            "lines": 4,
            "en": [files["train1__en__gz"], {"local": files["train2__en"]}, files["train3__en"]],
            "sw": files["train__sw"],
        },
        "dev": {"en": files["dev__en"], "sw": files["dev__sw"]},
        "tests": {"news": {"en": files["dev__en"], "sw": files["dev__sw"]}},
        "gold": {"sw": files["gold__sw"]},
    }


def run(tmp_path: Path, what: dict[str, Any], mirror: Path | None = None) -> int:
    """Put the corpus together as a program does: mistakes are printed, and the status is 2."""

    @program
    def main(argv: list[str] | None = None) -> int:
        corpus = corpora({"mine": what}, "mine")["mine"]
        prepare(corpus, corpus.pair("sw", "en"), tmp_path / "out", downloads=tmp_path / "dl", mirror=mirror)
        return 0

    return main()


def test_local_files_in_parts(tmp_path: Path) -> None:
    assert run(tmp_path, definition(tmp_path / "in")) == 0
    out = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    del out["parts.json"]
    assert out == {
        "train.en": b"one\ntwo\nthree\nfour\r\n",
        "train.sw": b"moja\nmbili\ntatu\nnne\n",
        "dev.en": b"d\n",
        "dev.sw": b"e\n",
        "news.en": b"d\n",
        "news.sw": b"e\n",
        "gold.sw": b"moja\tmo ja\n",
    }


def parts_of(folder: Path) -> dict[str, list[tuple[str, int, int]]]:
    found = json.loads((folder / "parts.json").read_text())
    return {split: [(Path(p["part"]).name, p["lines"], p["pairs"]) for p in parts] for split, parts in found.items()}


def test_what_each_split_was_made_of(tmp_path: Path) -> None:
    what = definition(tmp_path / "in")
    more = make(
        tmp_path / "in", a__en=b"one\n\ntwo\n \n", a__sw=b"x\ny\nz\n\n", b__en=b"", b__sw=b"", c__en=b"d", c__sw=b"e"
    )
    what["dev"] = {lang: [more[f"{part}__{lang}"] for part in "abc"] for lang in ("en", "sw")}
    assert run(tmp_path, what) == 0
    assert parts_of(tmp_path / "out") == {
        "train": [("train3.en", 4, 4)],  # named after all three: the sides are cut in different places
        "dev": [("a.en", 4, 2), ("b.en", 0, 0), ("c.en", 1, 1)],
        "news": [("dev.en", 1, 1)],
    }


def test_sides_of_different_lengths_are_found_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    what = definition(tmp_path / "in")
    what["dev"]["en"] = what["train"]["en"][0]
    assert run(tmp_path, what) == 2
    assert "dev.en has 2, " in capsys.readouterr().err


def held_out_corpus(tmp_path: Path, **held_out: int) -> dict[str, Any]:
    parts = {"a": 600, "b": 300, "c": 100}
    texts = {
        f"{part}__{lang}": b"".join(f"{part} {lang} {n}\n".encode() for n in range(size))
        for part, size in parts.items()
        for lang in ("en", "sw")
    }
    texts["c__sw"] = b"\n" * 50 + b"".join(b"c sw %d\n" % number for number in range(50, 100))
    files = make(tmp_path / "in", **texts)
    train = {lang: [files[f"{part}__{lang}"] for part in parts] for lang in ("en", "sw")}
    return {"languages": ["en", "sw"], "train": {"lines": 1000, **train}, "held_out": held_out}


def test_held_out_pairs(tmp_path: Path) -> None:
    """Nothing lost, nothing twice, order kept, every part in proportion, and no pair that lacks a side."""
    assert run(tmp_path, held_out_corpus(tmp_path, test=95, dev=19)) == 0
    pairs = {}
    for split in ("train", "dev", "test"):
        sides = [(tmp_path / f"out/{split}.{lang}").read_bytes().split(b"\n")[:-1] for lang in ("en", "sw")]
        pairs[split] = list(zip(*sides, strict=True))
    originals = {
        lang: [line for part in "abc" for line in (tmp_path / f"in/{part}.{lang}").read_bytes().split(b"\n")[:-1]]
        for lang in ("en", "sw")
    }
    everything = list(zip(originals["en"], originals["sw"], strict=True))
    assert {split: len(found) for split, found in pairs.items()} == {"train": 1000 - 95 - 19, "dev": 19, "test": 95}
    place = {pair: number for number, pair in enumerate(everything)}
    assert len(place) == 1000
    for found in pairs.values():
        assert [place[pair] for pair in found] == sorted(place[pair] for pair in found)
    assert sorted(place[pair] for found in pairs.values() for pair in found) == list(range(1000))
    for split, expected in (("test", [60, 30, 5]), ("dev", [12, 6, 1])):  # of 950 pairs with two sides
        assert [sum(pair[0].startswith(part) for pair in pairs[split]) for part in (b"a", b"b", b"c")] == expected
        assert all(all(pair) for pair in pairs[split])
    assert [part[1:] for part in parts_of(tmp_path / "out")["train"]] == [(600, 600), (300, 300), (100, 50)]


def test_another_seed_is_another_draw(tmp_path: Path) -> None:
    drawn = []
    for number, seed in enumerate((1, 1, 2)):
        assert run(tmp_path / str(number), held_out_corpus(tmp_path, test=50, dev=5, seed=seed)) == 0
        drawn.append((tmp_path / str(number) / "out/test.en").read_bytes())
    assert drawn[0] == drawn[1] != drawn[2]


def test_no_more_can_be_held_out_than_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, held_out_corpus(tmp_path, test=900, dev=50)) == 2
    assert "held_out asks for 950 pairs; train has 950" in capsys.readouterr().err


def test_downloads_through_a_mirror(tmp_path: Path) -> None:
    what = definition(tmp_path / "in")
    data = gzip.compress(b"served\n")
    path = tmp_path / "mirror/example.org/v1/dev.en.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    url = {"url": "https://example.org/v1/dev.en.gz", "sha256": hashlib.sha256(data).hexdigest()}
    what["dev"]["en"] = url
    assert run(tmp_path, what, tmp_path / "mirror") == 0
    assert (tmp_path / "out/dev.en").read_bytes() == b"served\n"
    assert (tmp_path / "dl/example.org/v1/dev.en.gz").read_bytes() == data


def test_what_is_packed_is_seen_in_the_file_and_not_in_its_name(tmp_path: Path) -> None:
    what = definition(tmp_path / "in")
    what["dev"]["en"] = str(tmp_path / "in/dev.en?download=1")
    Path(what["dev"]["en"]).write_bytes(gzip.compress(b"packed"))
    assert run(tmp_path, what) == 0
    assert (tmp_path / "out/dev.en").read_bytes() == b"packed\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": {"lines": 5, "en": "train__sw", "sw": "train1__en__gz"}}, "train.en has 4 lines"),
        ({"dev": {"en": "nowhere.en", "sw": "dev__sw"}}, "no such file: nowhere.en"),
        ({"dev": {"en": {"local": "dev__en", "sha256": "1" * 64}, "sw": "dev__sw"}}, "1" * 64),
        ({"dev": {"en": "broken", "sw": "dev__sw"}}, "broken.gz is no whole gzip file"),
    ],
)
def test_wrong_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, message: str) -> None:
    what = definition(tmp_path / "in")
    (tmp_path / "in/broken.gz").write_bytes(gzip.compress(b"some text that is cut\n" * 100)[:-20])
    text = json.dumps(change)
    for name in ("train__sw", "train1__en__gz", "dev__en", "dev__sw"):
        text = text.replace(f'"{name}"', json.dumps(str(tmp_path / "in" / name.replace("__", "."))))
    text = text.replace('"broken"', json.dumps(str(tmp_path / "in/broken.gz")))
    assert run(tmp_path, what | json.loads(text)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_file_that_has_changed_since_it_was_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "train.en"
    path.write_bytes(b"one\n")
    check_checksums({str(path): hashlib.sha256(b"one\n").hexdigest()})
    path.write_bytes(b"two\n")
    with pytest.raises(InputError, match=r"train.en has changed since"):
        check_checksums({str(path): hashlib.sha256(b"one\n").hexdigest()})
    with pytest.raises(InputError, match="no such file"):
        check_checksums({str(tmp_path / "none"): ""})


def test_the_generator(tmp_path: Path) -> None:
    corpus = corpora({"d": {"languages": ["en", "qmo"], "generated": {"train": 300, "dev": 7, "test_unseen": 1}}}, "x")[
        "d"
    ]
    prepare(corpus, "en-qmo", tmp_path, downloads=tmp_path)
    lines = {path.name: path.read_bytes().count(b"\n") for path in tmp_path.iterdir()}
    assert parts_of(tmp_path)["train"] == [("generated", 300, 300)]
    del lines["parts.json"]
    assert lines.pop("gold.qmo") > 300
    assert lines == {
        f"{split}.{language}": size
        for split, size in {"train": 300, "dev": 7, "test": 250, "test_unseen": 1}.items()
        for language in ("en", "qmo")
    }


def test_the_generator_stands_in_for_any_pair(tmp_path: Path) -> None:
    sizes = {"train": 300, "dev": 7, "test": 5, "test_unseen": 1}
    definitions = {name: {"languages": list(name.split("-")), "generated": sizes} for name in ("en-qmo", "cs-de")}
    known = corpora(definitions, "x")
    for name, corpus in known.items():
        assert corpus.gold_languages(name) == [name.split("-")[1]]
        assert corpus.pairs() == [name]
        prepare(corpus, name, tmp_path / name, downloads=tmp_path)
    made = {path.name: path.read_bytes() for path in (tmp_path / "cs-de").iterdir()}
    assert len(made) == 10
    for name, content in made.items():  # the same text under other names
        own = name.replace(".cs", ".en").replace(".de", ".qmo")
        assert content == (tmp_path / "en-qmo" / own).read_bytes(), name


def test_the_generator_knows_two_languages(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="d is generated, and has the languages en, de, fr"):
        corpora({"d": {"languages": ["en", "de", "fr"], "generated": {}}}, "x")


@pytest.fixture
def ted(tmp_path: Path, mtdata_index: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror with a tiny archive in place of the TED talks; mtdata knows its form."""
    index = mtdata_index("neulab_tedtalks")
    monkeypatch.setattr("mtdata.index.Index.obj", index)
    entries = [entry for entry in index.entries.values() if str(entry.did) == "Neulab-tedtalks_dev-1-eng-deu"]
    english, german = entries[0].cols

    def row(first: str, second: str) -> str:
        cells = ["x"] * 60
        cells[english], cells[german] = first, second
        return "\t".join(cells)

    rows = [row("en", "de"), row("One .", "Eins ."), row("Two .", "__NULL__"), row("Three .", "Drei .")]
    mirror = tmp_path / "mirror"
    path = mirror / place(entries[0].url)
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:gz") as archive:
        for split in ("train", "dev", "test"):
            data = ("\n".join(rows) + "\n").encode()
            info = tarfile.TarInfo(f"all_talks_{split}.tsv")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return mirror


@pytest.mark.slow
def test_an_archive_that_several_ids_name_is_unpacked_once(
    ted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are fetched at the same time; mtdata fails in all but the first."""
    unpack = tarfile.TarFile.extractall
    monkeypatch.setattr(
        tarfile.TarFile, "extractall", lambda *given, **named: [time.sleep(0.5), unpack(*given, **named)]
    )
    entries = find_entries([f"Neulab-tedtalks_{split}-1-eng-deu" for split in ("train", "dev", "test")])
    with ThreadPoolExecutor() as pool:
        found = [pool.submit(fetch_entry, entry, tmp_path / "downloads", ted) for entry in entries]
    assert [path.name for each in found for path in each.result()] == [
        f"all_talks_{n}.tsv" for n in ("train", "dev", "test")
    ]


def test_no_link_leads_out_of_an_archive(ted: Path, tmp_path: Path) -> None:
    """mtdata unpacks what ends in .tar.gz, and looks at the names of its members alone."""
    (entry,) = find_entries(["Neulab-tedtalks_dev-1-eng-deu"])
    outside = tmp_path / "outside"
    outside.mkdir()
    with tarfile.open(ted / place(entry.url), "w:gz") as archive:
        link = tarfile.TarInfo("away")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("away/file"))
    with pytest.raises(InputError, match=r"ted_talks\.tar\.gz cannot be unpacked"):
        fetch_entry(entry, tmp_path / "downloads", ted)
    assert not list(outside.iterdir())


@pytest.mark.usefixtures("mtdata_index")
def test_half_a_cache_of_mtdata_s_index_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while mtdata writes it leaves such a file, in the user's home."""
    from mtdata import index
    from mtdata.index import neulab_tedtalks

    cache = tmp_path / "home" / "index.pkl"
    monkeypatch.setattr(index, "cached_index_file", cache)
    monkeypatch.setattr(index.Index, "load_all", neulab_tedtalks.load_all)
    name = "Neulab-tedtalks_dev-1-eng-deu"
    for _ in range(3):
        monkeypatch.setattr(index.Index, "obj", None)  # as another process
        assert [str(entry.did) for entry in find_entries([name])] == [name]
        cut(cache)
    cache.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("languages", [("en", "de"), ("de", "en")])
def test_mtdata_ids(ted: Path, tmp_path: Path, languages: tuple[str, str]) -> None:
    split = {"mtdata": ["Neulab-tedtalks_dev-1-eng-deu"]}
    train = {"mtdata": ["Neulab-tedtalks_train-1-eng-deu", "Neulab-tedtalks_test-1-eng-deu"]}
    what = {"languages": list(languages), "train": train, "dev": split, "tests": {"t": split}}
    corpus = corpora({"ted": what}, "here")["ted"]
    prepare(corpus, "-".join(languages), tmp_path / "out", downloads=tmp_path / "dl", mirror=ted)
    english = (tmp_path / "out/train.en").read_text().split("\n")
    german = (tmp_path / "out/train.de").read_text().split("\n")
    pairs = [pair for pair in zip(english, german, strict=True) if pair not in (("en", "de"), ("", ""))]
    assert pairs == [("One .", "Eins ."), ("Three .", "Drei .")] * 2  # what has no translation is no pair
    assert [(name, lines) for name, lines, _ in parts_of(tmp_path / "out")["train"]] == [
        (name, (len(english) - 1) // 2) for name in train["mtdata"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["here", "at its server"])
def test_a_file_of_mtdata_s_stays_what_it_was(ted: Path, tmp_path: Path, changed: str) -> None:
    split = {"mtdata": ["Neulab-tedtalks_dev-1-eng-deu"]}
    what = {"languages": ["en", "de"], "train": split, "dev": split, "tests": {"t": split}}
    corpus = corpora({"ted": what}, "here")["ted"]
    prepare(corpus, "en-de", tmp_path / "out", downloads=tmp_path / "dl", mirror=ted)
    (served,) = ted.rglob("*.tar.gz")
    downloaded = tmp_path / "dl" / served.relative_to(ted)
    if changed == "here":
        flip(downloaded)
    else:
        downloaded.unlink()
        served.write_bytes(served.read_bytes() + bytes(512))
    with pytest.raises(InputError, match=rf"SHA-256 of {downloaded} is(.|\n)*delete {downloaded} and run again"):
        prepare(corpus, "en-de", tmp_path / "again", downloads=tmp_path / "dl", mirror=ted)


@pytest.mark.slow
def test_files_follow_mtdata_ids(ted: Path, tmp_path: Path) -> None:
    files = make(tmp_path / "in", mine__en=b"Mine .\n", mine__de=b"Mein .\n")
    split = {"mtdata": ["Neulab-tedtalks_dev-1-eng-deu"]}
    train = {**split, "en": files["mine__en"], "de": files["mine__de"]}
    what = {"languages": ["en", "de"], "train": train, "dev": split, "tests": {"t": split}}
    prepare(corpora({"ted": what}, "x")["ted"], "en-de", tmp_path / "out", downloads=tmp_path / "dl", mirror=ted)
    assert (tmp_path / "out/train.de").read_text().endswith("\nDrei .\nMein .\n")
    assert parts_of(tmp_path / "out")["train"][1:] == [("mine.en", 1, 1)]


@pytest.mark.shared
def test_loresmt_from_the_mirror(shared: Path, tmp_path: Path) -> None:
    corpus = read_catalogue()["loresmt-en-ga"]
    prepare(corpus, "en-ga", tmp_path / "out", downloads=tmp_path / "dl", mirror=shared / "mirror")
    lines = {path.name: path.read_bytes().count(b"\n") for path in (tmp_path / "out").iterdir()}
    del lines["parts.json"]
    assert lines == {
        f"{split}.{language}": count
        for split, count in {"train": 8112, "dev": 502, "test_en2ga": 500, "test_ga2en": 250}.items()
        for language in ("en", "ga")
    }


@pytest.mark.shared
def test_multi30k_from_the_mirror_without_the_test_set_that_it_lacks(shared: Path, tmp_path: Path) -> None:
    corpus = read_catalogue()["multi30k"]
    with pytest.raises(InputError, match=r"test_2018_flickr\.en\.gz"):
        prepare(corpus, "en-de", tmp_path / "out", downloads=tmp_path / "dl", mirror=shared / "mirror")
    few = corpus.with_tests(["test2016", "test2017", "mscoco2017"])
    prepare(few, "en-de", tmp_path / "out", downloads=tmp_path / "dl", mirror=shared / "mirror")
    lines = {path.name: path.read_bytes().count(b"\n") for path in (tmp_path / "out").glob("*.de")}
    assert lines == {"train.de": 29000, "dev.de": 1014, "test2016.de": 1000, "test2017.de": 1000, "mscoco2017.de": 461}
