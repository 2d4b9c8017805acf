"""The papers' tables, read from the papers' text: an oracle for the transcription, independent of it.

The texts were made from the PDFs by machine. Cells are separated by tabs; bold survives as <b>; some labels are
damaged, neighbouring rows are sometimes squeezed into one line, and some cells are lost.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple


class Cell(NamedTuple):
    """What a cell says."""

    value: str = ""
    error: str = ""
    unit: str = ""
    marks: frozenset[str] = frozenset()
    text: str = ""


Table = dict[tuple[str, str], Cell]


def cell(printed: str, unit: str = "") -> Cell:
    """Read `1,783,512`, `<b>20.36</b>`, `21.3%**`, `9.70K`, `+1.11` or nothing."""
    marks = {"bold"} if "<b>" in printed else set()
    bare = re.sub(r"<[^>]*>", "", printed).strip()
    if not bare:
        return Cell(unit=unit)
    found = re.fullmatch(r"\+?(-?[\d,]+(?:\.\d+)?)\s*([%KM]?)\s*(\**)", bare)
    assert found, printed
    number, own, stars = found.groups()
    return Cell(number.replace(",", ""), "", own or unit, frozenset(marks | ({stars} if stars else set())))


def block(lines: Iterable[str]) -> list[list[str]]:
    """Return the cells of the lines up to the first blank one, blank ones before skipped."""
    rows: list[list[str]] = []
    for line in lines:
        if line.strip():
            rows.append([part.strip() for part in line.split("\t")])
        elif rows:
            break
    return rows


def above(text: str, caption: str) -> list[list[str]]:
    """Return the table that stands above its caption."""
    before = text[: re.search(rf"(?m)^ ?{re.escape(caption)}", text).start()]  # type: ignore[union-attr]
    return block(reversed(before.split("\n")))[::-1]


def below(text: str, caption: str) -> list[list[str]]:
    """Return the table that stands below its caption."""
    after = text[re.search(rf"(?m)^{re.escape(caption)}", text).start() :]  # type: ignore[union-attr]
    return block(after.split("\n\n", 1)[1].split("\n"))


def filled(labels: Iterable[str]) -> Iterator[str]:
    """Give each empty label the one before it."""
    last = ""
    for label in labels:
        last = label or last
        yield last


def headings(top: list[str], sub: list[str]) -> list[str]:
    """Return the labels of columns under two rows of headings."""
    return [f"{above} {below}".strip() for above, below in zip(filled(pad(top, len(sub))), sub, strict=True)]


def pad(row: list[str], length: int) -> list[str]:
    return [*row, *[""] * (length - len(row))]


def languages(arc: str) -> list[str]:
    """Return the languages of `$\\text{En} \\to L v$`."""
    return [found.replace(" ", "") for found in re.findall(r"[A-Z] ?[a-z]\b", arc)]


# ---- Huffman


def huffman_lines(caption: str) -> Callable[[str], Table]:
    def read(text: str) -> Table:
        table: Table = {}
        for label, count in above(text, caption)[1:]:
            for name, number in zip(label.split(" / "), count.split(" / "), strict=True):
                table[name, "Number of lines"] = cell(number)
        return table

    return read


def huffman_4(text: str) -> Table:
    rows = above(text, "Table 4: BLEU scores")
    assert rows[0] == ["Emb. size", "Layers", "Heads", "BLEU"]
    table: Table = {}
    settings = ["", "", ""]
    for *given, bleu in rows[1:]:
        settings = [old if new == "-" else new for old, new in zip(settings, given, strict=True)]
        table["emb. size {}, layers {}, heads {}".format(*settings), "BLEU"] = cell(bleu)
    return table


def huffman_5(text: str) -> Table:
    top, sub, *rows = above(text, "Table 5: Translation quality")
    columns = headings(top[2:11], sub[2:11])
    pairs = filled(row[0] for row in rows)
    return {
        (f"{pair} {row[1]}", column): cell(number, "%" if column.endswith("%") else "")
        for pair, row in zip(pairs, rows, strict=True)
        for column, number in zip(columns, row[2:11], strict=True)
    }


# ---- S-BPE


def sbpe_2(text: str) -> Table:
    top, sub, *rows = above(text, "Table 2: Training corpora")
    columns = headings(top[:4], sub[:4])[1:]
    return {(row[0], column): cell(number) for row in rows for column, number in zip(columns, row[1:4], strict=True)}


def sbpe_3(text: str) -> Table:
    header, *rows = above(text, "Table 3: Segmentation examples")
    return {
        (row[0], column): Cell(text=re.sub("@+ ", "@@ ", pieces))  # one @ of two is sometimes lost
        for row in rows
        for column, pieces in zip(header[1:], row[1:], strict=True)
    }


def sbpe_4(text: str) -> Table:
    header, *rows = above(text, "Table 4: Morpho Challenge")
    return {
        (f"{row[0] or 'English'} →{languages(row[1])[0]}", column): cell(number, "%")  # F1 score, in per cent
        for row in rows
        for column, number in zip(header[2:4], row[2:4], strict=True)
    }


def sbpe_6(text: str) -> Table:
    _, header, *rows = above(text, "Table 6: Results of the human")
    assert header[1:] == ["BPE", "S-BPE"] * 2
    columns = ["Better word BPE", "Better word S-BPE", "Better sentence BPE", "Better sentence S-BPE"]
    counts = re.findall(r"\d+", re.search(r"in top-down order, were ([^.]*)\.", text)[1])  # type: ignore[index]
    table: Table = {}
    for row, count in zip(rows, counts, strict=True):
        name = "→".join(languages(row[0]))
        table |= {(name, column): cell(number) for column, number in zip(columns, row[1:], strict=True)}
        table[name, "Evaluated sentences"] = cell(count)
    return table


def sbpe_7(text: str) -> Table:
    _, header, *rows = above(text, "Table 7: Results for different")
    table: Table = {}
    for row in rows:
        name = "→".join(languages(row[0]))
        table |= {(name, f"BPE {size}"): cell(number) for size, number in zip(header[1:8], row[1:8], strict=True)}
        score, operations = row[8].rstrip(")").split("(")
        table[name, "S-BPE"] = cell(score)
        table[name, "S-BPE #ops"] = cell(operations.replace(" ", ""))
    return table


def sbpe_appendix(text: str) -> Table:
    names = ["German", "Romanian", "Latvian", "Estonian", "Turkish", "Finnish"]
    titles = [title for name in names for title in (f"English-to-{name}", f"{name}-to-English")]
    table: Table = {}
    panels: list[str] = []
    for row in above(text, "Table 7: Translation results"):
        full = [part for part in row if part]
        if full[0].startswith("("):  # `(g) Er`, `nglish-to-H`, `Estonian`: pieces of titles, some letters twice
            printed = [part for part in re.findall(r"\([a-l]\) ([^(]*)", "".join(full)) if "-to-" in part]
            panels = [difflib.get_close_matches(part, titles, n=1)[0] for part in printed]
        elif full[0] != "# ops":
            for panel, (size, bpe, sbpe) in zip(panels, zip(*[iter(full)] * 3, strict=True), strict=True):
                table[f"{panel} {size}", "BPE"] = cell(bpe)
                table[f"{panel} {size}", "S-BPE"] = cell(sbpe)
    return table


# ---- HFT


def hft_1(text: str) -> Table:
    _, runs, *rows = above(text, "Table 1: Results of the evaluation")
    assert [part for part in runs if part] == ["1", "2", "3", "4", "5", "avg"]
    columns = [*(f"BLEU {run}" for run in range(1, 6)), "BLEU avg", "INCREMENT"]
    table: Table = {}
    for pair, row in zip(filled(row[0] for row in rows), rows, strict=True):
        model = re.sub("<[^>]*>", "", row[1])
        table |= {(f"{pair} {model}", c): cell(n) for c, n in zip(columns, row[2:], strict=True) if n}
    return table


# ---- VOLT


def two(printed: str) -> list[str]:
    """Return the numbers of two rows squeezed into one cell, with their typography."""
    return re.findall(r"(?:<b>)?\d[\d.]*[KM]?(?:</b>)?", printed)


def volt_columns(rows: list[list[str]], systems: tuple[str, str], label: Callable[[int, str], str]) -> Table:
    """Read pairs of lines: languages, then both systems' numbers squeezed together."""
    table: Table = {}
    for header, numbers in zip(rows[::2], rows[1::2], strict=True):
        block_name = header[0]
        unit = "K" if "(K)" in block_name else ""
        for place, (language, printed) in enumerate(zip_longest(header[1:], numbers[1:])):
            name = label(place, language.replace("Н", "H").replace("е", "e"))  # `Не` is Cyrillic in the text
            for system, number in zip_longest(systems, two(printed), fillvalue=""):
                table[f"{block_name} {system}", name] = cell(number, unit)
    return table


