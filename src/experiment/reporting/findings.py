"""What pages in docs/experiments share: translations; as Markdown, verdicts on what was predicted, systems, words."""

from __future__ import annotations

import csv
import itertools
import statistics
import tarfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from scipy.stats import kendalltau

from experiment.jsonfiles import read_json_lines
from experiment.programs import command_line
from experiment.scoring.comparison import DIFFERENT, OPEN, SAME
from experiment.scoring.contrasts import CONFIRMED, REFUTED, Interval, Signed, judge
from experiment.scoring.metrics import METRICS
from experiment.scoring.scorebook import Row
from experiment.scoring.significance import mean_and_interval
from subwords.errors import InputError
from subwords.files import read_lines

#: A hypothesis, its evidence and the verdict.
Verdict = tuple[str, str, str]
#: Algorithm -> size (None for an algorithm without sizes) -> a value of each seed.
BySize = Mapping[str, Mapping[int | None, Sequence[float]]]


def read_translations(archive: Path) -> Iterator[tuple[str, int, str, list[str]]]:
    """Yield system, seed, test set and lines of each file SYSTEM/seedN.TESTSET.hyp of a translations.tar.xz, sorted."""
    with tarfile.open(archive) as files:
        for member in sorted(files.getmembers(), key=lambda member: member.name):
            if stream := files.extractfile(member) if member.isfile() else None:
                system, file = Path(member.name).parts[-2:]
                seed, testset, _ = file.split(".")
                yield system, int(seed.removeprefix("seed")), testset, stream.read().decode("utf-8").split("\n")[:-1]


def read_references(corpus: Path, testset: str, language: str) -> list[str]:
    """Return one side of a test set of a prepared corpus, as downloaded. Raises InputError unless there is one."""
    folder = corpus / "references"
    found = sorted({*folder.glob(f"{testset}.{language}"), *folder.glob(f"{testset}.*.{language}")})
    if len(found) != 1:
        there = ", ".join(path.name for path in found or sorted(folder.glob("*"))) or "nothing"
        raise InputError(
            f"{folder} has {len(found)} files of {testset} in {language}",
            allowed=f"exactly one; in the folder: {there}",
            next_step="give another folder with --corpus",
        )
    return list(read_lines(found[0]))


def of_translations(
    argv: list[str] | None,
    about: str | None,
    columns: Sequence[str],
    rows: Callable[[Path, Path], Iterable[Sequence[object]]],
) -> None:
    """Write, as a page's program, a table of what `rows` finds in a translations.tar.xz and its prepared corpus."""
    parser = command_line(about)
    parser.add_argument("translations", type=Path, help="translations.tar.xz of one pair of languages")
    parser.add_argument("--corpus", type=Path, required=True, help="the prepared corpus of this pair")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerows([columns, *rows(arguments.translations, arguments.corpus)])


