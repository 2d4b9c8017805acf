"""Blind sheets: who is shown what, that nothing tells the systems apart, and what hostile text does to them."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.sbpe.human import __main__ as program
from papers.sbpe.human.answers import read_answers
from papers.sbpe.human.sheets import (
    COLUMNS,
    Item,
    Sheet,
    candidates,
    key,
    make_sheets,
    sheet_csv,
    sheet_html,
    word_spans,
)

from replication.corpus_counts import unknown_words
from subwords.errors import InputError

KNOWN = {"the", "lane", "is", "long", ",", ".", "no"}
SOURCES = ["The Turnweg, is long.", "The lane is long.", "No Xyzzy.", "The 4711 is long.", "No Qux is Quux."]
TOKENS = ["the Turnweg , is long .", "the lane is long .", "no Xyzzy .", "the 4711 is long .", "no Qux is Quux ."]
FIRST = ["a lane", "b", "same  output", "d", "e one"]
SECOND = ["a road", "b2", "same output", "d2", "e two"]
HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=alert(1)>",
    "\"' onmouseover='x' </mark></article>",
    "=HYPERLINK(1)",
    "@SUM(A1)",
    "-1+1",
    "  +cmd|' /C calc'!A0",
    "{{ 7 * 7 }} {% raw %} ${x} `y`",
    'a,b;c\td "quoted"',
    "\u202eleft\u202c \x00 \x0b \u2028 \x85",
    "שלום עולם",
    "</script><!--",
    "&amp; &lt;b&gt;",
    "",
]


def items(number: int) -> list[Item]:
    """Return sentences whose outputs tell which system made them."""
    return [
        Item(n, f"the word{n} here", 4, 8 + len(str(n)), (f"out zero {n}", f"out one {n}"))
        for n in range(1, number + 1)
    ]


# ---- which sentences, which word


def test_unknown_words_are_those_that_train_does_not_have() -> None:
    assert [unknown_words(line, KNOWN) for line in TOKENS] == [[1], [], [1], [1], [1, 3]]


def test_spans_point_at_the_words_in_the_sentence() -> None:
    sentence = "»He's said: no–well, A.B. & co.«"
    tokens = "» he 's said : no – well , A.B. & co. «"
    found = [sentence[slice(*span)].lower() for span in word_spans(tokens, sentence) if span]
    assert found == tokens.lower().split(" ")


def test_a_word_that_the_tokenizer_changed_has_no_place_and_costs_no_other_its_place() -> None:
    assert word_spans("one &quot; two", 'one " two') == [(0, 3), None, (6, 9)]


def test_a_repeated_word_is_the_one_at_that_place() -> None:
    assert word_spans("no no so no", "No, no, so no")[3] == (11, 13)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1), max_size=8))
@settings(derandomize=True, deadline=None)
def test_words_that_are_only_set_apart_are_found_where_they_are(words: list[str]) -> None:
    spans = word_spans(" ".join(words), " ".join(words))
    assert [" ".join(words)[slice(*span)] for span in spans if span] == words


def test_candidates() -> None:
    """Line 2 has no unknown word, line 3 equal outputs, line 4 an unknown word without a letter, line 5 two words."""
    found, counts = candidates(SOURCES, TOKENS, KNOWN, (FIRST, SECOND))
    assert [item.line for item in found] == [1, 5]
    assert found[0].word == "Turnweg"
    assert found[0].outputs == ("a lane", "a road")
    assert counts == {"sentences": 5, "with_unknown_words": 4, "identical": 1, "without_place": 1}
    words = {candidates(SOURCES, TOKENS, KNOWN, (FIRST, SECOND), seed)[0][1].word for seed in range(20)}
    assert words == {"Qux", "Quux"}


def test_candidates_of_unequal_files_are_an_error() -> None:
    with pytest.raises(InputError, match="5 sentences, 4 tokenized"):
        candidates(SOURCES, TOKENS[:4], KNOWN, (FIRST, SECOND))


# ---- who gets what, in which order


@pytest.mark.parametrize("judges", [1, 3, 40])
def test_every_sentence_goes_to_one_judge(judges: int) -> None:
    shown = [[item.line for item in sheet.items] for sheet in make_sheets("en-de", items(31), judges)]
    assert Counter(line for lines in shown for line in lines) == dict.fromkeys(range(1, 32), 1)
    assert max(map(len, shown)) - min(map(len, shown)) <= 1


def test_each_system_is_first_equally_often_and_unpredictably() -> None:
    firsts = [make_sheets("x-y", items(41), seed=seed)[0].first for seed in range(12)]
    assert {sum(first) for first in firsts} == {20, 21}
    assert len({tuple(first) for first in firsts}) == 12
    assert not any(first in ([n % 2 for n in range(41)], [1 - n % 2 for n in range(41)]) for first in firsts)


def test_the_same_options_give_the_same_sheets_and_others_another_name() -> None:
    sheets = make_sheets("en-de", items(9), 2, seed=5)
    assert make_sheets("en-de", items(9), 2, seed=5) == sheets
    assert [re.fullmatch(r"en-de\.[0-9a-f]{8}\.judge[12]", sheet.name) is not None for sheet in sheets] == [True, True]
    other_text = [*items(8), Item(9, "the word9 here", 4, 9, ("out zero 9", "CHANGED"))]
    names = {make_sheets("en-de", *given)[0].name for given in [(items(9), 2, 5), (items(9), 2, 6), (other_text, 2, 5)]}
    assert len(names) == 3


def test_the_key_says_which_system_is_a() -> None:
    sheets = make_sheets("en-de", items(11), 2)
    found = key(sheets, ("zero", "one"), direction="en-de")
    for sheet in sheets:
        for entry, (item, a, b) in zip(found["sheets"][sheet.name], sheet.shown(), strict=True):
            assert entry == {"item": item.line, "word": item.word, "A": a.split()[1], "B": b.split()[1]}


# ---- what a judge sees


class Page(HTMLParser):
    """The elements, and the text of each highlighted word and paragraph, of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.marks: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "p" and dict(attrs).get("class", "").startswith("text"):  # type: ignore[union-attr]
            self.texts.append("")
            self._open.append("p")
        if tag == "mark":
            self.marks.append("")
            self._open.append("mark")

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "p" in self._open:
            self.texts[-1] += data
        if "mark" in self._open:
            self.marks[-1] += data


