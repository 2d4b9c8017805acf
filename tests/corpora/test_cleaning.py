"""Cleaning against brute force: one character, one line, one corpus at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiment.corpora.cleaning import Options, clean_corpus, clean_test_set, copy_gold
from experiment.text.normalization import clean_line
from subwords.errors import InputError

LANGUAGES = ("en", "xx")

# ---------------------------------------------------------------------------------------------------------- one line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeffword", "word"),
        ("carriage\rreturn\r", "carriage return"),
        ("a\u00a0b\u2003c\u3000d\te", "a b c d e"),
        ("line\u2028separator para\u2029graph next\x85line \x0b\x0c\x1c.", "line separator para graph next line ."),
        ("  many   spaces ", "many spaces"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u1100\u1161\u11a8", "\uac01"),  # Hangul jamo
        ("\u212b", "\u00c5"),  # the angstrom sign is a letter in NFC
        ("\ufb01", "\ufb01"),  # NFC keeps ligatures; NFKC would not
        ("nul\x00, bell\x07, escape\x1b[0m", "nul, bell, escape[0m"),
        ("zero\u200bwidth\u2060 \u200esoft\u00adhyphen\u202c", "zerowidth softhyphen"),
        ("Auf\u200clage f\u200di", "Auflage fi"),  # joiners are typesetting after Latin letters
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),  # Marathi: half ka, by ZWJ
        ("\u0930\u094d\u200d\u092f", "\u0930\u094d\u200d\u092f"),  # Marathi: eyelash ra
        ("\u0d28\u0d4d\u200d \u0d05", "\u0d28\u0d4d\u200d \u0d05"),  # Malayalam: chillu at the end of a word
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),  # family
        ("\U0001f44b\U0001f3fd", "\U0001f44b\U0001f3fd"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),  # variation selectors are marks, not controls
        (
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        ),  # flag of England
        ("hidden\U000e0068\U000e0069", "hidden"),  # tag characters elsewhere
        ("\u06dd\u0661", "\u06dd\u0661"),  # seen although a format character: end of ayah
        ("\u200d\u200c\u200b", ""),
        ("1\u200d2", "12"),
        ("", ""),
    ],
)
def test_characters(text: str, expected: str) -> None:
    assert clean_line(text) == expected


#: Text that is likely to go wrong: marks, joiners, controls, white space, letters of several scripts.
awkward_text = st.text(
    st.one_of(
        st.sampled_from("ab \t\r\x00\x0b\x1c\x85\xa0\xad\u0301\u0323\u200b\u200c\u200d\u200e\u2028\u3000\ufeff\ufe0f"),
        st.sampled_from("\u0915\u094d\u0937\u0645\u06cc\u1100\u1161\U0001f468\U0001f3fd\U0001f3f4\U000e0067\u06dd"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\n"),
    ),
    max_size=12,
)


#: Format characters that Unicode calls prepended concatenation marks: they are seen, before or around digits.
SEEN = {chr(code) for code in (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)}


@given(awkward_text)
@settings(derandomize=True, max_examples=400)
def test_a_clean_line_is_clean(text: str) -> None:
    line = clean_line(text)
    assert clean_line(line) == line
    assert unicodedata.is_normalized("NFC", line)
    assert line == " ".join(line.split())
    joiners = {chr(0x200C), chr(0x200D)}
    tags = {chr(code) for code in range(0xE0020, 0xE0080)}
    assert {c for c in line if unicodedata.category(c) in ("Cc", "Cf")} <= joiners | tags | SEEN


@given(st.text(st.characters(exclude_categories=["Cs", "Cf"], exclude_characters="\n"), max_size=20))
@settings(derandomize=True, max_examples=300)
def test_without_format_characters_it_is_plain_brute_force(text: str) -> None:
    def once(line: str) -> str:
        line = unicodedata.normalize("NFC", line)
        line = "".join(" " if c.isspace() else c for c in line if c.isspace() or unicodedata.category(c) != "Cc")
        while "  " in line:
            line = line.replace("  ", " ")
        return line.strip(" ")

    expected = once(once(once(text)))
    assert clean_line(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=30))
@settings(derandomize=True)
def test_visible_characters_stay(text: str) -> None:
    assert clean_line(text).replace(" ", "") == "".join(unicodedata.normalize("NFC", text).split())


# -------------------------------------------------------------------------------------------------------- one corpus


def write(folder: Path, **splits: list[tuple[str, str]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for split, pairs in splits.items():
        for side, language in enumerate(LANGUAGES):
            (folder / f"{split}.{language}").write_bytes("".join(pair[side] + "\n" for pair in pairs).encode())
    return folder


def read(folder: Path, split: str) -> list[tuple[str, str]]:
    sides = [(folder / f"{split}.{language}").read_bytes().decode().split("\n") for language in LANGUAGES]
    assert [side.pop() for side in sides] == ["", ""]
    return list(zip(*sides, strict=True))


DEV, TEST = [("dev one", "dev eins")], [("test one", "test eins"), ("", "empty in test stays")]


def clean(tmp_path: Path, train: list[tuple[str, str]], **options: Any) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    source = write(tmp_path / "in", train=train, dev=DEV, test=TEST)
    report = clean_corpus(source, tmp_path / "out", LANGUAGES, ["test"], Options(**options))
    assert json.loads((tmp_path / "out/cleaning.json").read_text()) == report
    return read(tmp_path / "out", "train"), report


def test_pairs_are_dropped_as_pairs_with_counts_by_reason(tmp_path: Path) -> None:
    good = [("a good pair", "ein gutes Paar"), ("ok", "gut")]
    train = [
        good[0],
        ("", "leer"),
        ("\u200b \u00a0", "leer auch"),
        ("one two three four five six", "eins"),
        ("x" * 31, "y" * 31),
        ("ab", "abcdefghijklmnopqrs"),
        ("dev one", "other"),
        ("other", "test  eins"),
        good[1],
        good[0],
    ]
    kept, report = clean(tmp_path, train, max_tokens=5, max_characters=30, max_ratio=9, deduplicate=True)
    assert kept == good
    assert report["splits"]["train"] == {
        "read": 10,
        "kept": 2,
        "dropped": {"empty": 2, "too long": 2, "ratio": 1, "overlap": 2, "duplicate": 1, "not drawn": 0},
        "lines changed": {"en": 1, "xx": 1},
    }
    assert report["splits"]["test"] == {"read": 2, "with an empty side": 1, "lines changed": {"en": 0, "xx": 0}}
    assert report["train pairs also in"] == {
        "dev": {"pairs": 0, "en": 1, "xx": 0},
        "test": {"pairs": 0, "en": 0, "xx": 1},
    }


def test_limits_themselves_are_allowed(tmp_path: Path) -> None:
    train = [("a b c", "abc"), ("x" * 18, "yy")]
    assert clean(tmp_path, train, max_tokens=3, max_characters=18, max_ratio=9)[0] == train


def test_overlap_can_be_kept_and_is_reported_all_the_same(tmp_path: Path) -> None:
    train = [DEV[0], ("mine", "meins"), TEST[0]]
    kept, report = clean(tmp_path, train, overlap="keep")
    assert kept == train
    assert report["train pairs also in"]["dev"] == {"pairs": 1, "en": 1, "xx": 1}
    kept, report = clean(tmp_path, train)
    assert kept == [train[1]]
    assert report["splits"]["train"]["dropped"]["overlap"] == 2


def test_dev_and_tests_keep_every_line_and_references_keep_their_text(tmp_path: Path) -> None:
    source = write(tmp_path / "in", train=[("a", "b")], dev=DEV)
    raw = [("\ufeffcafe\u0301 \u00a0x", "d\r"), ("", "  two  "), ("a\u2028b", "c\u00add"), ("w" * 3000, "v")]
    write(source, test=raw)
    clean_corpus(source, tmp_path / "out", LANGUAGES, ["test"], Options(max_characters=10))
    assert read(tmp_path / "out", "test") == [("caf\u00e9 x", "d"), ("", "two"), ("a b", "cd"), ("w" * 3000, "v")]
    expected = [("cafe\u0301 \u00a0x", "d"), ("", "  two  "), ("a\u2028b", "c\u00add"), ("w" * 3000, "v")]
    assert read(tmp_path / "out/references", "test") == expected


def test_line_ends_of_every_kind(tmp_path: Path) -> None:
    source = write(tmp_path / "in", dev=DEV, test=TEST)
    (source / "train.en").write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthr\ree\r\n")
    (source / "train.xx").write_bytes("eins\nzw\u2028ei\r\ndrei".encode())  # no line end at the end
    clean_corpus(source, tmp_path / "out", LANGUAGES, ["test"], Options())
    assert read(tmp_path / "out", "train") == [("one", "eins"), ("two", "zw ei"), ("thr ee", "drei")]


pairs_strategy = st.lists(st.tuples(*[st.text(st.sampled_from("ab \u200b"), max_size=6)] * 2), min_size=1, max_size=30)


@given(pairs_strategy, st.booleans(), st.booleans())
@settings(derandomize=True, max_examples=60, deadline=None)
def test_any_small_corpus_against_brute_force(
    tmp_path_factory: pytest.TempPathFactory, train: list[tuple[str, str]], deduplicate: bool, keep: bool
) -> None:
    dev, test = [("a", "b"), ("aa", "")], [("b b", "a"), ("ab", "ab ab")]
    expected: list[tuple[str, str]] = []
    for raw in train:
        pair = tuple(" ".join(side.replace("\u200b", "").split()) for side in raw)
        if not pair[0] or not pair[1]:
            continue
        if any(len(side.split()) > 2 or len(side) > 4 for side in pair):
            continue
        if max(map(len, pair)) / min(map(len, pair)) > 2:
            continue
        if not keep and any(pair[side] == other[side] for other in dev + test for side in (0, 1)):
            continue
        if deduplicate and pair in expected:
            continue
        expected.append(pair)
    folder = tmp_path_factory.mktemp("corpus")
    source = write(folder / "in", train=train, dev=dev, test=test)
    options = Options(
        max_tokens=2, max_characters=4, max_ratio=2, deduplicate=deduplicate, overlap="keep" if keep else "remove"
    )
    if not expected or all(first == second for first, second in train):
        with pytest.raises(InputError):
            clean_corpus(source, folder / "out", LANGUAGES, ["test"], options)
        assert not (folder / "out/train.en").exists()
        return
    report = clean_corpus(source, folder / "out", LANGUAGES, ["test"], options)
    assert read(folder / "out", "train") == expected
    counts = report["splits"]["train"]
    assert counts["read"] == len(train) == counts["kept"] + sum(counts["dropped"].values())


TRAIN = [(f"line {i} here", f"Zeile {i} hier") for i in range(500)]


def test_drawing_is_deterministic_keeps_order_and_depends_on_the_seed(tmp_path: Path) -> None:
    first, report = clean(tmp_path / "a", TRAIN, train_pairs=50, seed=3)
    again, _ = clean(tmp_path / "b", TRAIN, train_pairs=50, seed=3)
    other, _ = clean(tmp_path / "c", TRAIN, train_pairs=50, seed=4)
    assert first == again != other
    assert len(first) == len(set(first)) == 50
    assert [TRAIN.index(pair) for pair in first] == sorted(TRAIN.index(pair) for pair in first)
    assert report["splits"]["train"]["dropped"]["not drawn"] == 450
    assert clean(tmp_path / "d", TRAIN, train_pairs=1000)[0] == TRAIN


# -------------------------------------------------------------------------------------------------------- bad input


def fail(tmp_path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        clean_corpus(tmp_path / "in", tmp_path / "out", LANGUAGES, ["test"], Options(**options))
    assert not (tmp_path / "out").exists()
    return str(error.value)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_unequal_line_counts(tmp_path: Path, split: str) -> None:
    source = write(tmp_path / "in", train=TRAIN, dev=DEV, test=TEST)
    path = source / f"{split}.xx"
    lines = path.read_bytes().count(b"\n")
    path.write_bytes(path.read_bytes() + b"one more\n" * 7)
    message = fail(tmp_path)
    assert f"{split}.en has {lines}" in message
    assert f"{split}.xx has {lines + 7}" in message
    path.write_bytes(b"only\n")
    if lines > 1:
        assert f"{split}.en has {lines}" in (message := fail(tmp_path))
        assert f"{split}.xx has 1" in message


def test_not_utf8_names_file_and_line(tmp_path: Path) -> None:
    source = write(tmp_path / "in", train=TRAIN, dev=DEV, test=TEST)
    (source / "train.xx").write_bytes("\n".join("größe" for _ in TRAIN).encode("latin1"))
    assert "train.xx, line 1: not UTF-8 (byte 0xf6" in fail(tmp_path)


def test_nothing_left(tmp_path: Path) -> None:
    write(tmp_path / "in", train=[("", "leer"), ("a", "b" * 99)], dev=DEV, test=TEST)
    message = fail(tmp_path)
    assert "2 pairs read; empty: 1, ratio: 1" in message


@pytest.mark.parametrize("split", ["dev", "test", "train"])
def test_empty_files(tmp_path: Path, split: str) -> None:
    write(tmp_path / "in", **{"train": TRAIN, "dev": DEV, "test": TEST} | {split: []})
    assert split in fail(tmp_path)


def test_both_sides_the_same_text(tmp_path: Path) -> None:
    source = write(tmp_path / "in", train=[("a b", "a b"), ("c", "c")], dev=DEV, test=TEST)
    assert "both sides of train are the same text" in fail(tmp_path)
    (source / "train.xx").unlink()
    (source / "train.xx").symlink_to(source / "train.en")
    assert "both sides of train are the same text" in fail(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    source = write(tmp_path / "in", train=TRAIN, dev=DEV)
    assert str(source / "test.en") in fail(tmp_path)


def test_gold_is_copied_clean_and_checked(tmp_path: Path) -> None:
    source, target = tmp_path / "raw.xx", tmp_path / "gold.xx"
    source.write_bytes("Zeilen\tZeile n\r\ncafe\u0301s\tcafe\u0301 s\n".encode())
    copy_gold(source, target)
    assert target.read_text() == "Zeilen\tZeile n\ncaf\u00e9s\tcaf\u00e9 s\n"
    source.write_bytes(b"Zeilen\tZeil n\n")
    with pytest.raises(InputError, match=r"raw.xx, line 1"):
        copy_gold(source, target)


def test_a_test_set_that_train_is_not_cleaned_of(tmp_path: Path) -> None:
    """It keeps every line; what train shares with it is counted, and train stays as it is."""
    train = [("a", "x"), ("b", "y"), ("c", "z"), ("a", "w")]
    write(tmp_path / "train", train=train, dev=DEV)
    late = [("a ", "x"), ("nothing", "z"), ("new", "neu")]
    write(tmp_path / "in", late=late)
    report = clean_test_set(
        tmp_path / "in", "late", tmp_path / "out", "late.key", LANGUAGES, tmp_path / "train" / "train"
    )
    assert read(tmp_path / "out", "late.key") == [("a", "x"), ("nothing", "z"), ("new", "neu")]
    assert read(tmp_path / "out/references", "late.key") == late
    shared = {"any side": 3, "pairs": 1, "en": 2, "xx": 2}  # a x; a w by its English; c z by its other side
    assert report["train pairs also in it"] == shared
    assert read(tmp_path / "train", "train") == train


#: clean_corpus in a process of its own, which can be killed.
PROGRAM = """
import sys
from pathlib import Path
from experiment.corpora.cleaning import Options, clean_corpus
from experiment.programs import program
run = program(lambda _: clean_corpus(Path("in"), Path("out"), ("en", "xx"), ["test"], Options()) and 0)
sys.exit(run())
"""


@pytest.mark.slow
def test_killed_and_started_again(tmp_path: Path, root: Path) -> None:
    train = [(f"sentence number {i} of many", f"Satz Nummer {i} von vielen") for i in range(60_000)]
    write(tmp_path / "in", train=train, dev=DEV, test=TEST)
    command, environment = [sys.executable, "-c", PROGRAM], {**os.environ, "PYTHONPATH": str(root / "src")}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("out/.train.en*")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out/train.en").exists()
    assert not (tmp_path / "out/cleaning.json").exists()
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert read(tmp_path / "out", "train") == train


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path, root: Path) -> None:
    write(tmp_path / "in", train=TRAIN, dev=DEV, test=TEST)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"ulimit -f 4; trap '' XFSZ; exec {sys.executable} -B program.py"
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "too large" in done.stderr
    assert "Traceback" not in done.stderr
    left = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert left == {f"{split}.{language}" for split in ("dev", "test") for language in LANGUAGES}


# ---------------------------------------------------------------------------------------------------------- real text


@pytest.mark.slow
@pytest.mark.shared
def test_loresmt_marathi_has_mixed_line_ends_joiners_and_overlap(shared: Path, tmp_path: Path) -> None:
    folder = next((shared / "mirror/raw.githubusercontent.com/loresmt").glob("*/*/data/en_mr"))
    for split, name in {"train": "train", "dev": "dev", "test": "test.en2mr"}.items():
        for language in ("en", "mr"):
            (tmp_path / f"{split}.{language}").write_bytes((folder / f"{name}.{language}").read_bytes())
    clean_corpus(tmp_path, tmp_path / "out", ("en", "mr"), ["test"], Options())
    raw = [(folder / f"train.{language}").read_bytes().decode() for language in ("en", "mr")]
    clean_text = [(tmp_path / f"out/train.{language}").read_bytes().decode() for language in ("en", "mr")]
    assert all("\r" in text for text in raw)
    assert not any("\r" in text or "\u200b" in text or "\u00a0" in text for text in clean_text)
    assert clean_text[1].count("\u200d") > 70  # eyelash ra and half forms are still spelled so
    held_out = {line for split in ("dev", "test") for line in (tmp_path / f"out/{split}.en").read_text().split("\n")}
    assert not held_out - {""} & set(clean_text[0].split("\n"))