#: Table 1 as a picture, volt-blog/img/bilingual_translation.jpg of the authors' repository (Jingjing-NLP/VOLT, commit
#: bc3a452): WMT-14 De, then TED as in the text. * is bold.
VOLT_PICTURE = """
29.31 39.57 39.95 40.11 19.79 26.52 16.27 34.61 32.48 27.65 15.15 29.37 28.20
29.80* 39.97* 40.47* 40.42* 20.36* 27.98* 16.96* 34.64* 32.59* 28.08* 16.17* 29.98* 28.52*
32.60* 42.59* 45.12 40.72* 24.95 37.49 31.45 38.79 37.01 35.60 25.70 36.36 27.48
32.30 42.34 45.93* 40.72* 25.33* 38.70* 32.97* 39.09* 37.31* 36.53* 26.75* 36.68* 27.39*
33.6 29.9 29.8 29.8 30.1 30.0 30.3 33.5 29.8 29.8 29.9 30.0 29.9
11.6* 5.3* 5.2* 9.2* 3.3* 7.3* 9.4* 3.2* 2.4* 3.2* 7.2* 8.2* 8.4*
"""


def volt_1(text: str) -> Table:
    """Read Table 1; 27 numbers that the text has lost come from the picture, which has the same elsewhere."""
    rows = below(text, "Table 1: Comparison")[1:]
    table = volt_columns(rows, ("BPE-30K", "VOLT"), lambda place, name: f"{'TED' if place else 'WMT-14'} {name}")
    columns = list(dict.fromkeys(column for _, column in table))
    for row, line in zip(dict.fromkeys(row for row, _ in table), VOLT_PICTURE.split("\n")[1:-1], strict=True):
        for column, seen in zip(columns, line.split(), strict=True):
            read, number = table[row, column], seen.rstrip("*")
            assert read.value in ("", number), (row, column)
            if not read.value:
                table[row, column] = cell(f"<b>{number}</b>" if seen.endswith("*") else number, read.unit)
    return table


