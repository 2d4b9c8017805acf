"""scores.csv and the tables made from it, recomputed by other means."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sacrebleu
import scipy.stats
from small_experiment import make_runs, run_steps

import collect_scores
import make_tables
from experiment.manifest import read_manifest
from experiment.reporting.like_for_like import differing
from experiment.reporting.table_formats import escape_latex, latex, markdown
from experiment.reporting.tables import blocks
from experiment.scoring.scorebook import COLUMNS, read_scores, score_rows
from experiment.scoring.significance import count_sentences, outcomes
from subwords.errors import InputError
from subwords.files import read_lines


def table_of(text: str, number: int = 0) -> list[list[str]]:
    """Return the cells of a Markdown table, the first one by default."""
    tables = [part for part in text.split("\n\n") if part.startswith("|")]
    lines = tables[number].split("\n")
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if "--" not in line]


def read(results: Path) -> pd.DataFrame:
    """Return scores.csv as another library reads it."""
    return pd.read_csv(results / "scores.csv", float_precision="round_trip")


def made_row(**values: Any) -> dict[str, Any]:
    """Return a row of scores.csv in which only what is given has a value."""
    given = {"experiment": "e", "corpus": "c", "direction": "a-b", "model": "m", "testset": "t", "metric": "bleu"}
    return dict.fromkeys(COLUMNS) | given | {"seed": 1, "baseline": "base", "signature": "s"} | values


def test_scores_csv_is_tidy_and_complete(finished):
    frame = read(finished)
    assert list(frame.columns) == list(COLUMNS)
    key = ["corpus", "direction", "segmentation", "model", "seed", "testset", "metric"]
    assert len(frame) == 3 * 3 * 2 * 2 == len(frame.drop_duplicates(key))
    for _, row in frame.iterrows():
        run = finished.parent / row.direction / row.segmentation / f"seed{row.seed}"
        scores = json.loads((run / f"{row.testset}.scores.json").read_text())
        assert row.score == scores["metrics"][row.metric]["score"]
        assert row.signature == scores["metrics"][row.metric]["signature"]
        record = json.loads((run / "run.json").read_text())
        assert (row.parameters, row.updates) == (record["model_parameters"], record["updates"])
        statistics = json.loads((run / "stats.json").read_text())
        assert row.vocabulary_target == statistics["xx"]["types"]
        translation = json.loads((run / f"{row.testset}.translation.json").read_text())
        assert row.unknown_words_source == translation["unknown_words"]["source"]
        assert row.boundary_f1_target == statistics["xx"]["boundaries"]["macro"]["f1"]
    assert frame.boundary_f1_source.isna().all()


def test_deltas_and_tests_belong_to_the_same_seed(finished):
    frame = read(finished)
    same = ["seed", "testset", "metric"]
    base = frame[frame.segmentation == "bpe"].set_index(same).score
    for (seed, testset), rows in frame.groupby(["seed", "testset"]):
        folder = finished.parent / "en-xx"
        names = ["bpe", "unigram", "char"]
        texts = {name: list(read_lines(folder / name / f"seed{seed}" / f"{testset}.hyp")) for name in names}
        references = list(read_lines(folder / f"{testset}.xx"))
        counted = {metric: count_sentences(metric, texts, references)[1] for metric in ("bleu", "chrf")}
        tested = {metric: outcomes(systems, test="bootstrap", samples=200) for metric, systems in counted.items()}
        for _, row in rows.iterrows():
            outcome = tested[row.metric][row.segmentation]
            assert row.delta == pytest.approx(row.score - base[seed, testset, row.metric])
            assert row.ci95 == pytest.approx(outcome.ci95)
            if row.segmentation == "bpe":
                assert pd.isna(row.p_value)
                assert pd.isna(row.significant)
            else:
                assert row.p_value == outcome.p_value
                assert bool(row.significant) == (outcome.p_value < 0.05)


def test_gpu_hours(finished, finished_once):
    assert set(read(finished).gpu_hours) == {0}
    # 94 seconds on two GPUs
    assert read(finished_once).gpu_hours.to_list() == [pytest.approx(94 * 2 / 3600)] * 12


def test_gpu_hours_of_jobs_that_share_a_card(finished_once, tmp_path):
    manifest = json.loads((finished_once / "manifest.json").read_text())
    for run in manifest["runs"]:
        record = json.loads(Path(run["run_json"]).read_text())
        run["run_json"] = str(tmp_path / f"{run['segmentation']}.json")
        Path(run["run_json"]).write_text(json.dumps({**record, "gpus": 1, "runs_per_gpu": 8}))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    rows = score_rows(read_manifest(tmp_path / "manifest.json"))
    assert {row["gpu_hours"] for row in rows} == {94 / 8 / 3600}
    assert "Up to 8 jobs shared a GPU" in markdown("e", blocks(rows))


def test_what_a_system_is_and_costs_is_a_table_of_its_own(finished_once):
    text = (finished_once / "table.md").read_text()
    assert "### Pieces, sizes and costs" in text
    head, *body = table_of(text, 3)
    # tests/small_experiment.py: 12.5 + i pieces on both sides, 400,000 + 1,000 i parameters, 94 s on two GPUs
    wanted = {"Pieces/sent src": "{:.1f}", "Pieces/sent tgt": "{:.1f}"}
    for index, row in enumerate(body[:3]):
        for heading, style in wanted.items():
            assert row[head.index(heading)] == style.format(12.5 + index)
        assert row[head.index("Params (M)")] == "0.40"
        assert row[head.index("Train (min)")] == "1.6"
        assert row[head.index("GPU-hours")] == "0.05"
    assert "Train CPU (min)" not in head


def test_recall_of_unseen_words_is_shown_for_each_test_set(finished):
    """Three of four unseen words are translated in the first test set, none in the other."""
    rows = score_rows(read_manifest(finished / "manifest.json"))
    first, other = dict.fromkeys(row["testset"] for row in rows)
    for row in rows:
        row["unseen_recall"] = 75.0 if row["testset"] == first else 0.0
    head, *body = table_of(markdown("e", blocks(rows)))
    assert {row[head.index(f"{first} unseen recall")] for row in body[:3]} == {"75.0"}
    assert {row[head.index(f"{other} unseen recall")] for row in body[:3]} == {"0.0"}


def test_without_a_gpu_the_table_has_processor_time(finished):
    head, *body = table_of((finished / "table.md").read_text(), 3)
    assert {row[head.index("Train CPU (min)")] for row in body} == {"0.8"}
    assert "Vocab src" not in head  # all are joint


def test_reading_gives_back_what_was_collected(finished):
    assert read_scores(finished / "scores.csv") == score_rows(read_manifest(finished / "manifest.json"))


def scores_of(row: dict[str, Any], **changed: Any) -> list[dict[str, Any]]:
    """Return a baseline's row and that of a system compared with it."""
    base = {"segmentation": "base", "score": 30.0, "vocabulary_target": 1000}
    other = {"segmentation": "x", "score": 31.0, "vocabulary_target": 1000, "effect": 1.0, "effect_low": 0.4}
    other |= {"effect_high": 1.6, "effect_p": 0.01, "effect_p_holm": 0.01, "verdict": "better", "margin": 0.5}
    return [made_row(**base, **row), made_row(**{**other, **row, **changed})]