def test_the_page_shows_every_sentence_with_its_word_and_both_outputs() -> None:
    (sheet,) = make_sheets("de-en", items(5))
    page = Page(sheet_html(sheet, "de-en"))
    assert page.texts == [text for item, a, b in sheet.shown() for text in (item.source, a, b)]
    assert page.marks[1:] == [item.word for item in sheet.items]  # the first is in the instructions
    radios = [attributes for tag, attributes in page.tags if attributes.get("type") == "radio"]
    by_name = Counter((radio["name"], radio["value"]) for radio in radios)
    assert by_name == {
        (f"{question}-{n}", answer): 1
        for question in ("better_word", "better_sentence")
        for n in range(1, 6)
        for answer in ("A", "B", "equal")
    }
    assert not any("checked" in radio for radio in radios)


def test_the_page_needs_and_sends_nothing() -> None:
    (sheet,) = make_sheets("de-en", items(2))
    page = Page(sheet_html(sheet, "de-en"))
    assert not any({"src", "href", "action"} & attributes.keys() for _, attributes in page.tags)
    policy = next(
        a["content"] for t, a in page.tags if t == "meta" and "content" in a and "none" in (a["content"] or "")
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_hostile_text_stays_text(text: str) -> None:
    source = f"{text} {text}"
    sheet = Sheet("x-y.0.judge1", [Item(1, source, 0, len(text), (text, f"{text}!"))], [0])
    plain = Page(sheet_html(Sheet("x-y.0.judge1", [Item(1, "a a", 0, 1, ("a", "a!"))], [0]), "de-en"))
    page = Page(sheet_html(sheet, "de-en"))
    assert page.tags == plain.tags  # not one element or attribute more
    control = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
    assert not any(control.search(shown) for shown in (*page.texts, *page.marks))
    if not control.search(text) and text:
        assert page.texts == [source, text, f"{text}!"]
        assert page.marks[1] == text
    rows = list(csv.reader(io.StringIO(sheet_csv(sheet).removeprefix("\ufeff"), newline="")))
    assert rows[0] == list(COLUMNS)
    assert len(rows) == 2
    assert not any(cell.lstrip()[:1] in tuple("=+-@") for cell in rows[1] if cell)
    if not control.search(text):
        assert [cell.removeprefix("'") for cell in rows[1][2:6]] == [f"[[{text}]] {text}", text, text, f"{text}!"]


def test_the_csv_sheet_marks_the_word_and_leaves_the_answers_open() -> None:
    (sheet,) = make_sheets("de-en", items(3))
    text = sheet_csv(sheet)
    assert text.startswith("\ufeffsheet,item,source,word,A,B,better_word,better_sentence\r\n")
    for row, (item, a, b) in zip(csv.DictReader(io.StringIO(text[1:], newline="")), sheet.shown(), strict=True):
        assert row == {
            "sheet": sheet.name,
            "item": str(item.line),
            "source": f"the [[{item.word}]] here",
            "word": item.word,
            "A": a,
            "B": b,
            "better_word": "",
            "better_sentence": "",
        }


# ---- the program


def test_the_program_makes_sheets_and_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"train": ["the lane is long , .", "no"], "test": TOKENS, "source": SOURCES, "bpe": FIRST, "sbpe": SECOND}
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = ["--direction", "de-en"]
    command += [word for name in ("bpe", "sbpe") for word in ("--system", name, str(tmp_path / name))]
    command += [word for name in ("train", "test", "source") for word in (f"--{name}", str(tmp_path / name))]
    assert program.main(["sheets", *command, "--judges", "2", "--output", str(tmp_path / "out")]) == 0
    assert str(tmp_path / "out/keys/de-en.") in capsys.readouterr().out
    made = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert [re.sub(r"[0-9a-f]{8}", "#", name) for name in made] == [
        "keys/de-en.#.json",
        "sheets/de-en.#.judge1.csv",
        "sheets/de-en.#.judge1.html",
        "sheets/de-en.#.judge2.csv",
        "sheets/de-en.#.judge2.html",
    ]
    for path in (tmp_path / "out/sheets").iterdir():  # nothing that a judge gets tells the systems apart
        assert not re.search(f"bpe|{tmp_path}", path.read_text("utf-8"), re.IGNORECASE)
    before = {name: (tmp_path / "out" / name).read_bytes() for name in made}
    assert program.main(["sheets", *command, "--judges", "2", "--output", str(tmp_path / "out")]) == 0
    assert before == {name: (tmp_path / "out" / name).read_bytes() for name in made}
    with pytest.raises(SystemExit):
        program.main(["sheets", *command, "--judges", "0", "--output", str(tmp_path / "no")])
    assert not (tmp_path / "no").exists()


