"""What the page says of one folder of results (paper-model, cpu), with any number of seeds.

python docs/experiments/hft-words/analysis.py docs/experiments/hft-words/paper-model \\
    --corpus results/corpora/loresmt-en-ga.KEY/en-ga

Writes findings.md to the folder: from scores.csv, from dev.csv where there is one, and, with the prepared corpus, from
translations.tar.xz. `--runs` (results/runs/loresmt-en-ga/en-ga) first writes dev.csv from the trainings' logs. A folder
without scores.csv has seeds of several experiments: they are scored here, from English to Irish. The findings of this
folder itself, with a figure, are the means over all directions of the small model; those of further-seeds are the same
of ten further seeds, with the verdict on S. Those of sentencepiece have the verdict on P; --corpus takes both corpora.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json_lines
from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_effects
from experiment.reporting.findings import read_references, read_translations, table
from experiment.scoring.comparison import compare, learned_nothing
from experiment.scoring.contrasts import CONFIRMED, OPEN, REFUTED, Interval, Signed, contrast
from experiment.scoring.metrics import METRICS, make_metric, read_parallel
from experiment.scoring.scorebook import Row, read_scores
from experiment.scoring.significance import SentenceStatistics, count_sentences, mean_and_interval
from experiment.scoring.words import training_words
from subwords.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RAW, MOSES, BASELINE, HFT, COPY = "bpe-raw", "bpe-moses", "bpe-hft-words", "hft", "copied source"
PAGE = Path(__file__).parent.resolve()
LANGUAGES = {"en": "English", "ga": "Irish", "mr": "Marathi"}
#: Translations are cut at this many times the words of their references.
LONGEST = 1.5
SYSTEMS = (RAW, MOSES, BASELINE, HFT)
#: Seeds that were planned beside the first five.
FURTHER_SEEDS = 10
#: SentencePiece's BPE has as many entries as bpe-raw has, so another size, and another name, for each corpus.
SPM = "spm"
#: Seeds of P, and in how many of the directions both of its systems must have learned something for a verdict.
SEEDS_OF_P, FEWEST_DIRECTIONS = 3, 3
#: Where an interval that includes 0 lies within this of 0, there is no difference in BLEU.
NO_DIFFERENCE = 0.5
#: Folders of the small model, one a direction.
DIRECTIONS = ("cpu", "cpu-ga-en", "cpu-en-mr", "cpu-mr-en")
Found = Mapping[str, Mapping[int, Sequence[str]]]  # system, seed, lines
DEV = ("segmentation", "seed", "epoch", "updates", "train_bits_per_piece", "bits_per_piece", "bleu")


def shown(*numbers: float) -> str:
    """Return a number, or a value with its interval, with two decimals."""
    texts = [f"{number:+.2f}" if len(numbers) > 1 else f"{number:.2f}" for number in numbers]
    return (texts[0] + (f" [{texts[1]}, {texts[2]}]" if len(texts) > 1 else "")).replace("-", "−")


def of_scores(rows: Sequence[Row]) -> str:
    """Return each system's scores over seeds, and the pipeline's comparison with bpe-hft-words."""
    lines = []
    for name in [name for name in SYSTEMS if any(row["segmentation"] == name for row in rows)]:
        mine = [row for row in rows if row["segmentation"] == name]
        cells: list[str] = []
        for metric in dict.fromkeys(row["metric"] for row in mine):
            runs = [row for row in mine if row["metric"] == metric]
            mean, half = mean_and_interval([row["score"] for row in runs])
            effect = [runs[0][column] for column in ("effect", "effect_low", "effect_high")]
            cells += [shown(mean) + (f" ± {half:.2f}" if half is not None else "")]
            cells += [shown(*effect) if None not in effect else ""]
        lines.append([name, len({row["seed"] for row in mine}), *cells])
    metrics = dict.fromkeys(METRICS[row["metric"]].label for row in rows)
    columns = [column for metric in metrics for column in (metric, f"{metric} less {BASELINE}'s")]
    said = "Means over seeds ± half of the 95% t interval; differences with their 95% intervals."
    return f"{said}\n\n{table(['system', 'seeds', *columns], lines)}"


def of_translations(found: Found, references: Sequence[str], language: str) -> str:
    """Return what `of_scores` does, of translations: scores of each seed, and the comparison with its verdict."""
    texts = {(name, seed): lines for name, seeds in found.items() for seed, lines in seeds.items()}
    lines = []
    for metric in ("bleu", "chrf", "chrf++"):
        _, counted = count_sentences(metric, texts, references, target=language)
        runs = {name: [counted[name, seed] for seed in seeds] for name, seeds in found.items()}
        compared = compare(runs, {name: BASELINE for name in found if name != BASELINE}, margin=0.5)
        for name, of in runs.items():
            each = [shown(run.score) for run in of]
            cells = [METRICS[metric].label, name, ", ".join(map(str, found[name])), ", ".join(each)]
            cells.append(shown(statistics.fmean(run.score for run in of)))
            if against := compared.get(name):
                cells += [shown(against.effect, against.low, against.high), f"{against.p_holm:.3f}", against.verdict]
            lines.append([*cells, *[""] * (8 - len(cells))])
    columns = ["", "system", "seeds", "of each", "mean", f"less {BASELINE}'s", "p (Holm)", "verdict"]
    return f"Scores of each seed; differences with their 95% intervals.\n\n{table(columns, lines)}"


def dev_scores(runs: Path) -> Iterator[dict[str, Any]]:
    """Yield the losses and BLEU of finished trainings after each epoch; of train, the last mean of 50 updates."""
    for name in SYSTEMS:
        for seed in sorted(runs.glob(f"{name}/*/seed*"), key=lambda path: int(path.name[4:])):
            train = None
            for point in read_json_lines(seed / "log.jsonl") if (seed / "training.json").exists() else ():
                if point["split"] == "train":
                    train = point["nll_loss"]
                else:
                    losses = (train, point["nll_loss"], point["bleu"])
                    yield dict(zip(DEV, (name, seed.name[4:], point["epoch"], point["update"], *losses), strict=True))


def of_dev(points: Sequence[Mapping[str, str]]) -> str:
    """Return the epochs that dev chose, and the bits a piece at the end."""
    runs: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for point in points:
        runs.setdefault((point["segmentation"], point["seed"]), []).append(point)
    lines = []
    for (name, seed), curve in runs.items():
        lowest = min(curve, key=lambda point: float(point["bits_per_piece"]))
        best = max(curve, key=lambda point: float(point["bleu"]))
        last = curve[-1]
        bits = (last["train_bits_per_piece"], last["bits_per_piece"])
        lines.append([name, seed, last["updates"], lowest["epoch"], best["epoch"], shown(float(best["bleu"])), *bits])
    columns = ["system", "seed", "updates", "epoch of the lowest dev loss", "of the highest dev BLEU", "that BLEU"]
    columns += ["train bits a piece at the end", "dev bits"]
    said = "Dev after each epoch (`dev.csv`), with beam 1. Train bits are the mean of 50 updates."
    return f"{said}\n\n{table(columns, lines)}"


def translations(archive: Path) -> dict[str, dict[int, list[str]]]:
    """Return the lines of each system and seed."""
    found: dict[str, dict[int, list[str]]] = {}
    for name, seed, _, lines in read_translations(archive):
        found.setdefault(name, {})[seed] = lines
    return {name: found[name] for name in SYSTEMS if name in found}


def of_lengths(found: Found, references: Sequence[str], language: str) -> str:
    """Return lengths and right words of each run."""
    bleu, lines = make_metric("bleu", target=language), []
    for name, seeds in found.items():
        for seed, hypotheses in seeds.items():
            score = bleu.corpus_score(hypotheses, [references])
            ratio, right = score.sys_len / score.ref_len, score.precisions[0]
            lines.append([name, seed, shown(ratio), shown(score.bp), f"{right:.1f}", f"{right * ratio:.1f}"])
    columns = ["system", "seed", "length by the references'", "brevity penalty"]
    columns += ["words in the reference, %", "by 100 words of the reference"]
    return f"Words are BLEU's.\n\n{table(columns, lines)}"


def cut(lines: Sequence[str], references: Sequence[str]) -> list[str]:
    """Return translations without the words beyond `LONGEST` times those of their references."""
    words = [(line.split(), round(LONGEST * len(other.split()))) for line, other in zip(lines, references, strict=True)]
    return [" ".join(line[:most]) for line, most in words]


def of_differences(found: Found, source: Sequence[str], references: Sequence[str], language: str) -> str:
    """Return the differences between systems: as they are, case-insensitive, and of sources that look like train's."""
    plain = [number for number, line in enumerate(source) if not capital(line[1:])]
    changes: dict[str, Callable[[Sequence[str]], list[str]]] = {
        "all": list,
        "all, case-insensitive": lambda lines: [line.lower() for line in lines],
        f"all, cut at {LONGEST} times the reference's words": lambda lines: cut(lines, references),
        f"{len(plain)} sources without a capital but their first letter": lambda lines: [lines[each] for each in plain],
    }
    pairs = ((RAW, BASELINE), (MOSES, BASELINE), (HFT, BASELINE), (MOSES, RAW), (HFT, RAW), (HFT, MOSES))
    against = [pair for pair in pairs if found.keys() >= {*pair}]
    rows = []
    for said, change in changes.items():
        texts = {(name, seed): change(lines) for name, seeds in found.items() for seed, lines in seeds.items()}
        _, counted = count_sentences("bleu", texts, change(references), target=language)
        runs = {name: [counted[name, seed] for seed in seeds] for name, seeds in found.items()}
        cells: list[str] = []
        for other in dict.fromkeys(other for _, other in against):  # those with one other are one block
            block = compare(runs, {system: other for system, second in against if second == other}, margin=0.5)
            cells += [shown(each.effect, each.low, each.high) for each in block.values()]
        rows.append([said, *cells])
    return f"Differences of BLEU:\n\n{table(['sentences', *(f'{one} less {other}' for one, other in against)], rows)}"


