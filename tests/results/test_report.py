"""The report: whole, self-contained, safe, the same every time."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from math import isnan
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from sacrebleu.metrics import CHRF

import make_report
from experiment.manifest import Run, read_manifest
from experiment.reporting.drawing import svg_text
from experiment.reporting.figures import draw_algorithms, draw_curves, draw_scores, draw_sweep, draw_words
from experiment.reporting.pages import TEMPLATES, inline_svg, visible, web_address
from experiment.reporting.report import _tokenizer
from experiment.reporting.samples import choose_samples, mark_words
from experiment.reporting.tables import blocks
from experiment.scoring.scorebook import read_scores
from experiment.store.keys import key

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Elements, attributes and text of a page; fails where an element is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


def write(results: Path, name: str = "report.html") -> str:
    words = ["--scores", f"{results}/scores.csv", "--manifest", f"{results}/manifest.json"]
    assert make_report.main([*words, "--output", f"{results}/{name}", "--figures", f"{results}/figures"]) == 0
    return (results / name).read_bytes().decode("utf-8")


@pytest.fixture(scope="module")
def text(finished: Path) -> str:
    """The report of the small experiment."""
    return write(finished)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    """The same, parsed."""
    return Page(text)


@pytest.mark.slow
def test_it_asks_the_network_for_nothing(page, text):
    loads = {"src", "srcset", "data", "poster", "action", "background"}
    assert [a for a in page.attributes if a[1] in loads] == []
    assert page.elements["link"] == page.elements["iframe"] == page.elements["object"] == page.elements["img"] == 0
    links = {value for tag, name, value in page.attributes if name in ("href", "xlink:href")}
    assert {value for value in links if not value.startswith(("#", "figures/"))} == {"https://example.org/toy"}
    for address in re.findall(r"url\(([^)]*)\)", text):
        assert address.startswith("#")
    assert "@import" not in text


def test_hostile_text_is_shown_not_obeyed(page, text):
    assert page.elements["script"] == 1
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    shown = "".join(page.texts)
    assert "<script>alert(1)</script>" in shown
    assert "$x_{1}$" in shown
    for character in "\u202e\u2028\x0b":
        assert character not in text
    assert "〈U+202E〉" in shown.replace("\u2329", "〈").replace("\u232a", "〉")


def test_ids_are_unique_and_references_to_them_resolve(page, text):
    ids = Counter(value for _, name, value in page.attributes if name == "id")
    assert set(ids.values()) == {1}
    wanted = {v[1:] for _, n, v in page.attributes if n in ("href", "xlink:href") and v.startswith("#")}
    wanted |= set(re.findall(r"url\(#([^)]*)\)", text))
    wanted |= {value for _, name, value in page.attributes if name == "aria-labelledby"}
    assert wanted <= set(ids)
    assert len(wanted) > 20


def test_every_cell_of_the_table_is_there(finished, page):
    texts = Counter(text.strip() for text in page.texts)
    for block in blocks(read_scores(finished / "scores.csv")):
        assert [table.kind for table in block.tables] == ["scores", "comparison", "differences", "costs"]
        for table in block.tables:
            assert texts[table.title]
            for line in table.lines:
                assert texts[line.name]
                for cell in line.cells:
                    assert not cell.text or texts[cell.text]
                    assert not cell.sign or texts[cell.sign]
            for note in table.notes:
                assert texts[note]
        for _, signature in block.signatures:
            assert texts[signature]


def test_provenance_names_what_the_scores_depend_on(page):
    shown = " ".join(page.texts)
    for wanted in (
        "CC0",
        "0123456789abcdef",
        "2.13.0",
        "test:bootstrap|samples:200|seed:12345",
        "snakemake --configfile",
        "sacrebleu ",
    ):
        assert wanted in shown


def test_the_commands_that_check_a_score_work(finished, page):
    lines = [line for text in page.texts for line in text.split("\n") if line.startswith("sacrebleu ")]
    assert len(lines) == 2
    program = f"{sys.executable} -m {lines[0]} -f json"
    found = json.loads(subprocess.run(program, shell=True, check=True, capture_output=True).stdout)
    rows = [row for row in read_scores(finished / "scores.csv") if row["segmentation"] == "bpe" and row["seed"] == 1]
    expected = [round(row["score"], 2) for row in rows if row["testset"] == "test"]
    assert [entry["score"] for entry in found] == expected


def test_the_commands_name_a_tokenizer_that_is_not_the_default():
    assert _tokenizer("nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0") == " -tok zh"
    assert _tokenizer("nrefs:1|tok:ja-mecab-0.996-IPA|smooth:exp") == " -tok ja-mecab"
    assert _tokenizer("nrefs:1|tok:13a|smooth:exp") == ""


def test_each_figure_is_saved_and_shown(finished, page, text):
    files = sorted(path.name for path in (finished / "figures").iterdir())
    kinds = ("curves", "pieces", "scores", "sweep", "words.test", "words.test_unseen")
    assert files == [f"toy_en-xx_tiny.{kind}.svg" for kind in kinds if kind != "sweep"]  # one size an algorithm
    assert page.elements["svg"] == 5
    labels = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-label"]
    assert all("toy, en-xx, tiny" in label for label in labels)
    for name in files:
        assert f'href="figures/{name}"' in text


@pytest.mark.slow
def test_the_same_results_make_the_same_page(root, finished, tmp_path):
    pages = []
    for seed in ("0", "1"):
        command = [sys.executable, str(root / "scripts" / "make_report.py"), "--scores", f"{finished}/scores.csv"]
        command += ["--manifest", f"{finished}/manifest.json", "--output", f"{tmp_path}/{seed}.html"]
        command += ["--figures", f"{tmp_path}/{seed}/figures"]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        figures = [path.read_bytes() for path in sorted((tmp_path / seed / "figures").iterdir())]
        pages.append([(tmp_path / f"{seed}.html").read_bytes(), *figures])
    assert pages[0] == pages[1]


def test_one_seed_is_enough(finished_once):
    page = Page(write(finished_once))
    shown = " ".join(page.texts)
    assert "95% bootstrap intervals" in shown
    assert "NVIDIA Toy" in shown
    assert "seed 4" in shown


def test_without_optional_files_it_is_still_a_report(finished, tmp_path):
    content = json.loads((finished / "manifest.json").read_text())
    for name in ("corpora", "commands", "parameters", "title"):
        del content[name]
    for run in content["runs"]:
        del run["stats_json"], run["log"]
        run["testsets"] = {k: {"scores": files["scores"]} for k, files in run["testsets"].items()}
    (tmp_path / "scores.csv").write_bytes((finished / "scores.csv").read_bytes())
    for run in content["runs"]:
        for files in run["testsets"].values():
            scores = json.loads(Path(files["scores"]).read_text())
            files["scores"] = str(tmp_path / files["scores"].replace("/", "-"))
            Path(files["scores"]).write_text(json.dumps({**scores, "words_by_frequency": None}))
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    page = Page(write(tmp_path))
    assert page.elements["svg"] == 1
    assert page.elements["details"] == 0


def runs_of(finished: Path, seed: int) -> list[Run]:
    return [run for run in read_manifest(finished / "manifest.json").runs if run.seed == seed]


def test_samples_are_the_sentences_with_the_largest_spread(finished):
    runs = runs_of(finished, 2)
    found = choose_samples(runs, "test", 4)
    metric, spreads = CHRF(), []
    files = [run.testsets["test"] for run in runs]
    outputs = [Path(str(each.hypothesis)).read_bytes().decode().split("\n")[:-1] for each in files]
    references = Path(str(files[0].reference)).read_bytes().decode().split("\n")[:-1]
    for number, (reference, *hypotheses) in enumerate(zip(references, *outputs, strict=True), 1):
        scores = [round(metric.sentence_score(hypothesis, [reference]).score, 2) for hypothesis in hypotheses]
        spreads.append((max(scores) - min(scores), number))
    expected = sorted(spreads, key=lambda pair: (-pair[0], pair[1]))[:4]
    assert [(sample.spread, sample.number) for sample in found] == expected
    assert [[t.segmentation for t in sample.translations] for sample in found] == [["bpe", "unigram", "char"]] * 4


def test_systems_that_agree_everywhere_give_no_samples(finished):
    run = runs_of(finished, 1)[0]
    assert choose_samples([run], "test", 3) == []


def test_words_are_marked_as_often_as_the_reference_has_them():
    assert mark_words("the the cat", "a the cat") == [("the", True), ("the", False), ("cat", True)]
    assert mark_words("", "a") == []


def test_only_web_addresses_become_links():
    assert web_address("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    for bad in ("javascript:alert(1)", "data:text/html,x", "//example.org", 'http://x" onclick="y', "", None):
        assert web_address(bad) == ""


def test_control_characters_are_visible_and_writing_is_left_alone():
    assert visible("a\x00b\x7f") == "a␀b␡"
    assert "\u2066" not in visible("\u2066x\u2069")
    for line in ("naïve 👩‍👩‍👧 שלום мир", "मराठी क्‍ष", "tab\there"):
        assert visible(line) == line


def test_two_figures_in_one_page_keep_apart():
    drawing = (
        '<?xml?><svg width="72pt" height="36pt"><g id="a"><use xlink:href="#a"/><p clip-path="url(#a)"/></g></svg>'
    )
    shown = inline_svg(drawing, "p-", 'x "y"')
    assert 'id="p-a"' in shown
    assert 'href="#p-a"' in shown
    assert "url(#p-a)" in shown
    assert 'width="72pt"' not in shown
    assert "max-width: 96px" in shown


def texts_in(figure: Figure) -> list[str]:
    found = ElementTree.fromstring(svg_text(figure)).iter("{http://www.w3.org/2000/svg}text")
    return [element.text or "" for element in found]


def test_scores_are_drawn_against_the_entries_really_there_and_other_measures(finished):
    bpe = [row for row in read_scores(finished / "scores.csv") if row["segmentation"] == "bpe"]
    measured = {"vocabulary": (980, 1950, 4100), "pieces_per_sentence_target": (30.0, 24.0, 19.5)}
    rows = [
        row
        | {"segmentation": f"bpe-{number}", "size": 1000 * 2**number}
        | {"boundary_f1_target": None, "boundary_f1_source": None}
        | {"renyi_efficiency_target": None}
        | {name: values[number] for name, values in measured.items()}
        for number in (2, 0, 1)
        for row in bpe
    ]
    figure = draw_sweep(rows)
    assert figure is not None
    assert len(figure.axes) == 8  # two test sets, two metrics, two measures
    assert {"1,000", "2,000", "4,000", "target pieces per sentence"} <= set(texts_in(figure))
    for axes, values in zip(figure.axes, itertools.cycle(measured.values()), strict=False):
        line = axes.containers[0].lines[0]  # without its bars
        assert tuple(line.get_xdata()) == values
    assert draw_sweep([row for row in rows if row["segmentation"] == "bpe-0"]) is None
    chosen = [row | {"segmentation": "bpe", "size": None} for row in rows if row["segmentation"] == "bpe-0"]
    assert draw_sweep([*chosen, *(row for row in rows if row["segmentation"] == "bpe-1")]) is None  # one size, and none


def test_many_algorithms_have_a_panel_each(finished):
    one = next(row for row in read_scores(finished / "scores.csv") if row["segmentation"] == "bpe")
    names = [f"algorithm-{number}" for number in range(11)]
    rows = [
        one | {"algorithm": name, "segmentation": f"{name}-{size}", "size": size, "vocabulary": size + 7, "seed": seed}
        | {"baseline": f"algorithm-0-{size}", "score": 10.0 + number + seed}
        for number, name in enumerate(names)
        for size in (1000, 500)
        for seed in (1, 2)
    ]  # fmt: skip
    figure = draw_algorithms(rows, one["testset"], one["metric"])
    assert figure is not None
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == names
    for number, axes in enumerate(shown):
        line = axes.containers[0].lines[0]  # without its bars
        assert (tuple(line.get_xdata()), tuple(line.get_ydata())) == ((507, 1007), (11.5 + number,) * 2)
        dashed = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
        assert [tuple(line.get_ydata()) for line in dashed] == ([(11.5, 11.5)] if number else [])
    assert draw_algorithms(rows[:-4], one["testset"], one["metric"]) is None  # ten fit into one panel
    unmeasured = [row | {"algorithm": "new", "segmentation": "new", "vocabulary": None} for row in rows[:2]]
    figure = draw_algorithms([*rows, *unmeasured], one["testset"], one["metric"])
    assert figure is not None
    assert [axes.get_title() for axes in figure.axes if axes.get_visible()] == names


def test_curves_are_drawn_by_updates_time_and_operations():
    curve = [{"split": "dev", "update": 100 * k, "seconds": 60.0 * k, "bleu": 10.0 * k, "loss": 5.0} for k in (1, 2)]
    figure = draw_curves({"bpe": [(curve, 4e15), (curve, None)]})
    assert figure is not None
    bleu, minutes, operations = figure.axes[:3]
    assert [list(line.get_xdata()) for line in bleu.get_lines()] == [[100, 200]] * 2
    assert [list(line.get_xdata()) for line in minutes.get_lines()] == [[1, 2]] * 2
    # 4 PFLOP are those of the last update; of the second run they are not known
    assert [list(line.get_xdata()) for line in operations.get_lines()] == [[2, 4], []]
    assert {"updates", "minutes", "PFLOP (estimate)", "BLEU on dev"} <= set(texts_in(figure))
    assert texts_in(figure).count("bpe") == 1


def test_words_are_drawn_by_frequency():
    one = {
        "0": {"words": 5, "recall": 10.0, "f1": 99.0},
        "1-4": {"words": 5, "recall": 0.0, "f1": 20.0},
        "5+": {"words": 0, "recall": None, "f1": 0.0},  # the references have none: no point
    }
    two = {**one, "0": {"words": 5, "recall": 30.0, "f1": 99.0}, "1-4": {"words": 5, "recall": 0.0, "f1": None}}
    figure = draw_words({"bpe": [one, two]})
    assert figure is not None
    (line,) = figure.axes[0].get_lines()
    assert list(line.get_ydata())[:2] == [20, 20]
    assert isnan(line.get_ydata()[2])
    assert draw_words({}) is None


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_can_be_read_in_light_and_dark():
    """Contrast of at least 4.5 to 1 (WCAG 2.1, 1.4.3) for every colour of text on every background."""
    light, dark = re.findall(r":root \{(.*?)\}", (TEMPLATES / "report.css").read_text(), flags=re.DOTALL)
    for block in (light, dark):
        colors = dict(re.findall(r"--(\w+): (#\w{6})", block))
        for ink in ("text", "soft", "link", "better", "worse"):
            for ground in ("page", "tint"):
                high, low = sorted((luminance(colors[ink]), luminance(colors[ground])), reverse=True)
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)


def test_any_name_can_be_drawn(finished):
    name = r"50% $\nonsense{$ <b> & _x_ 語"
    rows = [row | {"segmentation": name, "testset": name} for row in read_scores(finished / "scores.csv")[:4]]
    drawn = svg_text(draw_scores(rows))
    texts = [element.text for element in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert name in texts


def test_bad_input_is_a_message(finished, tmp_path, capsys):
    (tmp_path / "m.json").write_text("{")
    words = ["--scores", f"{finished}/scores.csv", "--output", f"{tmp_path}/r.html", "--figures", f"{tmp_path}/f"]
    assert make_report.main([*words, "--manifest", f"{tmp_path}/m.json"]) == 2
    assert "is not JSON" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()


def test_the_manifest_of_another_experiment_of_the_name_is_an_error(finished, tmp_path, capsys):
    words = ["--scores", f"{finished}/scores.csv", "--manifest", f"{finished}/manifest.json"]
    words += ["--figures", f"{tmp_path}/f", "--output", f"{tmp_path}/r.html"]
    assert make_report.main([*words, "--key", "of-another"]) == 2
    assert "another experiment of the same name" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()
    own = key(json.loads((finished / "manifest.json").read_text()))
    assert make_report.main([*words, "--key", own]) == 0