def volt_2(text: str) -> Table:
    return volt_columns(below(text, "Table 2: Comparison"), ("BPE-1K", "VOLT"), lambda _, name: name)


def volt_3(text: str) -> Table:
    rows = [row for row in below(text, "Table 3: Comparison") if row[0] in ("X-En", "BPE-60K VOLT")]
    return volt_columns(rows, ("BPE-60K", "VOLT"), lambda _, name: name)


def volt_4(text: str) -> Table:
    table: Table = {}
    for name, bleu, size, cost in below(text, "Table 4: Results of VOLT")[1:]:
        table[name, "BLEU"], table[name, "Size"] = cell(bleu), cell(size)
        bold = "<b>" if "<b>" in cost else ""
        for hours, kind in re.findall(r"([\d.]+) (CH|GH)", cost):
            table[name, f"Cost {kind}"] = cell(bold + hours, "h")
    return table


def volt_5(text: str) -> Table:
    table: Table = {}
    rows = below(text, "Table 5: Comparison between VOLT and strong")
    rows[1][0] += " (Shaw et al., 2018)"  # its numbers stand with those of the line above, too
    for label, bleu, parameters in rows[1:]:
        names = re.findall(r"\([^)]*\)", label) or [label]
        for name, score, size in zip_longest(names, two(bleu), two(parameters), fillvalue=""):
            for column, number in (("BLEU", score), ("Parameters", size)):
                assert table.get((name, column), cell(number)) == cell(number)
                table[name, column] = cell(number)
    return table