def of_learning(found: Found, source: Sequence[str], references: Sequence[str], language: str) -> Iterator[str]:
    """Yield what each system has above the copied source, the segmentation's share, and how often COVID is found."""
    texts = {(name, seed): lines for name, seeds in found.items() for seed, lines in seeds.items()}
    _, counted = count_sentences("bleu", {**texts, (COPY, 0): source}, references, target=language)
    runs = {name: [counted[name, seed] for seed in seeds] for name, seeds in found.items()}
    # the copy has no seeds: as often as the others have
    copies = {COPY: [counted[COPY, 0]] * max(map(len, runs.values()))}
    for name, above in compare(runs | copies, dict.fromkeys(found, COPY), margin=0.5).items():
        yield f"- {name} less the copied source: {shown(above.effect, above.low, above.high)} BLEU"
    means = {name: statistics.fmean(run.score for run in of) for name, of in runs.items()}
    yield f"- the segmentation's share: {shown((means[HFT] - means[BASELINE]) / (means[HFT] - means[RAW]))}"
    pairs = enumerate(zip(source, references, strict=True))
    named = [number for number, pair in pairs if all("COVID" in line for line in pair)]
    have = []
    for name, seeds in found.items():
        number = statistics.fmean(sum("covid" in lines[each].lower() for each in named) for lines in seeds.values())
        have.append(f"{name} {number:.0f}")
    if named:  # in Marathi it is written in another script
        should = f"of {len(named)} that should have it (mean): {', '.join(have)}"
        yield f"- translations with COVID, in upper or lower case, {should}"


