"""The benchmark's own parts: generated text, measuring, tables. How fast anything is, is not tested here."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from itertools import islice
from math import gamma
from pathlib import Path

import pytest
from scipy.special import zeta
from speed import zipf
from speed.__main__ import main
from speed.measure import ProcessFailed, Usage, measure
from speed.programs import PROGRAMS
from speed.table import Measured, as_markdown
from speed.texts import describe, find, generator

from subwords import registry


@pytest.mark.slow
def test_generated_text_is_the_same_in_every_process_and_a_longer_one_begins_with_a_shorter():
    first, again, longer = (
        subprocess.run(generator(words), capture_output=True, check=True, env={"PYTHONHASHSEED": str(seed)}).stdout
        for words, seed in ((30_010, 1), (30_010, 2), (400_000, 3))
    )
    assert hashlib.sha256(first).digest() == hashlib.sha256(again).digest()
    assert longer.startswith(first.rstrip(b"\n"))
    assert (len(first.split()), len(longer.split())) == (30_010, 400_000)


def expected_types(words: int) -> float:
    """Return the types that a text of so many words is expected to have, by Heaps' law of zipf.py's docstring."""
    a, b = zipf.EXPONENT, zipf.SHIFT
    return gamma(1 - 1 / a) * (words / zeta(a, b + 1)) ** (1 / a) - b


@pytest.mark.slow
def test_types_and_frequencies_of_generated_text_follow_the_stated_laws():
    counts: Counter[str] = Counter()
    for words in (100_000, 1_000_000):
        counts = Counter(word for line in zipf.lines(words) for word in line.split(" "))
        assert counts.total() == words
        assert len(counts) == pytest.approx(expected_types(words), rel=0.02)
    for rank in (1, 2, 10, 100):  # against the first: ((rank + b) / (1 + b))^-a, within four standard deviations
        expected = counts[zipf.spell(1)] * ((rank + zipf.SHIFT) / (1 + zipf.SHIFT)) ** -zipf.EXPONENT
        assert counts[zipf.spell(rank)] == pytest.approx(expected, abs=6 * expected**0.5)


def test_stated_numbers_of_types():
    assert [round(expected_types(words), -4) for words in (10**6, 10**7, 10**8)] == [60_000, 320_000, 1_660_000]


def test_every_rank_has_a_word_of_its_own():
    ranks = [*range(1, 50_000), 2**31, 2**40, 2**63 - 1]
    assert len({zipf.spell(rank) for rank in ranks}) == len(ranks)


def test_generated_text_streams():
    assert len(list(islice(zipf.lines(10**15), 3))) == 3


def test_memory_and_cpu_of_a_known_process():
    small = measure([sys.executable, "-S", "-c", "pass"])
    busy = "import time\nheld = bytearray(b'x') * (200 << 20)\nwhile time.process_time() < 0.5: pass"
    large = measure([sys.executable, "-S", "-c", busy])
    assert small.peak < 40 << 20  # although this process, its ancestor, is larger
    assert 200 << 20 <= large.peak < 240 << 20
    assert 0.5 <= large.user + large.system < 0.8
    assert large.wall >= large.user
    assert small.user < 0.3


def test_sleeping_takes_wall_time_alone():
    usage = measure([sys.executable, "-S", "-c", "import time; time.sleep(0.5)"])
    assert usage.wall >= 0.5 > usage.user + usage.system


def test_a_process_that_fails_is_an_error_with_its_words():
    with pytest.raises(ProcessFailed, match="status 3: out of luck"):
        measure([sys.executable, "-S", "-c", "import sys; sys.stderr.write('out of luck'); sys.exit(3)"])


def test_environment_and_source_reach_the_process():
    reads = "import os, sys; sys.exit(sys.stdin.read() != os.environ['EXPECTED'])"
    source = [sys.executable, "-S", "-c", "print('a text', end='')"]
    measure([sys.executable, "-S", "-c", reads], environment={"EXPECTED": "a text"}, source=source)
    with pytest.raises(ProcessFailed):
        measure([sys.executable, "-S", "-c", reads], environment={"EXPECTED": "another"}, source=source)


def test_a_text_is_described(tmp_path: Path):
    path = tmp_path / "text"
    path.write_text("the cat\n\nthe hat the\n", encoding="utf-8")
    text = describe("cats", path)
    assert (text.words, text.types) == (5, 3)
    assert text.letters == len("theca") + len("et")  # characters, and last characters


def test_files_of_a_mirror_are_found_all_or_none(tmp_path: Path):
    for name in ("host/a/1/x.en", "host/b/2/y.en"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    assert find(["a/*/x.en", "b/*/y.en"], tmp_path) == [tmp_path / "host/a/1/x.en", tmp_path / "host/b/2/y.en"]
    assert find(["a/*/x.en", "b/*/z.en"], tmp_path) == []


#: Wrapped libraries, baselines and papers' algorithms whose speed is not claimed anywhere.
NOT_MEASURED = {"bpe-dropout", "bpe-knockout", "byte-bpe", "greedtok", "morfessor", "oracle", "pathpiece", "picky-bpe"}
NOT_MEASURED |= {"pretrained", "unigram-sampling"}


def test_every_other_algorithm_is_measured():
    assert {program.algorithm for program in PROGRAMS if program.ours} == set(registry.names()) - NOT_MEASURED


def test_ratios_are_of_medians():
    programs = {program.name: program for program in PROGRAMS}

    def row(name: str, *seconds: float, peak: int = 100 << 20) -> Measured:
        return Measured(programs[name], "learn", [Usage(2 * value, value, 0.0, peak) for value in seconds])

    rows = [row("subword-nmt", 10, 90, 20), row("bpe", 0.2), row("sbpe", 0.4, peak=150 << 20), row("muv", 1)]
    rows.append(row("sentencepiece bpe", 1))
    lines = as_markdown(rows).split("\n")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert cells[2][:4] == ["subword-nmt", "learn", "20.00", "40.00"]
    assert cells[3][-4:] == ["0.010", "0.200", "1.00", "1"]
    assert cells[4][-4:] == ["0.020", "0.400", "1.50", "1"]
    rows[0] = row("subword-nmt", 0)  # a process so short that the system counts no second of it
    assert [line.split("|")[6].strip() for line in as_markdown(rows).split("\n")[2:]] == [""] * 5


@pytest.mark.slow
def test_the_benchmark_writes_its_table(tmp_path: Path):
    names = ["subword-nmt", "tokenizers bpe", "sentencepiece bpe", "sentencepiece unigram", "huffman", "char"]
    output = tmp_path / "table.md"
    growth = ["--texts", "growth", "--growth", "0.02", "--size", "300", "--repeat", "1", "--scratch", str(tmp_path)]
    main(["--output", str(output), *growth, "--programs", *names])
    report = output.read_text("utf-8")
    assert "generated, 0.02 M words: 20,000 words" in report
    assert "Load average" in report
    rows = [line.split("|")[1].strip(" *") for line in report.split("\n") if line.startswith("|")]
    measured = [name for name in names if name in {p.name for p in PROGRAMS if p.growth}]
    assert rows == ["", "---", *measured, *measured, *measured]