@pytest.mark.slow
def test_a_browser_saves_what_was_chosen(tmp_path: Path) -> None:
    """The page's own code, in a real browser: what is clicked is what the file of answers says."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs chromium, which is not here")
    (sheet,) = make_sheets("de-en", items(3))
    clicks = """<script>
      judge.value = 'Anna "A", x; y';
      items[0].querySelector('input[data-question="better_word"][value="A"]').click();
      items[0].querySelector('input[data-question="better_sentence"][value="equal"]').click();
      items[2].querySelector('input[data-question="better_word"][value="B"]').click();
      document.body.setAttribute("data-csv", answersAsCsv());
    </script>"""
    page = tmp_path / "sheet.html"
    page.write_text(sheet_html(sheet, "de-en") + clicks, encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run([*command, "--dump-dom", page.as_uri()], capture_output=True, timeout=120, check=True)
    text = done.stdout.decode("utf-8")
    saved = next(attributes["data-csv"] for tag, attributes in Page(text).tags if tag == "body")
    (tmp_path / "answers.csv").write_bytes((saved or "").encode())
    assert read_answers(tmp_path / "answers.csv").to_numpy().tolist() == [
        [sheet.name, str(item.line), 'Anna "A", x; y', word, sentence]
        for item, (word, sentence) in zip(sheet.items, [("A", "equal"), ("", ""), ("B", "")], strict=True)
    ]
    assert "1 of 3 done" in text