def capital(text: str) -> bool:
    return text != text.lower()


def capitals_inside(lines: Sequence[str]) -> str:
    """Return the share of words with a capital, the first ones of lines left out."""
    return f"{100 * statistics.fmean(capital(word) for line in lines for word in line.split()[1:]):.1f}%"


def of_corpus(folder: Path, direction: str, test: tuple[Sequence[str], Sequence[str]]) -> str:
    """Return how dev and test differ: equal sides, copied sources, words that train has not."""
    languages = direction.split("-")
    bleu = make_metric("bleu", target=languages[1])
    known, lines = training_words(folder / f"train.{languages[1]}", bleu.tokenizer), []
    dev = read_parallel(*(folder / "references" / f"dev.{language}" for language in languages))
    train = read_parallel(*(folder / f"train.{language}" for language in languages))
    texts = {"train": train, "dev": dev, "test": test}
    inside = [[name, *map(capitals_inside, text)] for name, text in texts.items()]
    for name, source, target in (("dev", *dev), ("test", *test)):
        other = [line for one, line in zip(source, target, strict=True) if one != line]
        words = [word for line in other for word in bleu.tokenizer(line).split()]
        unseen = sum(word not in known for word in words)
        copied = bleu.corpus_score(source, [target]).score
        cells = [f"{len(words):,}", f"{unseen:,}", f"{100 * unseen / len(words):.1f}%"]
        lines.append([name, len(target), len(target) - len(other), shown(copied), *cells])
    columns = [
        "text",
        "pairs",
        "with equal sides",
        "BLEU of the copied source",
        f"{LANGUAGES[languages[1]]} words of the other pairs",
    ]
    capitals = table(
        ["text", *(f"{LANGUAGES[language]} words with a capital, not first in line" for language in languages)], inside
    )
    return f"{table([*columns, 'not in train', 'share'], lines)}\n\n{capitals}"