def test_cells_are_mean_and_t_interval_over_seeds(finished):
    frame = read(finished)
    head, *body = table_of((finished / "table.md").read_text())
    groups = frame.groupby(["segmentation", "testset", "metric"]).score.agg(["mean", "sem"])
    student = scipy.stats.t.ppf(0.975, 2)
    labels = {"bleu": "BLEU", "chrf": "chrF"}
    assert [row[0].split(" ")[0] for row in body[:3]] == ["bpe", "unigram", "char"]  # the experiment's order
    for (segmentation, testset, metric), expected in groups.iterrows():
        row = next(row for row in body if row[0].split(" ")[0] == segmentation)
        cell = row[head.index(f"{testset} {labels[metric]}")]
        assert cell.removesuffix(" †") == f"{expected['mean']:.1f} ± {student * expected['sem']:.1f}"


def test_the_comparison_has_the_effects_of_scores_csv(finished):
    frame = read(finished)
    head, *body = table_of((finished / "table.md").read_text(), 1)
    labels = {"bleu": "BLEU", "chrf": "chrF"}
    assert frame[frame.segmentation == "bpe"][["effect", "verdict"]].isna().all(axis=None)
    others = frame[(frame.segmentation != "bpe") & (frame.seed == 1)]
    assert len(others) == 2 * 2 * 2
    means = frame.groupby(["segmentation", "testset", "metric"]).score.mean()
    for _, system in others.iterrows():
        place = (system.testset, system.metric)
        assert system.effect == pytest.approx(means[(system.segmentation, *place)] - means[("bpe", *place)])
        row = next(row for row in body if row[0] == system.segmentation)
        numbers = [f"{system[name]:+.1f}".replace("-", "−") for name in ("effect", "effect_low", "effect_high")]
        cell = row[head.index(f"{system.testset} {labels[system.metric]}")]
        assert cell.replace("+0.0", "−0.0") == (
            f"{numbers[0]} [{numbers[1]}, {numbers[2]}] {system.verdict}".replace("+0.0", "−0.0")
        )


