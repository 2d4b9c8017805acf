"""HFT's pretokenization against GNU sed, which runs the same chain of substitutions, written down here again."""

from __future__ import annotations

import os
import platform
import random
import runpy
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords.hft import characters
from subwords.hft.characters import ALPHA, DIGIT, LOWER, SPACE, UPPER, WORD, pretokenizer
from subwords.hft.escaping import escapes, unescape
from subwords.hft.pretokenization import detokenize, pretokenize

SED_SCRIPT = r"""
s/[[:upper:]][[:upper:]][^[:lower:]]*/𐊣\L&\E𐊼/g
s/\b([[:alpha:]])𐊼/𐊼\u\1/g
s/([^[:alpha:]]+)𐊼/𐊼\1/g
s/[[:upper:]]/𐋇\l&/g
s/\s+/ /g
s/^ //
s/ $//
s/\b/¦/g
s/¦ ¦/¦/g
y/¦ / ▁/
s/\b/¦/g
s/^ //
s/ $//
s/¦ ् ¦/्/g
s/([[:digit:]])¦ (.) ¦([[:digit:]])/\1\2\3/g
s/([[:digit:]])¦ (.) ¦([[:digit:]])/\1\2\3/g
s/([[:alnum:]])¦ ([-./]) ¦([[:alnum:]])/\1\2\3/g
s/¦𐋇/𐋇¦/g
s/¦𐊣/𐊣¦/g
s/𐊼¦/¦𐊼/g
"""

#: The earlier script, which joined nothing.
JOINING = ("s/¦ ् ¦", "s/([[:digit:]])¦", "s/([[:alnum:]])¦")
SED_SCRIPT_WITHOUT_JOINS = "\n".join(line for line in SED_SCRIPT.split("\n") if not line.startswith(JOINING))

LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=40)


def sed(lines: list[str], script: str = SED_SCRIPT) -> list[str]:
    program = shutil.which("sed")
    if program is None or b"GNU sed" not in subprocess.run([program, "--version"], capture_output=True).stdout:
        pytest.skip("needs GNU sed")
    run = subprocess.run(
        [program, "-E", script],
        input="".join(f"{line}\n" for line in lines).encode(),
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
    )
    return run.stdout.decode().split("\n")[:-1]


def random_lines(count: int, seed: int) -> list[str]:
    """Lines that mix characters of every class with those that the script treats by name."""
    rng = random.Random(seed)
    classes = np.frombuffer(pretokenizer().character_classes(), np.uint8)
    by_class = [
        [chr(code) for code in np.flatnonzero(classes == value) if code != 10 and not 0xD800 <= code < 0xE000]
        for value in np.unique(classes)
    ]
    special = "aAbBzZ019 -./,_¦▁𐋇𐊣𐊼्' \t\u3000\u00a0\x00éÉİǅßẞ"
    lines = []
    for _ in range(count):
        characters_ = special[: rng.choice([4, 14, len(special)])]
        by_name = rng.random()
        lines.append(
            "".join(
                rng.choice(characters_) if rng.random() < by_name else rng.choice(rng.choice(by_class))
                for _ in range(rng.choice([1, 2, 3, 5, 8, 13, 30]))
            )
        )
    return lines


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.slow
def test_random_text_of_all_classes_is_pretokenized_as_by_sed(seed: int) -> None:
    lines = random_lines(20_000, seed)
    assert pretokenize(lines) == sed(lines)


@pytest.mark.slow
def test_without_joining_as_by_the_earlier_script() -> None:
    lines = [*random_lines(5_000, 3), "e-mail a-b-c 1,2,3 and/or v1.2", "क्ष"]
    assert len(SED_SCRIPT_WITHOUT_JOINS.split("\n")) == len(SED_SCRIPT.split("\n")) - 4
    assert pretokenize(lines, joining=False) == sed(lines, SED_SCRIPT_WITHOUT_JOINS) != sed(lines)


@pytest.mark.slow
def test_every_character_is_pretokenized_as_by_sed() -> None:
    """Next to a word, a digit, a capital and itself, so that a wrong class or case mapping shows."""
    every = [chr(code) for code in range(1, 0x30000) if code != 10 and not 0xD800 <= code < 0xE000]
    lines = [f"a{c}b 1{c}2 A{c}{c}b {c}" for c in every]
    assert pretokenize(lines) == sed(lines)