def differences(rows: Sequence[Row], metric: str) -> dict[str, dict[str, Interval]]:
    """Return system -> direction -> difference from bpe-hft-words. A system may have its size in its name."""
    found: dict[str, dict[str, Interval]] = {}
    for row in rows:
        if row["metric"] == metric and row["effect"] is not None:
            name = row["segmentation"].removesuffix(f"-{row['size']}")
            effect = Interval.effect(row)
            found.setdefault(name, {})[row["direction"]] = effect
    return found


def mean(effects: Collection[Interval], weights: Sequence[int] = ()) -> Interval:
    """Return the mean of independent effects. With half-widths h of n intervals, its own has √(Σ h²) / n."""
    weights = weights or [1] * len(effects)
    total = sum(weights)
    value = sum(weight * effect.value for weight, effect in zip(weights, effects, strict=True)) / total
    halves = (weight * (effect.high - effect.low) / 2 for weight, effect in zip(weights, effects, strict=True))
    return Interval.around(value, math.hypot(*halves) / total)


def over_directions(rows: Sequence[Row], metric: str) -> str:
    """Return the differences from bpe-hft-words in each direction, and their means, as a table."""
    found = differences(rows, metric)
    lines = []
    for name in (name for name in SYSTEMS if name in found):
        effects = found[name].values()
        lines.append([f"{name} less {BASELINE}", *(each.text() for each in (*effects, mean(effects)))])
    return table([METRICS[metric].label, *dict.fromkeys(row["direction"] for row in rows), "mean"], lines)


def means_over_directions(page: Path) -> str:
    """Return the means over directions of the differences that each direction's findings.md has, as a table."""
    found: dict[str, list[list[Interval]]] = {}
    for folder in DIRECTIONS:
        lines = (page / folder / "findings.md").read_text(encoding="utf-8").replace("−", "-").splitlines()
        (head,) = (line for line in lines if line.startswith("| sentences |"))
        for line in lines[lines.index(head) :]:
            said, *cells = (cell.strip() for cell in line.strip("| ").split("|"))
            if said.startswith("all"):
                numbers = ([float(number) for number in re.findall(r"[-+][0-9.]+", cell)] for cell in cells)
                found.setdefault(said, []).append([Interval(*each) for each in numbers])
    rows = [
        [said, *(mean(effects).text() for effects in zip(*directions, strict=True))]
        for said, directions in found.items()
    ]
    return table(["mean of the directions, BLEU", *head.strip("| ").split(" | ")[1:]], rows)