def test_bounds_are_rows_beside_the_systems(finished):
    head, *body = table_of((finished / "table.md").read_text())
    rows = {row[0]: dict(zip(head, row, strict=True)) for row in body}
    sides = ("xx", "en")
    references, source = (list(read_lines(finished.parent / "en-xx" / f"test.{side}")) for side in sides)
    lossy = [line.replace("the", "teh") for line in references]
    for name, metric in (("BLEU", sacrebleu.corpus_bleu), ("chrF", sacrebleu.corpus_chrf)):
        assert rows["*Copied source*"][f"test {name}"] == f"{metric(source, [references]).score:.1f}"
        lowest = metric(lossy, [references]).score
        assert rows["*Reference, round trip*"][f"test {name}"] == f"{lowest:.1f} to 100.0"
    assert "lowest by system: char" in (finished / "table.md").read_text()


def test_what_differs_is_a_table_and_what_does_not_a_note(finished):
    text = (finished / "table.md").read_text()
    head, *body = table_of(text, 2)
    assert head == ["Segmentation", "Text form", "Vocabulary", "Vocabulary src", "Vocabulary tgt", "Target pieces seen"]
    # 200 - 5 i and 210 - 5 i types, a quarter of all in common
    assert [row[2] for row in body] == [str(328 - 8 * index) for index in range(3)]
    # 500 updates of 48 sentences of 12.5 + i pieces
    assert [row[1] for row in body] == ["moses", "raw", "raw"]
    assert [row[5] for row in body] == [f"{500 * 48 * (12.5 + index):,.0f}" for index in range(3)]
    assert "Equal (numbers within 2%): joint, parameters, updates, sentences seen, stopped early." in text


@pytest.mark.slow
def test_operations_are_six_a_weight_and_piece(finished):
    """Against the weights of the model itself, counted in torch: all matrices but the embeddings'."""
    from translation.model_size import count_parameters

    row = next(row for row in read_scores(finished / "scores.csv") if row["segmentation"] == "bpe")
    flags = json.loads((finished.parent / "en-xx" / "bpe" / "seed1" / "run.json").read_text())
    flags = flags["definition"]["recipe"] | {"share-decoder-input-output-embed": True}
    layers, d, f, entries = (1, 2), 96, 192, row["vocabulary_target"]
    pieces = 500 * 48 * 12.5
    weights = layers[0] * (4 * d * d + 2 * d * f) + layers[1] * (8 * d * d + 2 * d * f)
    assert row["training_flops"] == pytest.approx(6 * pieces * (weights + d * entries))
    # embeddings, fairseq's four symbols among them, and what fills a dictionary up to a multiple of eight
    others = d * sum(math.ceil((size + 4) / 8) * 8 for size in (row["vocabulary_source"], entries))
    biases = layers[0] * (4 * d + f + d + 2 * 2 * d) + layers[1] * (8 * d + f + d + 3 * 2 * d)
    assert count_parameters(flags, False, row["vocabulary_source"], entries) == weights + others + biases