def agreement(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """Return Kendall's τ of two rankings of the same systems (rows) by their means over seeds (columns)."""
    means = pd.concat([one.mean(axis=1), other.mean(axis=1)], axis=1)
    return float(kendalltau(means[0], means[1]).statistic)


def divisions(scores: pd.DataFrame, part: int) -> list[float]:
    """Return, for each division of the seeds into so many and the others, τ of the two rankings."""
    parts = itertools.combinations(scores.columns, part)
    return [agreement(scores[[*some]], scores.drop(columns=[*some])) for some in parts]


def by_size(rows: Iterable[Row], metric: str, column: str = "score") -> BySize:
    """Return a column of a metric's rows, in the order of the seeds."""
    found: dict[str, dict[int | None, list[float]]] = {}
    for row in sorted((row for row in rows if row["metric"] == metric), key=lambda row: int(row["seed"])):
        found.setdefault(row["algorithm"], {}).setdefault(row["size"], []).append(row[column])
    return found


def mean_of_sizes(scores: Iterable[Sequence[float]]) -> list[float]:
    """Return each seed's mean over sizes; `scores` are those of the seeds, size by size."""
    return [statistics.fmean(of_seed) for of_seed in zip(*scores, strict=True)]


def gain(scores: BySize, algorithm: str, smaller: int, larger: int) -> Signed:
    """Return what an algorithm gains from one size to another."""
    return [(1, scores[algorithm][larger]), (-1, scores[algorithm][smaller])]


def less(first: Signed, second: Signed) -> Signed:
    """Return the difference of two sums."""
    return [*first, *((-sign, values) for sign, values in second)]


def verdicts(
    label: str, asked: Mapping[str, Signed], expected: int = 1, none_within: float = 0.0, decimals: int = 2
) -> Iterator[Verdict]:
    """Yield a verdict for each of the sums that were asked, with Holm's correction over them (`judge`)."""
    for name, change in judge(asked, expected, none_within).items():
        yield f"{label}, {name}", change.text(decimals), change.verdict


def told_apart(label: str, rows: Sequence[Row]) -> Verdict:
    """Judge whether one system at least is told from its baseline, by the pipeline's comparisons in the rows."""
    compared = {row["segmentation"]: row["verdict"] for row in rows}
    told = [f"{name} {verdict}" for name, verdict in compared.items() if verdict in DIFFERENT]
    verdict = CONFIRMED if told else REFUTED if {*compared.values()} == {SAME} else OPEN
    return label, f"{len(told)} of {len(compared)}: {', '.join(told) or 'none'}", verdict


def verdict_table(lines: Iterable[Verdict], evidence: str) -> str:
    return table(["hypothesis", evidence, "verdict"], lines, "---|---|---")


def systems_table(rows: Sequence[Row], less_than: str = "", metrics: Sequence[str] = ("chrf", "bleu")) -> str:
    """Return a line for each system: its metrics over seeds, entries, target pieces, the round trip's score by the
    first metric, and with `less_than`, which names the baseline, the comparison in chrF.

    The last line is the copied source.
    """
    lines = []
    for name in dict.fromkeys(row["segmentation"] for row in rows):
        runs = [row for row in rows if row["segmentation"] == name]
        found = (mean_and_interval([row["score"] for row in runs if row["metric"] == each]) for each in metrics)
        cells = [f"{mean:.1f}" + (f" ± {half:.1f}" if half is not None else "") for mean, half in found]
        if less_than:
            row = next(row for row in runs if row["metric"] == "chrf")
            effect = Interval.effect(row)
            cells.append(f"{effect.text()} {row['verdict']}" if row["effect"] is not None else "")
        pieces = statistics.fmean(row["pieces_per_sentence_target"] for row in runs)
        trip = next(row["round_trip"] for row in runs if row["metric"] == metrics[0])
        lines.append([name, *cells, f"{runs[0]['vocabulary']:,}", f"{pieces:.1f}", f"{trip:.1f}"])
    copied = (next(row["copied_source"] for row in rows if row["metric"] == each) for each in metrics)
    lines.append(
        ["*copied source*", *(f"{score:.1f}".replace("-", "−") for score in copied), *[""] * (4 if less_than else 3)]
    )
    labels = [METRICS[metric].label for metric in metrics]
    compared = [f"chrF less that {less_than}"] if less_than else []
    rule = "---" + "|--:" * len(labels) + "|---" * len(compared) + "|--:" * 3
    last = ["entries", "target pieces a sentence", f"round trip, {labels[0]}"]
    return table(["system", *labels, *compared, *last], lines, rule)


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table that stands beside scores, as words.csv (docs/experiments/size-sweep/words.py)."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_dev(path: Path, runs: Path, model: str, seeds: Collection[int]) -> None:
    """Write what the logs of a model's trainings with these seeds say of dev: system, seed, update, nll_loss, bleu.

    `runs` is the folder of a pair of languages in results/runs/CORPUS. A training that is not finished has no rows.
    """
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.DictWriter(stream, ["system", "seed", "update", "nll_loss", "bleu"], lineterminator="\n")
        rows.writeheader()
        finished = (runs.glob(f"*/{model}.*/seed{seed}/training.json") for seed in seeds)
        for training in sorted(itertools.chain.from_iterable(finished)):
            log = training.with_name("log.jsonl")
            of = {"system": log.parents[2].name, "seed": log.parent.name.removeprefix("seed")}
            for point in read_json_lines(log):
                if point["split"] == "dev":
                    scores = {name: f"{point[name]:.3f}" for name in ("nll_loss", "bleu")}
                    rows.writerow({**of, "update": point["update"], **scores})


def words_table(
    words: Iterable[Mapping[str, str]], lines: Mapping[str, Collection[str]], lines_are: str = "system"
) -> str:
    """Return F1 in percent by how often train has a word (of unseen words, recall).

    A line is the mean over some systems and their seeds.
    """
    values: dict[str, dict[str, list[float]]] = {}
    number: dict[str, str] = {}
    for row in words:
        seeds = values.setdefault(row["segmentation"], {}).setdefault(row["occurrences"], [])
        if value := row["recall" if row["occurrences"] == "0" else "f1"]:  # empty: no word of this class
            seeds.append(float(value))
        number[row["occurrences"]] = f"{int(row['words']):,}"

    def mean(systems: Collection[str], occurrences: str) -> str:
        seeds = [value for system in systems for value in values[system][occurrences]]
        return f"{statistics.fmean(seeds):.1f}" if seeds else ""

    means = {name: [mean(systems, each) for each in number] for name, systems in lines.items()}
    body = [[name, *cells] for name, cells in {**means, "*words of the references*": number.values()}.items()]
    return table([lines_are, *number], body)


def signed(value: float, decimals: int = 2) -> str:
    """Return a number with its sign, a minus as it is printed."""
    return f"{value:+.{decimals}f}".replace("-", "−")


def table(head: Sequence[str], lines: Iterable[Sequence[object]], rule: str = "") -> str:
    """Return a Markdown table. Without a rule, all columns but the first have numbers."""
    first, *rest = (f"| {' | '.join(map(str, line))} |" for line in (head, *lines))
    return "\n".join([first, f"|{rule or '---' + '|--:' * (len(head) - 1)}|", *rest])