def of_further_seeds(rows: Sequence[Row], first: Sequence[Row]) -> Iterator[str]:
    """Yield the verdict on S over all directions, of new seeds alone; and the mean of these and the first seeds.

    Raises InputError unless both have the same directions. Without all the planned seeds there is no verdict.
    """
    of_each = [differences(each, "bleu")[HFT] for each in (rows, first)]
    if of_each[0].keys() != of_each[1].keys():
        raise InputError("the new seeds lack a direction", next_step="finish the experiment: make run EXPERIMENT=…")
    new, old = (mean(each.values()) for each in of_each)
    numbers = [len({row["seed"] for row in each}) for each in (rows, first)]
    failed = any(row["metric"] == "bleu" and learned_nothing(row) for row in rows)
    verdict = "not testable" if failed else CONFIRMED if new.low > 0 else REFUTED if new.high < 0 else OPEN
    verdict = verdict if numbers[0] == FURTHER_SEEDS else "no verdict"
    yield f"S over all directions, BLEU of the {numbers[0]} new seeds: {new.text()}, {verdict}."
    yield (
        f"With the first {numbers[1]} seeds, weighted by the number of seeds: {mean([new, old], numbers).text()}. Both"
        " are taken for independent, though they translate the same sentences, so this interval is a little too narrow."
    )


def over_all_seeds(rows: Sequence[Row], first: Sequence[Row], metric: str) -> str:
    """Return, as a table, how the new seeds differ from the first, and differences of systems with all seeds.

    Intervals are over seeds alone (Welch's, of a sum of means).
    """
    found: dict[tuple[str, str], list[list[float]]] = {}
    for part in (first, rows):
        for key, of_seeds in scores_of_seeds(part, metric).items():
            found.setdefault(key, []).append(of_seeds)
    directions = list(dict.fromkeys(direction for _, direction in found))
    asked = {f"{name}, new seeds less the first": (name, name) for name in (BASELINE, HFT)}
    pairs = [*((name, BASELINE) for name in SYSTEMS if name != BASELINE), (MOSES, RAW), (HFT, MOSES)]
    asked |= {f"{one} less {other}, all seeds": (one, other) for one, other in pairs}
    lines = []
    for said, (one, other) in asked.items():
        each = []
        for direction in directions:
            if one == other:
                old, new = found[one, direction]
            else:
                new, old = ([*itertools.chain(*found[name, direction])] for name in (one, other))
            each.append([(1.0, new), (-1.0, old)])
        lines.append([said, *each_and_mean(each)])
    return table([METRICS[metric].label, *directions, "mean"], lines)


def scores_of_seeds(rows: Sequence[Row], metric: str) -> dict[tuple[str, str], list[float]]:
    """Return (system, direction) -> the scores of its seeds. The size is no part of a system's name."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in (row for row in rows if row["metric"] == metric):
        name = SPM if row["segmentation"].startswith(SPM) else row["segmentation"].removesuffix(f"-{row['size']}")
        found.setdefault((name, row["direction"]), []).append(row["score"])
    return found


def each_and_mean(differences: Sequence[Signed]) -> Iterator[str]:
    """Yield each difference with its interval, and their mean's."""
    whole = [(weight / len(differences), scores) for signed in differences for weight, scores in signed]
    yield from (contrast(signed)[0].text() for signed in (*differences, whole))


