"""The published numbers: against the papers' text, against each other, and against the rules of their files."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from pandas import NA
from paper_text import READERS, Cell, Table

from replication.measurements import frame, read_printed
from replication.paper import FOLDER
from replication.paper import read as read_paper
from replication.tables import of_value
from subwords.errors import InputError

PAPERS = ["huffman", "sbpe", "hft", "volt", "random-bpe"]
FILES = sorted(f"{path.parent.parent.name}.{path.stem}" for path in FOLDER.glob("*/published/*.csv"))


def of(name: str) -> dict[tuple[str, str], Any]:
    """Return a table's values by row and column."""
    paper, _, table = name.partition(".")
    return {(cell.row, cell.column): cell for cell in tables(paper)[table]}


@cache
def tables(paper: str) -> dict[str, list[Any]]:
    """Return a paper's tables, each a list of cells with the columns as attributes."""
    return {name: list(table.itertuples()) for name, table in read_paper(paper).printed.items()}


def decimals(value: Any) -> int:
    return len(value.printed.partition(".")[2])


def half(value: Any) -> float:
    """Return how far rounding may have moved a printed number."""
    return float(0.5 * 10.0 ** -decimals(value)) + 1e-9


# ---- against the papers


def test_every_table_has_an_oracle() -> None:
    assert {*READERS, "hft.figure4", "hft.statistics"} == {name for name in FILES if name.partition(".")[0] in PAPERS}


@pytest.mark.shared
@pytest.mark.parametrize("name", READERS)
def test_table_equals_the_papers_text(name: str, shared: Path) -> None:
    """Cell by cell in both directions, so that nothing is missing, added, misread or in another row."""
    source, reader = READERS[name]
    printed: Table = reader((shared / source).read_bytes().decode("utf-8"))
    transcribed = {
        key: Cell(value.printed, value.printed_error, value.unit, frozenset(value.mark.split()), value.text)
        for key, value in of(name).items()
    }
    assert transcribed == printed


@pytest.mark.shared
def test_hft_figure_4_equals_the_authors_statistics(shared: Path) -> None:
    expected = {}
    for line in (shared / "vectors/hft/published_stats.tsv").read_bytes().decode("ascii").rstrip("\n").split("\n"):
        language, tokenizer, size, *numbers = line.split("\t")
        for column, number in zip(("freq@95%", "avg_len", "weighted"), numbers, strict=True):
            expected[f"{language} {tokenizer} {size.removesuffix('.0')}", column] = number
    assert {key: value.printed for key, value in of("hft.figure4").items()} == expected


def test_how_much_there_is() -> None:
    """Every cell of the tables' grids, and how many of them are lost (all of them VOLT's)."""
    counts = {paper: [value for values in tables(paper).values() for value in values] for paper in PAPERS}
    assert {paper: len(values) for paper, values in counts.items()} == {
        "huffman": 7 + 6 + 5 + 9 + 11 * 9 + 14,
        "sbpe": 6 * 3 + 5 * 2 + 8 * 2 + 4 * 5 + 12 * 9 + 12 * 7 * 2 + 3,
        "hft": 8 * 6 + 4 + 6 * 3 * 7 * 3 + 750,
        "volt": 3 * 2 * 13 + 2 * 2 * 13 + 3 * 2 * 13 + 11 + 8 * 2 + 4 * 2 + 6,
        "random-bpe": 12 * 6 + 30 * 4 + 12 * 7,
    }
    lost = Counter(
        f"{paper} {table}"
        for paper in PAPERS
        for table, values in tables(paper).items()
        for v in values
        if not (v.printed or v.text)
    )
    assert lost == {"volt table2": 48, "volt table5": 1}


# ---- against each other (needs nothing but the files)


@pytest.mark.parametrize("table", ["table1", "table2", "table3"])
def test_huffman_corpora_add_up(table: str) -> None:
    counts = {row: int(value.printed) for (row, _), value in of(f"huffman.{table}").items()}
    total, train, test = (counts.pop(name) for name in ("Total", "Train", "Test"))
    assert sum(counts.values()) == total == train + test


def test_huffman_percentages_are_ratios() -> None:
    table = of("huffman.table5")
    for row, metric in {(row, column.split()[0]) for row, column in table}:
        ours, bpe, share = (table[row, f"{metric} {name}"] for name in ("Huffman", "BPE", "%"))
        low = (ours.value - half(ours)) / (bpe.value + half(bpe))  # type: ignore[operator]
        high = (ours.value + half(ours)) / (bpe.value - half(bpe))  # type: ignore[operator]
        assert low - 0.0005 <= share.value <= high + 0.0005, row  # type: ignore[operator]