def volt_6(text: str) -> Table:
    table: Table = {}
    for model, systems, bleu, size in below(text, "Table 6: Vocabularies")[1:]:
        for system, score, number in zip(systems.split(), two(bleu), two(size), strict=True):
            table[f"{model} {system}", "BLEU"] = cell(score)
            table[f"{model} {system}", "Size"] = cell(number)
    return table


# ---- random BPE


def random_1(text: str) -> Table:
    top, sub, *rows = above(text, "Table 1: Mean and standard error")
    columns = headings(top[2:8], sub[2:8])
    table: Table = {}
    for row in rows:
        for column, printed in zip(columns, row[2:8], strict=True):
            pairs = re.findall(r"(\d+\.\d+) (?:±|\\pm) (\d+\.\d+)", printed)
            for size, (mean, error) in zip(row[1].split(), pairs, strict=True):
                table[f"{row[0]} {size}", column] = Cell(mean, error)
    return table


def random_2(text: str) -> Table:
    header, *rows = above(text, "Table 2: Posterior means")
    table: Table = {}
    for row in rows:
        if "effects" in row[0]:
            continue
        greek = "β" if "β" in row[0] or "eta" in row[0] else "γ"
        what = re.search("Standard|Random|Uniform|32000|5000|2000", row[0])[0]  # type: ignore[index]
        language = re.search("Estonian|Finnish|German|Uzbek", row[0])
        assert bool(language) != ("bar" in row[0])
        name = f"{greek} {what}, {language[0]}" if language else f"{greek}\N{COMBINING MACRON} {what}"
        table |= {(name, column): cell(number) for column, number in zip(header[1:4], row[1:4], strict=True)}
        assert row[4] in ("✓", r"\checkmark", "")
        table[name, header[4]] = Cell("1", marks=frozenset("✓")) if row[4] else Cell("0")
    return table


def random_3(text: str) -> Table:
    top, sub, *rows = above(text, "Table 3: Counts of sentences")
    columns = headings(top, sub)[2:]
    return {
        (f"{language} {row[1]}", column): cell(number)
        for language, row in zip(filled(row[0] for row in rows), rows, strict=True)
        for column, number in zip(columns, row[2:], strict=True)
    }


# ---- numbers in running text: what stands before a number and after it, `#` for the number


def sentences(patterns: dict[tuple[str, str], str]) -> Callable[[str], Table]:
    def read(text: str) -> Table:
        joined = " ".join(text.split())
        table: Table = {}
        for key, pattern in patterns.items():
            found = re.findall(pattern.replace("#", r"([\d.,]*\d[%KMk]?)"), joined)
            assert len(found) == 1, (key, found)
            number = found[0].upper()
            table[key] = cell({"NONE": "0%", "TWO": "2"}.get(number, number))
        return table

    return read


