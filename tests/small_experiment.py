"""An experiment's finished runs, made up in a folder, for tests of everything that reads them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TEXT = "the a small old red house tree river child bird reads sees walks sings under over near and quickly"
WORDS = TEXT.split()
METRICS = ["bleu", "chrf"]


def make_runs(
    folder: Path,
    segmentations: Sequence[str] = ("bpe", "unigram", "char"),
    testsets: Sequence[str] = ("test", "test_unseen"),
    seeds: Sequence[int] = (1, 2, 3),
    sentences: int = 40,
    directions: Sequence[str] = ("en-xx",),
    gpus: int = 0,
    hostile: str = "",
) -> dict[str, Any]:
    """Write references, noisy hypotheses, run.json, stats.json and log.jsonl; return the manifest without scores.

    The noise grows with the position of the segmentation. `hostile` ends every sentence.
    """
    chance = random.Random(7)
    manifest: dict[str, Any] = {
        "experiment": "small",
        "title": "A small experiment",
        "baseline": segmentations[0],
        "metrics": METRICS,
        "runs": [],
        "corpora": {"toy": {"licence": "CC0", "citation": "made up", "homepage": "https://example.org/toy"}},
        "parameters": {"seeds": list(seeds), "significance": {"samples": 200}},
        "commands": ["snakemake --configfile config/experiments/small.yaml"],
    }
    for direction in directions:
        texts = {}
        for testset in testsets:
            lines = [" ".join(chance.choices(WORDS, k=chance.randint(4, 15))) + "." for _ in range(sentences)]
            lines = [f"{line} {hostile}".rstrip() for line in lines]
            texts[testset] = lines
            write_lines(folder / direction / f"{testset}.xx", lines)
            write_lines(folder / direction / f"{testset}.en", [line.upper() for line in lines])
        for index, segmentation in enumerate(segmentations):
            for seed in seeds:
                home = folder / direction / segmentation / f"seed{seed}"
                files = {}
                for testset in testsets:
                    rate = 0.1 + 0.02 * index
                    hypotheses = [_noisy(line, rate, chance) for line in texts[testset]]
                    write_lines(home / f"{testset}.hyp", hypotheses)
                    (home / f"{testset}.translation.json").write_text(
                        json.dumps({"unknown_pieces": index, "sources_cut": 0, "unknown_words": {"source": rate}})
                    )
                    files[testset] = {
                        "scores": f"{home}/{testset}.scores.json",
                        "hypothesis": f"{home}/{testset}.hyp",
                        "translation": f"{home}/{testset}.translation.json",
                        "reference": f"{folder / direction / testset}.xx",
                        "source": f"{folder / direction / testset}.en",
                    }
                (home / "run.json").write_text(json.dumps(_record(seed, index, gpus)))
                (home / "stats.json").write_text(json.dumps(_statistics(index)))
                text = ("moses", "raw", "raw")[index % 3]
                (home / "definition.json").write_text(json.dumps({"text": text, "joint": True}))
                write_lines(home / "log.jsonl", [json.dumps(point) for point in _curve(index, seed)])
                manifest["runs"].append(
                    {
                        "corpus": "toy",
                        "direction": direction,
                        "segmentation": segmentation,
                        "algorithm": segmentation.split("-")[0],
                        "size": 100 + index,
                        "model": "tiny",
                        "seed": seed,
                        "run_json": f"{home}/run.json",
                        "stats_json": f"{home}/stats.json",
                        "log": f"{home}/log.jsonl",
                        "testsets": files,
                    }
                )
    return manifest


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """Write lines that end in LF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def _noisy(line: str, rate: float, chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) if chance.random() < rate else word for word in line.split(" "))


def _record(seed: int, index: int, gpus: int) -> dict[str, Any]:
    flags = {"arch": "transformer", "batch-size": 48, "max-update": 500, "encoder-layers": 1, "decoder-layers": 2}
    flags |= {
        f"{side}-{name}": size
        for side in ("encoder", "decoder")
        for name, size in (("embed-dim", 96), ("ffn-embed-dim", 192))
    }
    return {
        "definition": {"recipe": flags},
        "model_parameters": 400_000 + 1000 * index,
        "updates": 500,
        "epochs": 10,
        "sentences_seen": 500 * 48,
        "pieces_seen": round(500 * 48 * (12.5 + index)),
        "stopped_early": False,
        "train_seconds": 90.0 + seed,
        "cpu_seconds": 45.0,
        "tokens_per_second": 8000.5,
        "peak_memory_mib": 512.25,
        "gpus": gpus,
        "device": "NVIDIA Toy" if gpus else "cpu",
        "versions": {"fairseq": "0.12.2", "torch": "2.13.0"},
        "git": {"commit": "0123456789abcdef0123456789abcdef01234567", "dirty": False},
        "seed": seed,
        "dev": {"bleu": 50.0 + seed},
    }


def _curve(index: int, seed: int) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = []
    for epoch in range(1, 11):
        at = {"epoch": epoch, "update": 50 * epoch, "seconds": 9.0 * epoch}
        loss = 6.0 / epoch + 1 + 0.1 * index
        points.append({"split": "train", "loss": loss, "ppl": 2**loss, **at})
        points.append({"split": "dev", "loss": loss + 0.2, "bleu": 90 - 80 / epoch - 2 * index + 0.3 * seed, **at})
    return points


def _statistics(index: int) -> dict[str, Any]:
    side = {
        "sentences": 1000,
        "types": 200 - 5 * index,
        "pieces_per_sentence": 12.5 + index,
        "pieces_per_word": 1.25 + 0.1 * index,
        "renyi_efficiency": 0.5,
        "pieces_per_word_histogram": {"1": 800 - 40 * index, "2": 150 + 20 * index, "3": 50, "12": 2},
    }
    gold = {"boundaries": {"macro": {"f1": 0.5 + 0.01 * index}}}
    return {"en": side, "xx": {**side, **gold, "types": 210 - 5 * index}, "vocabulary_overlap": 0.25}


def run_steps(folder: Path, manifest: dict[str, Any]) -> Path:
    """Run score, collect and tables on the manifest, as the workflow does; return the results' folder."""
    import collect_scores
    import make_tables
    import score

    train = folder / "train.xx"
    write_lines(train, [" ".join(WORDS[: 1 + number % len(WORDS)]) + "." for number in range(200)])
    for run in manifest["runs"]:
        for testset, files in run["testsets"].items():
            where = ["--hypothesis", files["hypothesis"], "--reference", files["reference"], "--train", str(train)]
            assert score.main([*where, "--metrics", *manifest["metrics"], "--output", files["scores"]]) == 0
            # One segmentation loses something on the way and back.
            lines = Path(files["reference"]).read_bytes().decode().split("\n")[:-1]
            files["round_trip"] = f"{folder}/round-trip/{testset}.{run['segmentation']}"
            back = lines if run["segmentation"] != "char" else [line.replace("the", "teh") for line in lines]
            write_lines(Path(files["round_trip"]), back)
    results = folder / "results"
    results.mkdir(exist_ok=True)
    (results / "manifest.json").write_text(json.dumps(manifest))
    scores = f"{results}/scores.csv"
    assert collect_scores.main(["--manifest", f"{results}/manifest.json", "--output", scores]) == 0
    tables = ["--markdown", f"{results}/table.md", "--latex", f"{results}/table.tex"]
    assert make_tables.main(["--scores", scores, *tables]) == 0
    return results
