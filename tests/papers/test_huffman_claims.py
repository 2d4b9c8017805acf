"""The Huffman paper's claims: its own scores, taken for ours, must lead to its own verdicts."""

from __future__ import annotations

from pathlib import Path

import judge_claims
from papers import measurements
from papers.claims.verdicts import Verdict, read_verdicts
from papers.published import tables

#: docs/papers.md: which claims the paper's numbers do not bear out.
NOT_BORNE_OUT = {"huffman-share", "huffman-margin", "huffman-converges"}
NOT_PRINTED = {"huffman-one-symbol"}
METRICS = ("bleu", "chrf", "comet", "undecodable_output", "symbols_most", "unknown_source_tokens")


def verdicts(folder: Path, rows: list[dict[str, object]], root: Path) -> dict[str, Verdict]:
    analyses = {"undecodable_output": "undecodable", "symbols_most": "symbols", "unknown_source_tokens": "corpora"}
    files = [str(folder / f"{name}.csv") for name in ("scores", *analyses.values())]
    for file in files:
        measured = [row for row in rows if analyses.get(str(row["metric"]), "scores") == Path(file).stem]
        measurements.write(file, measured)
    words = ["--paper", str(root / "config/papers/huffman.yaml"), "--scale", "full"]
    assert judge_claims.main([*words, "--measurements", *files, "--output", str(folder)]) == 0
    return {verdict.name: verdict for verdict in read_verdicts(folder / "claims.csv")}


def scores() -> list[dict[str, object]]:
    """Return the paper's scores as if we had measured them: no shares, which have to be computed."""
    found = [value for table in ("table4", "table5", "text") for value in tables("huffman")[table]]
    return [
        {
            "metric": value.metric,
            "corpus": value.corpus,
            "direction": value.direction,
            "model": value.model or "huffman-e512-l8-h8",
            "segmentation": value.segmentation,
            "algorithm": value.algorithm,
            "size": value.size,
            "seed": 1 if value.segmentation else None,
            "testset": "test" if value.segmentation else "",
            "selection": "dev",
            "split": value.split,
            "value": value.number,
        }
        for value in found
        if value.metric in METRICS
    ]


def test_the_papers_own_scores_lead_to_its_own_verdicts(tmp_path: Path, root: Path) -> None:
    found = verdicts(tmp_path, scores(), root)
    assert len(found) == 17
    for name, one in found.items():
        expected = "not testable" if name in NOT_PRINTED else "not confirmed" if name in NOT_BORNE_OUT else "confirmed"
        assert one.published.state == expected, name
        assert one.ours.state == expected, (name, one.ours.reason)


def test_what_was_chosen_on_the_test_set_confirms_nothing(tmp_path: Path, root: Path) -> None:
    found = verdicts(tmp_path, [row | {"selection": "test"} for row in scores()], root)
    assert {one.ours.state for one in found.values()} == {"not testable"}