@pytest.mark.slow
def test_tables_need_nothing_but_scores_csv(root, finished, tmp_path):
    shutil.copy(finished / "scores.csv", tmp_path)
    command = [sys.executable, str(root / "scripts" / "make_tables.py"), "--scores", "scores.csv"]
    command += ["--markdown", "t.md", "--latex", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "t.md").read_bytes() == (finished / "table.md").read_bytes()
    assert (tmp_path / "t.tex").read_bytes() == (finished / "table.tex").read_bytes()


def test_one_seed_has_no_error_and_says_so(finished_once):
    text = (finished_once / "table.md").read_text()
    assert "±" not in "".join("".join(row) for number in range(2) for row in table_of(text, number))
    assert "One seed a system" in text
    assert "over the sentences of the test set" in text
    assert "say nothing about training again" in text
    assert "GPU-hours" in text


def test_several_seeds_state_their_number_and_the_rule(finished):
    text = (finished / "table.md").read_text()
    assert "95% t interval over 3 seeds" in text
    assert "† differs from bpe (p < 0.05 over seeds and sentences, corrected for comparing 2 systems)." in text
    assert "nrefs:1|case:mixed|eff:no|tok:13a" in text
    assert "GPU-hours" not in text


def test_systems_with_different_numbers_of_seeds_show_them():
    rows = [made_row(segmentation="base", seed=s, score=30.0 + s) for s in (1, 2)]
    rows += [made_row(segmentation="other", seed=1, score=20.0)]
    head, first, second = table_of(markdown("e", blocks(rows)))
    assert (head[1], first[1], second[1]) == ("Seeds", "2", "1")
    # t with one degree of freedom is 12.706; the standard error is 0.5
    assert (first[2], second[2]) == ("31.5 ± 6.4", "20.0")


SIGNS = [
    ({}, "†"),
    ({"verdict": "worse"}, "†"),
    ({"verdict": "open"}, ""),
    ({"verdict": "same"}, ""),
    ({"verdict": "learned nothing"}, ""),
    ({"verdict": None}, ""),
    ({"vocabulary_target": 1240}, "†"),
    ({"vocabulary_target": 1260}, "(†)"),
    ({"vocabulary_target": 700}, "(†)"),
    ({"vocabulary_target": None}, "†"),
]


@pytest.mark.parametrize(("changed", "sign"), SIGNS)
def test_the_sign_says_that_a_system_differs_and_shows_another_size(changed, sign):
    (block,) = blocks(scores_of({}, **changed))
    cell = block.tables[0].lines[1].cells[0]
    assert (cell.text, cell.sign) == ("31.0", sign)
    assert ("times larger or smaller" in " ".join(block.tables[0].notes)) == (sign == "(†)")
    compared, bracketed = block.tables[1], sign == "(†)"
    assert compared.lines[0].cells[0].text.endswith(" (better)") == bracketed
    assert any(note.startswith("In brackets") for note in compared.notes) == bracketed


def test_a_system_that_has_learned_nothing_is_named():
    text = markdown("e", blocks(scores_of({}, verdict="learned nothing")))
    assert "Learned nothing: x (t). Their BLEU is not above twice the copied source's" in text
    assert "+1.0 [+0.4, +1.6] learned nothing" in text


def test_margins_and_what_words_mean_are_stated():
    rows = scores_of({}) + scores_of({"metric": "comet"}, margin=0.005, effect=-0.01, verdict="worse")
    text = markdown("e", blocks(rows))
    assert "Same: the interval lies within ± 0.5 BLEU, 0.005 COMET." in text
    assert "−0.0100 [+0.4000, +1.6000] worse" in text


def test_systems_made_by_different_versions_are_a_warning():
    rows = scores_of({"commit": "abc"}, commit="def")
    assert "Warning: the systems were made with different commits of this project (abc: base; def: x)." in markdown(
        "e", blocks(rows)
    )
    assert "Warning" not in markdown("e", blocks(scores_of({"commit": "abc"})))
    rows = scores_of({"versions": "python 3.11.9, torch 2.13.0"}, versions="python 3.11.9, torch 2.12.1")
    assert "different versions of packages (torch 2.13.0: base; torch 2.12.1: x)." in markdown("e", blocks(rows))
    rows = scores_of({"precision": "fp32"}, precision="bf16")
    assert "different precisions of training (fp32: base; bf16: x)." in markdown("e", blocks(rows))