def test_awkward_lines_are_pretokenized_as_by_sed(awkward: str) -> None:
    assert pretokenize([awkward]) == sed([awkward])


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "ga"])
def test_published_text(shared: Path, language: str) -> None:
    [text] = shared.glob(f"mirror/raw.githubusercontent.com/loresmt/loresmt-2021/*/data/en_ga/train.{language}")
    lines = text.read_bytes().decode().split("\n")[:200]
    expected = (shared / f"vectors/hft/{language}.pretok200").read_bytes().decode().split("\n")[:-1]
    assert pretokenize(lines) == expected


@pytest.mark.shared
@pytest.mark.parametrize("language", ["am", "en", "ga", "hi", "lt", "ojb"])
def test_real_text_is_pretokenized_as_by_sed(shared: Path, language: str) -> None:
    [text] = shared.glob(f"mirror/raw.githubusercontent.com/edoardosignoroni/*/*/data/{language}/train/*.{language}")
    lines = text.read_bytes().decode().split("\n")[:2500]
    assert pretokenize(lines) == sed(lines)


def test_lines_are_independent_of_their_neighbours() -> None:
    lines = random_lines(300, 3)
    assert pretokenize(lines) == [pretokenize([line])[0] for line in lines]


def test_no_lines() -> None:
    assert pretokenize([]) == []
    assert pretokenize([""]) == [""]
    assert pretokenize(["", "a", ""]) == ["", "¦a¦", ""]


def test_a_line_feed_inside_a_line_is_refused() -> None:
    with pytest.raises(ValueError, match="line feed"):
        pretokenize(["a\nb"])


def test_a_very_long_word() -> None:
    assert pretokenize(["ab" * 100_000]) == [f"¦{'ab' * 100_000}¦"]
    assert pretokenize(["AB" * 100_000]) == [f"𐊣¦{'ab' * 100_000}¦𐊼"]


def escape(text: str) -> str:
    return text.translate(str.maketrans(escapes()))


def single_spaced(text: str) -> str:
    return " ".join(word for word in text.split(" ") if word)


@settings(derandomize=True, max_examples=300)
@given(LINE)
def test_escaped_text_comes_back_from_pretokenization(line: str) -> None:
    line = single_spaced(line)
    assert unescape(detokenize(pretokenize([escape(line)])[0])) == line


@pytest.mark.parametrize("seed", [4, 5])
def test_escaped_random_text_comes_back(seed: int) -> None:
    lines = [single_spaced(line) for line in random_lines(5_000, seed)]
    assert [unescape(detokenize(tokens)) for tokens in pretokenize([escape(line) for line in lines])] == lines


def test_escapes_are_told_apart() -> None:
    """No escaped character is the beginning of another, none is pretokenized away, and most text needs none."""
    written = sorted(escapes().values())
    assert not any(longer.startswith(shorter) for shorter, longer in pairwise(written))
    assert escape("Any text, e.g. 'Ünïcödé', 日本 or हिन्दी.") == "Any text, e.g. 'Ünïcödé', 日本 or हिन्दी."
    for text in ("\U000100a6", "\U001000a6", "\U0010fffd\U001000a6", "𐊠i", "𐊠"):
        assert unescape(escape(text)) == text


@pytest.mark.parametrize("text", ["a¦b", "▁", "𐋇a", "a\u3000b", "İ", "\u212a", "𐊣x𐊼"])
def test_what_the_published_scripts_lose(text: str) -> None:
    """These are the exceptions that escaping is there for."""
    assert detokenize(pretokenize([text])[0]) != text


def test_classes_that_python_sees_differently() -> None:
    """The reason for shipping the C library's tables."""
    classes = pretokenizer().character_classes()
    assert classes[ord("१")] & ALPHA
    assert not "१".isalpha()
    assert not classes[ord("१")] & DIGIT
    assert classes[0x3000] & SPACE
    assert not classes[0xA0] & SPACE
    assert "\u00a0".isspace()
    assert classes[0x01C5] & UPPER
    assert classes[0x01C5] & LOWER
    assert classes[ord("_")] & WORD
    assert not classes[ord("्")] & WORD


@pytest.mark.slow
def test_the_tables_are_what_the_c_library_says() -> None:
    """Where this machine has the same C library, its answers are the tables."""
    tables = Path(characters.__file__).with_name("c_utf8.txt").read_text(encoding="utf-8")
    if " ".join(platform.libc_ver()) not in tables:
        pytest.skip(f"the tables are those of another C library than {platform.libc_ver()}")
    maker = Path(__file__).with_name("make_character_classes.py")
    assert runpy.run_path(str(maker))["file_text"]() == tables
