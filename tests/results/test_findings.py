"""The tables that pages of experiments share."""

from __future__ import annotations

from experiment.reporting.findings import words_table


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
