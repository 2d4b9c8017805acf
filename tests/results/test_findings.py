"""The tables that pages of experiments share."""

from __future__ import annotations

import json
from pathlib import Path

from experiment.reporting.findings import read_csv, systems_table, words_table, write_dev


def test_words_by_frequency_are_means_over_systems_and_seeds() -> None:
    """Of unseen words the recall; a class of which nothing is counted has an empty cell."""
    rows = [
        {"segmentation": system, "occurrences": occurrences, "words": words, "recall": recall, "f1": f1}
        for system, occurrences, words, recall, f1 in [
            ("a", "0", "1200", "1.0", "9.9"),
            ("a", "0", "1200", "2.0", "9.9"),
            ("b", "0", "1200", "6.0", ""),
            ("a", "1", "0", "", ""),
            ("b", "1", "0", "", ""),
            ("a", "2-4", "30", "0.0", "4.0"),
            ("b", "2-4", "30", "0.0", "5.0"),
        ]
    ]
    assert words_table(rows, {"a": ["a"], "both": ["a", "b"]}).splitlines() == [
        "| system | 0 | 1 | 2-4 |",
        "|---|--:|--:|--:|",
        "| a | 1.5 |  | 4.0 |",
        "| both | 3.0 |  | 4.5 |",
        "| *words of the references* | 1,200 | 0 | 30 |",
    ]


def test_systems_stand_between_the_copied_source_and_the_round_trip() -> None:
    compared = {"effect": -9.0, "effect_low": -9.5, "effect_high": -8.5, "verdict": "worse"}
    rows = [
        {
            "segmentation": name,
            "metric": metric,
            "score": score + more,
            "vocabulary": vocabulary,
            "pieces_per_sentence_target": pieces,
            "round_trip": 99.9 - more,
            "copied_source": copied,
            **(compared if name == "char" else dict.fromkeys(compared)),
        }
        for name, seeds, vocabulary, pieces in (("bpe", [50.0, 52.0], 4117, 16.4), ("char", [42.0], 99, 72.0))
        for score in seeds
        for metric, more, copied in (("chrf", 0.0, 16.3), ("exact_match", -20.0, -4.5))
    ]
    # 12.7 is Student's quantile for one degree of freedom
    head, *lines = systems_table(rows, "of bpe", ["chrf", "exact_match"]).splitlines()
    assert head.endswith(" | chrF less that of bpe | entries | target pieces a sentence | round trip, chrF |")
    assert lines == [
        "|---|--:|--:|---|--:|--:|--:|",
        "| bpe | 51.0 ± 12.7 | 31.0 ± 12.7 |  | 4,117 | 16.4 | 99.9 |",
        "| char | 42.0 | 22.0 | −9.00 [−9.50, −8.50] worse | 99 | 72.0 | 99.9 |",
        "| *copied source* | 16.3 | −4.5 |  |  |  |  |",
    ]


def test_dev_is_written_of_finished_trainings_with_the_named_seeds(tmp_path: Path) -> None:
    train = {"split": "train", "update": 7, "nll_loss": 3.0}
    for system, model, seed, finished in [
        ("bpe", "tiny.12", 1, True),
        ("bpe", "tiny.12", 2, True),
        ("bpe", "tiny.12", 12, True),  # not asked for
        ("bpe", "large.34", 1, True),  # nor this model
        ("hft", "tiny.12", 1, False),
        ("hft", "tiny.12", 2, True),
    ]:
        folder = tmp_path / system / model / f"seed{seed}"
        folder.mkdir(parents=True)
        points = [train, *({"split": "dev", "update": n, "nll_loss": n / 8, "bleu": 10.0 * seed + n} for n in (1, 2))]
        (folder / "log.jsonl").write_text("".join(json.dumps(point) + "\n" for point in points))
        if finished:
            (folder / "training.json").write_text("{}")
    write_dev(tmp_path / "dev.csv", tmp_path, "tiny", [1, 2])
    assert [tuple(row.values()) for row in read_csv(tmp_path / "dev.csv")] == [
        ("bpe", "1", "1", "0.125", "11.000"),
        ("bpe", "1", "2", "0.250", "12.000"),
        ("bpe", "2", "1", "0.125", "21.000"),
        ("bpe", "2", "2", "0.250", "22.000"),
        ("hft", "2", "1", "0.125", "21.000"),
        ("hft", "2", "2", "0.250", "22.000"),
    ]