def test_hft_means_and_increments() -> None:
    table = of("hft.table1")
    for row in {row for row, _ in table}:
        mean = table[row, "BLEU avg"]
        runs = [table[row, f"BLEU {run}"].value for run in range(1, 6)]
        # The runs are rounded, too: of 7.33, 7.99, 8.80, 8.31 and 8.31 the mean is 8.148, and 8.14 is printed.
        assert sum(runs) / 5 == pytest.approx(mean.value, abs=2 * half(mean))
        if row.endswith("t-hft"):
            difference = mean.value - table[row.replace("t-hft", "t-bpe"), "BLEU avg"].value  # type: ignore[operator]
            assert table[row, "INCREMENT"].value == pytest.approx(difference)


def test_sbpe_grid_is_printed_twice_alike() -> None:
    def key(value: Any) -> tuple[str, str]:
        return value.direction, value.segmentation

    main = {key(value): value.printed for value in of("sbpe.table7").values() if value.algorithm == "bpe"}
    appendix = {key(value): value.printed for value in of("sbpe.appendix-b").values() if value.algorithm == "bpe"}
    assert len(main) == 84
    assert main == appendix


def test_sbpe_bold_is_within_0_4_of_the_best_bpe() -> None:
    table = of("sbpe.table7")
    for row in {row for row, _ in table}:
        best = max(value.value for (arc, _), value in table.items() if arc == row and value.algorithm == "bpe")  # type: ignore[type-var]
        ours = table[row, "S-BPE"]
        assert ("bold" in ours.mark) == (best - ours.value <= 0.4), row  # type: ignore[operator]


def test_sbpe_judgements_are_whole_sentences() -> None:
    table = of("sbpe.table6")
    for (row, column), value in table.items():
        if value.unit == "%":
            sentences = int(table[row, "Evaluated sentences"].printed)
            assert value.printed in {f"{100 * wins / sentences:.1f}" for wins in range(sentences + 1)}, (row, column)
    share = of("sbpe.text")["section 5.2, De→En test set", "share with unknown words"]
    assert share.value == 736 / 2000


def test_volt_says_the_same_everywhere() -> None:
    """The vocabulary and score of WMT 14 En-De stand in four places."""
    first, fourth, sixth, text = (of(f"volt.{name}") for name in ("table1", "table4", "table6", "text"))
    big = "Transformer-big"
    for system in ("BPE-30K", "VOLT"):
        vocabulary = first[f"Vocab Size (K) {system}", "WMT-14 De"].value
        assert sixth[f"{big} {system}", "Size"].value == vocabulary
        assert text[f"section 5.3, speed, {system}", "tokens in the vocabulary"].value == vocabulary
        score = sixth[f"{big} {system}", "BLEU"]
        assert first[f"En-X {system}", "WMT-14 De"].value == pytest.approx(score.value, abs=half(score))
    assert fourth["VOLT", "Size"].value == first["Vocab Size (K) VOLT", "WMT-14 De"].value


def test_random_bpe_intervals_and_ratios() -> None:
    effects = of("random-bpe.table2")
    for row in {row for row, _ in effects}:
        mean, low, high, zero = (
            effects[row, column].value for column in ("Mean", "HDI (lower)", "HDI (upper)", "Incl. zero?")
        )
        assert low < mean < high  # type: ignore[operator]
        assert zero == (low <= 0 <= high)  # type: ignore[operator]
    corpora = of("random-bpe.table3")
    for row, side in ((row, side) for row, _ in corpora for side in ("English", "Non-English")):
        ratio = corpora[row, f"Type-to-token ratio {side}"]
        found = corpora[row, f"Types {side}"].value / corpora[row, f"Tokens {side}"].value  # type: ignore[operator]
        assert ratio.value == pytest.approx(found, abs=half(ratio))


# ---- what our runs are joined by


SIZES_IN_THE_CAPTION = [("huffman", "table4"), ("hft", "table1")]  # or in section 2.1


@pytest.mark.parametrize("paper", PAPERS)
def test_keys_follow_from_the_labels(paper: str) -> None:
    """Sizes and languages in the columns that programs read are those that people read in the labels."""
    languages = {"English": "en", "German": "de", "Finnish": "fi", "Estonian": "et", "Romanian": "ro", "Turkish": "tr"}
    languages |= {"Latvian": "lv", "Uzbek": "uz"}
    checked = 0
    for table, value in ((table, value) for table, values in tables(paper).items() for value in values):
        label = f"{value.row} {value.column}".replace(",", "")
        printed = {int(number) * (1000 if k else 1) for number, k in re.findall(r"\b(\d+)([Kk]?)\b", label)}
        if value.size is not NA and (paper, table) not in SIZES_IN_THE_CAPTION:
            assert value.size in printed, value
            checked += 1
        if value.size is not NA and value.segmentation:
            short = value.segmentation.rsplit("-", 1)[1]
            assert str(value.size) in (short, short.replace("k", "000")), value
            assert value.segmentation.startswith(value.algorithm), value
        named = [languages[word] for word in re.findall("[A-Z][a-z]+", value.row) if word in languages]
        if named and value.direction:
            assert set(named) <= set(value.direction.split("-")), value
            checked += 1
        arc = re.fullmatch(r"([A-Z][a-z])→([A-Z][a-z])", value.row) or re.match(r"([A-Z]{2})-([A-Z]{2}) ", value.row)
        arc = arc or re.match(r"([a-z]{2})-([a-z]{2}) ", value.row)
        if arc and value.direction:
            assert value.direction == "-".join(arc.groups()).lower(), value
            checked += 1
        if value.corpus and value.direction and value.corpus != "ted-many-en":
            assert value.corpus.split("-")[-2:] in (value.direction.split("-"), value.direction.split("-")[::-1]), value
            checked += 1
    assert checked > 40