@pytest.mark.parametrize("step", ["text", "segmented", "translation"])
def test_every_step_s_versions_are_compared(tmp_path: Path, step: str) -> None:
    """Nothing but the record of one step differs."""
    manifest = make_runs(tmp_path, segmentations=("bpe", "char"), testsets=("test",), seeds=(1,))
    for run, torch in zip(manifest["runs"], ("2.13.0", "2.12.1"), strict=True):
        folder = tmp_path / run["segmentation"]
        records = {"text": folder / "text" / "record.json", "segmented": folder / "segmented" / "record.json"}
        run |= {name: str(record.parent) for name, record in records.items()}
        records["translation"] = Path(run["testsets"]["test"]["translation"])
        for name, record in records.items():
            record.parent.mkdir(parents=True, exist_ok=True)
            made = {"git": {"commit": "abc"}, "versions": {"torch": torch if name == step else "2.13.0"}}
            record.write_text(json.dumps({"made": made, "files": {}}))
    table = (run_steps(tmp_path, manifest) / "table.md").read_text()
    assert table.count("Warning") == 1
    assert "(torch 2.13.0: bpe; torch 2.12.1: char)" in table


def test_a_sweep_has_a_baseline_for_each_size():
    rows = [
        made_row(segmentation=f"bpe-{size}", algorithm="bpe", baseline=f"bpe-{size}", score=30.0, size=size)
        for size in (500, 1000)
    ]
    compared = {"effect": 1.0, "effect_low": 0.4, "effect_high": 1.6, "effect_p_holm": 0.01, "verdict": "better"}
    rows += [
        made_row(segmentation=f"hft-{size}", algorithm="hft", baseline=f"bpe-{size}", score=31.0, size=size, **compared)
        for size in (500, 1000)
    ]
    rows += [made_row(segmentation="char", algorithm="char", baseline="bpe-500", score=10.0)]
    (block,) = blocks(rows)
    scores, comparison = block.tables[:2]
    assert [line.name for line in scores.lines if line.baseline] == ["bpe-500", "bpe-1000"]
    assert comparison.title == "Against bpe of the same size"
    assert [line.name for line in comparison.lines] == ["hft-500", "hft-1000"]
    assert any("† differs from bpe of the same size (p < 0.05" in note for note in scores.notes)


def test_each_system_has_a_baseline_of_its_own():
    """Two baselines of one size: "of the same size" would not tell them apart."""
    compared = {"effect": 1.0, "effect_low": 0.4, "effect_high": 1.6, "effect_p_holm": 0.01, "verdict": "better"}
    rows = [
        made_row(segmentation=f"{name}-{text}", algorithm=name, baseline=f"bpe-{text}", score=30.0, size=500, **more)
        for name, more in (("bpe", {}), ("hft", compared))
        for text in ("raw", "moses")
    ]
    (block,) = blocks(rows)
    scores, comparison = block.tables[:2]
    assert [line.name for line in scores.lines if line.baseline] == ["bpe-raw", "bpe-moses"]
    assert comparison.title == "Against its baseline (hft-raw: bpe-raw, hft-moses: bpe-moses)"


def test_sizes_of_an_algorithm_are_together():
    named = [("bpe-1k", "bpe"), ("unigram-1k", "unigram"), ("bpe-2k", "bpe"), ("unigram-2k", "unigram")]
    rows = [made_row(segmentation=name, algorithm=algorithm, score=1.0) for name, algorithm in named]
    (block,) = blocks(rows)
    assert [line.name for line in block.tables[0].lines] == ["bpe-1k", "bpe-2k", "unigram-1k", "unigram-2k"]