def of_sentencepiece(rows: Sequence[Row], first: Sequence[Row], further: Sequence[Row]) -> Iterator[str]:
    """Yield the verdict on P, SentencePiece's BPE less bpe-raw on raw text, and the tables beside it.

    These are the directions one by one, and differences from the first five seeds of the other systems, and from all
    fifteen of those with further seeds. Directions in which a system learned nothing are left out of the verdict alone.
    """
    failed = {row["direction"] for row in rows if row["metric"] == "bleu" and learned_nothing(row)}
    compared = {(row["metric"], row["direction"]): row for row in rows if row["effect"] is not None}
    directions = list(dict.fromkeys(row["direction"] for row in rows))
    kept = [Interval.effect(compared["bleu", each]) for each in directions if each not in failed]
    finished = {(row["segmentation"], row["direction"], row["seed"]) for row in rows}
    if len(finished) < 2 * len(DIRECTIONS) * SEEDS_OF_P:
        yield f"P: no verdict, {len(finished)} trainings are finished."
    elif len(kept) < FEWEST_DIRECTIONS:
        yield f"P: not testable, learned nothing: {', '.join(sorted(failed))}."
    else:
        whole = mean(kept)
        none = max(-whole.low, whole.high) < NO_DIFFERENCE
        verdict = CONFIRMED if whole.low > 0 else REFUTED if none or whole.high < 0 else OPEN
        yield f"P, the mean of {len(kept)} directions, {SPM} less {RAW}, BLEU: {whole.text()}, {verdict}."
    lines = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        found = [compared[metric, each] for each in directions]
        effects = [Interval.effect(row) for row in found]
        cells = [f"{each.text()} {row['verdict']}" for each, row in zip(effects, found, strict=True)]
        lines.append([METRICS[metric].label, *cells, mean(effects).text()])
    yield table([f"{SPM} less {RAW}", *directions, "mean"], lines)
    for metric in ("bleu", "chrf"):
        new, old, all_seeds = (scores_of_seeds(each, metric) for each in (rows, first, [*first, *further]))
        lines = []
        for one, other, earlier, said in (
            (RAW, RAW, old, ", its first five seeds"),
            *((SPM, name, old, "") for name in (BASELINE, MOSES, HFT)),
            *((SPM, name, all_seeds, ", fifteen seeds") for name in (BASELINE, HFT)),
        ):
            each = [[(1.0, new[one, to]), (-1.0, earlier[other, to])] for to in directions]
            lines.append([f"{one} less {other}{said}", *each_and_mean(each)])
        yield table([f"{METRICS[metric].label}, less earlier seeds", *directions, "mean"], lines)


def spm_and_others(page: Path) -> dict[str, dict[tuple[str, int], list[str]]]:
    """Return test set -> (system, seed) -> translations: of sentencepiece's two systems, and of earlier seeds.

    bpe-raw has earlier seeds, too; they are left out.
    """
    found: dict[str, dict[tuple[str, int], list[str]]] = {}
    for folder in ("sentencepiece", *DIRECTIONS, "further-seeds"):
        for named, seed, testset, lines in read_translations(page / folder / "translations.tar.xz"):
            name = next(each for each in (SPM, *SYSTEMS) if named.startswith(each))
            if name != RAW or folder == "sentencepiece":
                found.setdefault(testset, {})[name, seed] = lines
    return found


def of_spm_translations(page: Path, corpora: Sequence[Path]) -> str:
    """Return the differences in BLEU of SentencePiece's BPE over seeds and sentences, as a table.

    They are from bpe-raw, of translations that are cut, and from the earlier seeds of the others, as they are and cut.
    """
    asked = [(RAW, True), *((other, is_cut) for other in (BASELINE, MOSES, HFT) for is_cut in (False, True))]
    effects: dict[tuple[str, bool], dict[str, Interval]] = {each: {} for each in asked}
    for testset, texts in spm_and_others(page).items():
        source, target = testset.removeprefix("test_").split("2")
        corpus = next(each for each in corpora if {*each.name.split("-")} == {source, target})
        references = read_references(corpus, testset, target)
        shorter = {run: cut(lines, references) for run, lines in texts.items()}
        for is_cut, translated in ((False, texts), (True, shorter)):
            _, counted = count_sentences("bleu", translated, references, target=target)
            runs: dict[str, list[SentenceStatistics]] = {}
            for (name, _), counts in counted.items():
                runs.setdefault(name, []).append(counts)
            for other in (other for other, each in asked if each == is_cut):
                found = compare({SPM: runs[SPM], other: runs[other]}, {SPM: other}, margin=NO_DIFFERENCE)[SPM]
                of_direction = Interval(found.effect, found.low, found.high)
                effects[other, is_cut][f"{source}-{target}"] = of_direction
    lines = []
    for (other, is_cut), each in effects.items():
        said = f"{SPM} less {other}" + (f", cut at {LONGEST} times the reference's words" if is_cut else "")
        lines.append([said, *(interval.text() for interval in (*each.values(), mean(each.values())))])
    return table(["BLEU, over seeds and sentences", *effects[RAW, True], "mean"], lines)