def test_a_value_finds_its_runs() -> None:
    value = of("hft.table1")["en-ga t-hft", "BLEU avg"]
    run = {
        "corpus": "loresmt-en-ga",
        "direction": "en-ga",
        "model": "hft",
        "segmentation": "hft-2k",
        "algorithm": "hft",
        "size": 2000,
        "seed": 4,
        "metric": "bleu",
    }

    def compared(value: Any, run: dict[str, Any]) -> bool:
        return len(of_value(value._asdict(), frame([run | {"value": 10.0, "selection": "dev"}]))) == 1

    assert compared(value, run)
    for key, other in {"corpus": "loresmt-en-mr", "size": 3000, "metric": "chrf", "segmentation": "bpe-2k"}.items():
        assert not compared(value, run | {key: other})
    assert compared(of("hft.table1")["en-ga t-hft", "BLEU 4"], run)
    assert not compared(of("hft.table1")["en-ga t-hft", "BLEU 3"], run)


def test_numbers_in_base_units() -> None:
    assert of("sbpe.table2")["German", "Sentences"].value == 5_900_000
    assert of("sbpe.table4")["English →Fi", "BPE"].value == 0.2381
    assert of("volt.table4")["MUV-Search", "Cost CH"].value == 5.4
    assert decimals(of("huffman.table5")["EN-FR 16k", "ChrF BPE"]) == 0  # printed 55
    assert isnan(of("volt.table2")["X-En VOLT", "He"].value)


# ---- rules of the files

HEADER = "row,column,value,metric\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not CSV in UTF-8"),
        ("row,column,value\n", "lacks metric"),
        (HEADER.replace("value", "vlaue"), "did you mean 'value'"),
        (HEADER.replace("value", "value,value"), "value.1"),
        (HEADER + "r,c,1,bleu,\n", "more or fewer cells"),
        (HEADER + ",c,1,bleu\n", "row '' cannot be read"),
        (HEADER + 'r,c,"1,000",bleu\n', "value '1,000' cannot be read"),
        (HEADER + "r,c,1,BLEU\n", "metric 'BLEU' cannot be read"),
        (HEADER + "r,c,1,blue\n", "unknown metric 'blue': did you mean 'bleu'"),
        (HEADER + "r,c,1,comte\n", "did you mean 'comet'"),
        (HEADER + "r,c,1,bleu\nr,c,2,bleu\n", "row 3 has the row and column of a cell above"),
        (HEADER.strip() + ",unit\nr,c,1,bleu,k\n", "unit 'k' cannot be read"),
        (HEADER.strip() + ",mark\nr,c,1,bleu,***\n", "mark '***' cannot be read"),
        (HEADER.strip() + ",text\nr,c,1,bleu,x\n", "both a value and a text"),
        (HEADER.strip() + ",error\nr,c,,bleu,0.1\n", "an error without a value"),
        (HEADER.strip() + ",algorithm\nr,c,1,bleu,bpee\n", "did you mean 'bpe'"),
        (HEADER.strip() + ",direction\nr,c,1,bleu,en\n", "direction 'en' cannot be read"),
        (HEADER.strip() + ",size\nr,c,1,bleu,4k\n", "size '4k' cannot be read"),
        (HEADER.strip() + ",split\nr,c,1,bleu,valid\n", "split 'valid' cannot be read"),
    ],
)
def test_a_broken_file_is_named(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.table1.csv"
    path.write_bytes(content.encode())
    with pytest.raises(InputError, match=re.escape(message)) as error:
        read_printed(path)
    assert "p.table1.csv" in str(error.value)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "p.table1.csv"
    path.write_bytes(HEADER.encode() + b"\xff,c,1,bleu\n")
    with pytest.raises(InputError, match="not CSV in UTF-8"):
        read_printed(path)
    with pytest.raises(InputError, match="cannot read"):
        read_printed(tmp_path / "p.table2.csv")


def test_unknown_paper() -> None:
    with pytest.raises(InputError, match="did you mean 'huffman'"):
        read_paper("hufman")


def test_statistics_go_on_where_figure_4_ends() -> None:
    """Twelve further languages, three tokenizers, seven sizes; two of Japanese are not in the authors' files."""
    found = tables("hft")["statistics"]
    six = {value.corpus for value in tables("hft")["figure4"]}
    assert len({value.corpus for value in found} | six) == 18
    assert not {value.corpus for value in found} & six
    assert len(found) == (12 * 3 * 7 - 2) * 3