DIFFERING = [
    ([{"updates": 1000}, {"updates": 1015}], {}),
    ([{"updates": 1000}, {"updates": 1100}], {"Updates": ["1,000", "1,100"]}),
    ([{"joint": True}, {"joint": False}, {"joint": None}], {"Joint": ["yes", "no", "–"]}),
    ([{"joint": True}, {}], {}),  # what is not known of one is no difference
    ([{"text": "raw"}, {"text": "moses"}], {"Text form": ["raw", "moses"]}),
]


@pytest.mark.parametrize(("systems", "expected"), DIFFERING)
def test_what_differs(systems, expected):
    assert differing({str(index): [facts] for index, facts in enumerate(systems)}) == expected


def test_runs_of_one_system_that_differ_are_shown():
    systems = {"a": [{"stopped_early": True}, {"stopped_early": False}], "b": [{"stopped_early": False}]}
    assert differing(systems) == {"Stopped early": ["some", "no"]}


def test_comet_has_four_decimals():
    rows = [
        made_row(segmentation="base", metric="comet", score=0.83124),
        made_row(segmentation="b", metric="comet", score=0.8),
    ]
    assert [row[1] for row in table_of(markdown("e", blocks(rows)))[1:]] == ["0.8312", "0.8000"]


def test_a_missing_score_is_a_dash_and_each_block_has_a_table():
    rows = [made_row(segmentation="base", score=1.0), made_row(segmentation="b", testset="u", score=2.0)]
    rows += [made_row(segmentation="base", direction="b-a", score=3.0)]
    first, second = blocks(rows)
    assert [[cell.text for cell in line.cells] for line in first.tables[0].lines] == [["1.0", "–"], ["–", "2.0"]]
    assert (first.direction, second.direction) == ("a-b", "b-a")


def test_empty_and_unknown_are_counted_once_for_all_metrics():
    rows = [
        made_row(segmentation="base", metric=m, score=1.0, empty_hypotheses=2, unknown_pieces=0)
        for m in ("bleu", "chrf")
    ]
    rows += [made_row(segmentation="b_c", seed=s, score=1.0, empty_hypotheses=1, unknown_pieces=5) for s in (1, 2)]
    text = markdown("e", blocks(rows))
    assert "Empty translations, all test sets and seeds together: base 2, b_c 2." in text
    assert "Unknown pieces in translations, all test sets and seeds together: b_c 10." in text


def test_a_paper_has_scores_and_costs_in_tables_of_their_own():
    of_pieces: dict[str, Any] = {"vocabulary": 900, "pieces_per_sentence_target": 2.0}
    rows = [made_row(segmentation=name, score=1.0, round_trip=99.0, **of_pieces) for name in ("a", "b")]
    scores, costs, *_ = latex("e", blocks(rows)).split("\n\n")[1:]
    assert "Vocab" in costs
    assert "Reference, round trip" not in costs
    assert r"\label{tab:e-c-a-b-m-costs}" in costs
    assert "Vocab" not in scores
    assert "Reference, round trip" in scores
    assert r"\label{tab:e-c-a-b-m}" in scores
    assert "without a comparison" in scores.split(r"\caption")[0]
    assert "without a comparison" not in costs
    assert "Vocab: types of pieces" in costs
    for table in (scores, costs):
        cells = [len(re.split(r"(?<!\\)&", line)) for line in table.split("\n") if line.endswith(r" \\")]
        assert len({*cells}) == 1
        assert len(cells) == 1 + 2 + (table is scores)


def test_latex_has_as_many_cells_in_each_row_and_escapes_names():
    name = r"a_b & 50% {x} #1 $y$ ~^\z"
    rows = [made_row(segmentation=name, baseline=name, experiment="e_1", corpus="c_1", score=1.0)]
    rows += [made_row(segmentation="b", baseline=name, corpus="c_1", score=2.0)]
    text = latex("e_1", blocks(rows))
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].split("\n")[1:-1]
    columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", text)
    assert columns
    for line in body:
        assert len(re.split(r"(?<!\\)&", line)) == len(columns[1])
        assert line.endswith(r" \\")
    escaped = r"a\_b \& 50\% \{x\} \#1 \$y\$ \textasciitilde{}\textasciicircum{}\textbackslash{}z"
    assert escape_latex(name) == escaped
    assert "without a comparison" in text  # no test was made, so no rule is stated
    assert "differs from" not in text
    assert body[0].startswith(escaped)
    assert r"\label{tab:e-1-c-1-a-b-m}" in text
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_markdown_escapes_only_markup():
    rows = [made_row(segmentation="x|y*_<b>", score=1.0), made_row(segmentation="b_c", baseline="base", score=1.0)]
    text = markdown("e", blocks(rows))
    assert r"x\|y\*\_\<b>" in text
    assert "| b_c " in text