def figure(page: Path) -> Figure:
    """Return the differences from bpe-hft-words in each direction and in the mean: those of findings.md."""
    panels: dict[str, dict[str, dict[str, Interval]]] = {}
    further = read_scores(page / "further-seeds" / "scores.csv")
    for seeds, rows in (("five seeds", first_seeds(page)), ("ten further seeds", further)):
        for name, effects in differences(rows, "bleu").items():
            named = {" to ".join(LANGUAGES[each] for each in key.split("-")): found for key, found in effects.items()}
            panels.setdefault(name, {})[seeds] = named | {"mean": mean(effects.values())}
    return draw_effects({f"{name} less {BASELINE}": panels[name] for name in SYSTEMS if name in panels}, "BLEU")


def first_seeds(page: Path) -> list[Row]:
    """Return the scores of the small model's first five seeds, in all directions."""
    return [row for folder in DIRECTIONS for row in read_scores(page / folder / "scores.csv")]


def findings(folder: Path, *corpora: Path) -> Iterator[str]:
    """Yield the parts of a folder's findings.md; of the page's own folder, the means."""
    if folder.resolve() == PAGE:
        yield "The small model, all directions: differences with their 95% intervals."
        yield from (over_directions(first_seeds(folder), metric) for metric in ("bleu", "chrf", "chrf++"))
        yield "Means of what each direction's findings have, which is rounded, so the last digit can be another one."
        yield means_over_directions(folder)
        return
    if folder.name == "further-seeds":
        rows = read_scores(folder / "scores.csv")
        first = first_seeds(folder.parent)
        yield from of_further_seeds(rows, first)
        yield from (over_directions(rows, metric) for metric in ("bleu", "chrf", "chrf++"))
        yield f"All seeds of each system, over seeds alone: {BASELINE} and {HFT} have fifteen, the others five."
        yield from (over_all_seeds(rows, first, metric) for metric in ("bleu", "chrf"))
        return
    if folder.name == "sentencepiece":
        further = read_scores(folder.with_name("further-seeds") / "scores.csv")
        yield from of_sentencepiece(read_scores(folder / "scores.csv"), first_seeds(folder.parent), further)
        if corpora:
            yield of_spm_translations(folder.parent, corpora)
        return
    direction, testset = "en-ga", "test_en2ga"
    scored = (folder / "scores.csv").exists()
    if scored:
        rows = read_scores(folder / "scores.csv")
        direction, testset = rows[0]["direction"], rows[0]["testset"]
        yield of_scores(rows)
    if (dev := folder / "dev.csv").exists():
        with dev.open(encoding="utf-8", newline="") as stream:
            yield of_dev([*csv.DictReader(stream)])
    for corpus in corpora:
        languages = direction.split("-")
        source, references = (read_references(corpus, testset, language) for language in languages)
        found = translations(folder / "translations.tar.xz")
        if not scored:
            yield of_translations(found, references, languages[1])
        yield of_lengths(found, references, languages[1])
        yield of_differences(found, source, references, languages[1])
        yield "\n".join(of_learning(found, source, references, languages[1]))
        yield of_corpus(corpus, direction, (source, references))


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument(
        "folder", type=Path, help="with scores.csv and translations.tar.xz, or this one; findings.md is written here"
    )
    parser.add_argument("--corpus", type=Path, nargs="*", default=[], help="the prepared corpus, with references")
    parser.add_argument("--runs", type=Path, help="trainings of all systems; writes dev.csv")
    arguments = parser.parse_args(argv)
    if arguments.runs:
        with (arguments.folder / "dev.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, DEV, lineterminator="\n")
            writer.writeheader()
            writer.writerows(dev_scores(arguments.runs))
    found = "\n\n".join(findings(arguments.folder, *arguments.corpus)) + "\n"
    (arguments.folder / "findings.md").write_text(found, encoding="utf-8")
    if arguments.folder.resolve() == PAGE:
        save_png(figure(arguments.folder), arguments.folder / "figure.png", dots_per_inch=100)
    print(found)


if __name__ == "__main__":
    raise SystemExit(main())
