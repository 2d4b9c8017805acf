"""Binarized data: the files that fairseq-preprocess writes, byte for byte."""

from __future__ import annotations

import random
from pathlib import Path

import fairseq_plugins  # noqa: F401  (mends fairseq's imports)
import pytest
from fairseq import options
from fairseq.data import Dictionary
from fairseq_cli.preprocess import main as preprocess

from experiment.segmentation.binarizing import binarize
from subwords import learn
from subwords.errors import InputError
from subwords.export import write as write_vocabulary

#: Pieces like fairseq's own symbols and fillers, pieces with spaces of other kinds, and some whose order is another by
#: UTF-16 units than by code points.
AWKWARD = ["</s>", "<unk>", "<s>", "<pad>", "madeupword0001", "a\u00a0b", "c\u2028d", "\uffee", "\U0001f600", "#", "0"]


def write(folder: Path, language: str, types: int, seed: int, names: tuple[str, ...] = ("train", "dev")) -> None:
    chance = random.Random(seed)
    pieces = [*AWKWARD, *(f"{language}{number}" if number % 2 else f"w{number}" for number in range(types))]
    for name in names:
        known = pieces if name == "dev" else pieces[3:]  # dev has pieces that train has not
        lines = [chance.choices(known, k=chance.randint(0, 9)) for _ in range(40)] + [known]
        (folder / f"{name}.{language}").write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")


def by_fairseq(folder: Path, into: Path, *words: str) -> None:
    words = ("--source-lang", "de", "--target-lang", "en", "--destdir", str(into), *words)
    preprocess(options.get_preprocessing_parser().parse_args(words))
    (into / "preprocess.log").unlink()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("joint", "types"), [(False, 5), (True, 5), (True, 70_000)], ids=["two bytes", "joint", "joint, four bytes"]
)
@pytest.mark.slow
def test_files_are_those_of_fairseq(tmp_path: Path, joint: bool, types: int) -> None:
    for seed, language in enumerate(("de", "en")):
        write(tmp_path, language, types, seed)
    binarize(tmp_path, "de-en", joint=joint)
    prefixes = ["--trainpref", f"{tmp_path}/train", "--validpref", f"{tmp_path}/dev"]
    by_fairseq(tmp_path, tmp_path / "oracle", *prefixes, *(["--joined-dictionary"] if joint else []))
    assert files(tmp_path / "binarized") == files(tmp_path / "oracle")


@pytest.mark.parametrize("joint", [False, True])
def test_draws_share_a_dictionary(tmp_path: Path, joint: bool) -> None:
    for seed, language in enumerate(("de", "en")):
        write(tmp_path, language, 50, seed, names=("train", "train.2", "dev"))
        both = (tmp_path / f"train.{language}").read_bytes() + (tmp_path / f"train.2.{language}").read_bytes()
        (tmp_path / f"every.{language}").write_bytes(both)
    binarize(tmp_path, "de-en", joint=joint, draws=2)
    common = ["--joined-dictionary"] if joint else []
    by_fairseq(tmp_path, tmp_path / "all", "--trainpref", f"{tmp_path}/every", "--dict-only", *common)
    common += [
        "--srcdict",
        f"{tmp_path}/all/dict.de.txt",
        *([] if joint else ["--tgtdict", f"{tmp_path}/all/dict.en.txt"]),
    ]
    by_fairseq(tmp_path, tmp_path / "1", "--trainpref", f"{tmp_path}/train", "--validpref", f"{tmp_path}/dev", *common)
    by_fairseq(tmp_path, tmp_path / "2", "--trainpref", f"{tmp_path}/train.2", *common)
    assert files(tmp_path / "binarized") == files(tmp_path / "1")
    assert files(tmp_path / "binarized" / "2") == files(tmp_path / "2")


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "de", 5, 1)
    write(tmp_path, "en", 5, 2)
    (tmp_path / "dev.en").write_text("")
    with pytest.raises(InputError, match=r"dev\.en is missing or empty"):
        binarize(tmp_path, "de-en", joint=False)


@pytest.mark.parametrize("name", ["bpe", "char", "hft", "unigram", "word", "wordpiece"])
def test_an_exported_dictionary_is_fairseqs(name: str, tmp_path: Path) -> None:
    lines = ["low lower lowest straße", "newer wider </s> #", "the lowest straße"] * 4
    model = learn(name, iter(lines), {"char": None, "wordpiece": 60, "word": 9, "unigram": 23}.get(name, 30))
    write_vocabulary(model, "fairseq", tmp_path / "dict.txt")
    dictionary = Dictionary.load(str(tmp_path / "dict.txt"))
    pieces = model.encode("lower straße").split()
    assert dictionary.string(dictionary.encode_line(" ".join(pieces), add_if_not_exist=False)).split() == pieces