def test_every_column_is_documented(root):
    page = (root / "docs" / "scores-csv.md").read_text()
    documented = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, flags=re.MULTILINE)
    assert dict(documented) == COLUMNS


# ---- bad input


@pytest.fixture
def manifest(tmp_path: Path) -> dict[str, Any]:
    """A manifest whose runs have score files without scores of chrf."""
    content = make_runs(tmp_path, segmentations=("bpe", "char"), testsets=("test",), seeds=(1,), sentences=3)
    for run in content["runs"]:
        for files in run["testsets"].values():
            scores = {"sentences": 3, "empty_hypotheses": 0, "metrics": {"bleu": {"score": 1.0, "signature": "s"}}}
            Path(files["scores"]).write_text(json.dumps(scores))
    return content | {"metrics": ["bleu"]}


def collect(tmp_path: Path, content: Any) -> int:
    (tmp_path / "m.json").write_text(json.dumps(content))
    return collect_scores.main(["--manifest", str(tmp_path / "m.json"), "--output", str(tmp_path / "scores.csv")])


def test_without_tests_the_columns_stay_empty(tmp_path, manifest):
    assert collect(tmp_path, manifest | {"against": {}}) == 0
    with open(tmp_path / "scores.csv") as stream:
        assert {row["p_value"] + row["significant"] + row["ci95"] for row in csv.DictReader(stream)} == {""}


BAD = {
    "metric": ({"metrics": ["bleu", "chrf3"]}, "unknown metric 'chrf3'"),
    "missing metric": ({"metrics": ["bleu", "chrf"], "against": {}}, "has no chrf"),
    "comet file": ({"metrics": ["bleu", "comet"], "against": {}}, "comet without a COMET file"),
    "baseline": ({"baseline": "bpee"}, "did you mean 'bpe'"),
    "key": ({"basline": "bpe"}, "did you mean 'baseline'"),
    "no runs": ({"runs": []}, "has no runs"),
    "run": ({"runs": [{"corpus": "c"}]}, "lacks direction"),
    "significance": ({"parameters": {"significance": {"sampels": 9}}}, "did you mean 'samples'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_manifest_is_named_and_nothing_is_written(tmp_path, manifest, capsys, name):
    changed, message = BAD[name]
    assert collect(tmp_path, manifest | changed) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "scores.csv").exists()


def test_scores_of_other_translations_are_refused(tmp_path, manifest, capsys):
    assert collect(tmp_path, manifest) == 2
    assert "belong to other translations" in capsys.readouterr().err


def test_a_table_from_no_scores_is_refused(tmp_path, capsys):
    (tmp_path / "scores.csv").write_text("a,b\n1,2\n")
    assert make_tables.main(["--scores", str(tmp_path / "scores.csv")]) == 2
    assert "lacks columns" in capsys.readouterr().err
    assert make_tables.main(["--scores", str(tmp_path / "none.csv")]) == 2


def test_a_value_that_is_no_number_is_refused(finished, tmp_path):
    text = (finished / "scores.csv").read_text().replace(",1,test,", ",one,test,", 1)
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(InputError, match="seed is 'one'"):
        read_scores(tmp_path / "scores.csv")


@pytest.mark.parametrize("cut", [1, 40], ids=["one cell", "many cells"])
def test_a_line_that_was_cut_is_refused(finished, tmp_path, cut):
    """Written by another program, or copied by hand: there is no checksum."""
    lines = (finished / "scores.csv").read_text().splitlines()
    lines[2] = ",".join(lines[2].split(",")[:-cut])
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match="line 3 has more or fewer cells"):
        read_scores(tmp_path / "scores.csv")