HUFFMAN_TEXT = {
    ("section 5, Huffman with 1,000 symbols", "BLEU"): "BLEU score with 1,000 symbols is #,",
    ("section 5, character-based Transformer", "BLEU"): r"using a vocabulary of 485 characters, which is #\.",
    ("section 5, character-based Transformer", "vocabulary"): "using a vocabulary of # characters",
    ("section 5, 16k most frequent tokens", "BLEU"): "Keeping 16k tokens leads to a BLEU score of # ",
    ("section 5, 32k most frequent tokens", "BLEU"): "keeping 32k tokens leads to # BLEU points",
    ("section 6, CS-DE", "unknown tokens in the source"): "There are # unknown tokens in the CS source",
    ("section 6, EN-DE", "unknown tokens in the source"): "for CS-DE, # in the EN source for EN-DE",
    ("section 6, EN-FR", "unknown tokens in the source"): "for EN-DE, and (none) in the EN source for EN-FR",
    ("section 6, CS-DE", "unknown combinations in the output"): "are respectively #, [^ ]* and [^ ]* for CS-DE",
    ("section 6, EN-DE", "unknown combinations in the output"): "are respectively [^ ]*, # and [^ ]* for CS-DE",
    ("section 6, EN-FR", "unknown combinations in the output"): "are respectively [^ ]*, [^ ]* and # for CS-DE",
    ("Figure 2's caption, Huffman", "most symbols per token"): "Huffman coding uses at most # symbols per token",
    ("Figure 2's caption, BPE", "most symbols per token"): r"BPE may use up to # subwords\.",
    ("section 6, Huffman", "most symbols per token"): "(two) is the maximum number of symbols per token for Huffman",
}
SBPE_TEXT = {
    ("section 5.2, De→En test set", "sentences"): "out of # sentences of the De",
    ("section 5.2, De→En test set", "sentences with unknown words"): r"test set # \([\d.]*%\) contain unknown",
    ("section 5.2, De→En test set", "share with unknown words"): r"test set \d* \(#\) contain unknown",
}
VOLT_TEXT = {
    ("section 3, MUV and BLEU over 45 pairs", "middle Spearman score"): (
        r"shown in Figure 2\. The middle Spearman score is #\. We believe"
    ),
    ("section 5.2, Table 3's vocabulary", "size"): "size of the searched vocabulary is around #\\. As",
    ("section 5.3, speed, VOLT", "sentences per second"): "can process # sentences per second",
    ("section 5.3, speed, VOLT", "tokens in the vocabulary"): r"VOLT-searched vocabulary \(# tokens\) can",
    ("section 5.3, speed, BPE-30K", "sentences per second"): "only executes # sentences per second",
    ("section 5.3, speed, BPE-30K", "tokens in the vocabulary"): r"model with BPE-30K \(# tokens\) only",
}

#: How each table is read, and from which text.
READERS: dict[str, tuple[str, Callable[[str], Table]]] = {
    "huffman.table1": ("papers/huffman-2023.txt", huffman_lines("Table 1: Czech-German")),
    "huffman.table2": ("papers/huffman-2023.txt", huffman_lines("Table 2: English-German")),
    "huffman.table3": ("papers/huffman-2023.txt", huffman_lines("Table 3: English-French")),
    "huffman.table4": ("papers/huffman-2023.txt", huffman_4),
    "huffman.table5": ("papers/huffman-2023.txt", huffman_5),
    "huffman.text": ("papers/huffman-2023.txt", sentences(HUFFMAN_TEXT)),
    "sbpe.table2": ("papers/sbpe-2021.txt", sbpe_2),
    "sbpe.table3": ("papers/sbpe-2021.txt", sbpe_3),
    "sbpe.table4": ("papers/sbpe-2021.txt", sbpe_4),
    "sbpe.table6": ("papers/sbpe-2021.txt", sbpe_6),
    "sbpe.table7": ("papers/sbpe-2021.txt", sbpe_7),
    "sbpe.appendix-b": ("papers/sbpe-2021.txt", sbpe_appendix),
    "sbpe.text": ("papers/sbpe-2021.txt", sentences(SBPE_TEXT)),
    "hft.table1": ("papers/hft-2022.txt", hft_1),
    "volt.table1": ("papers/volt-2021.txt", volt_1),
    "volt.table2": ("papers/volt-2021.txt", volt_2),
    "volt.table3": ("papers/volt-2021.txt", volt_3),
    "volt.table4": ("papers/volt-2021.txt", volt_4),
    "volt.table5": ("papers/volt-2021.txt", volt_5),
    "volt.table6": ("papers/volt-2021.txt", volt_6),
    "volt.text": ("papers/volt-2021.txt", sentences(VOLT_TEXT)),
    "random-bpe.table1": ("papers/random-bpe-2023.txt", random_1),
    "random-bpe.table2": ("papers/random-bpe-2023.txt", random_2),
    "random-bpe.table3": ("papers/random-bpe-2023.txt", random_3),
}
