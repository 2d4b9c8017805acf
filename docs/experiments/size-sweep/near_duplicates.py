"""How many test sentences have a near duplicate in train, and do the differences that are shown hang on them?

python docs/experiments/size-sweep/near_duplicates.py docs/experiments/size-sweep/en-de-2400 \\
    --corpus results/corpora/multi30k.KEY/en-de
python docs/experiments/size-sweep/near_duplicates.py

The first writes two tables into the folder of a run, from its translations: near_duplicates.csv, for each test sentence
the greatest Jaccard similarity of its set of lower-cased words with that of any sentence of train, on each side; and
near_duplicates_chrf.csv, chrF of each system and seed on all sentences, and without those that have 0.6 or more on one
side or both. The second writes near-duplicates.md from the tables of the four runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from experiment.programs import command_line, program
from experiment.reporting.findings import read_references, read_translations, signed, table
from experiment.scoring.comparison import DIFFERENT
from experiment.scoring.metrics import make_metric
from experiment.scoring.scorebook import read_scores
from experiment.scoring.sentence_statistics import text_statistics
from subwords.errors import InputError
from subwords.files import read_lines

RUNS = {"en-de-2400": "German", "en-fr-2400": "French", "en-cs-2400": "Czech", "en-ga": "Irish"}
THRESHOLDS = (0.6, 0.7, 0.8)  # from the first on, a sentence is left out
SIDES = ["source", "target"]
GAIN = ("bpe-4000", "bpe-500")
SIMILARITIES, CHRF = "near_duplicates.csv", "near_duplicates_chrf.csv"
PAGE = """# Near duplicates of test sentences in train

The cleaning removes a pair of train if one of its sides is a test sentence, and equality is all that it looks for. Here
each test sentence is compared with all sentences of train, on its own side: which share of the distinct words of the
two occurs in both? (The Jaccard similarity of two sets of lower-cased words; words are those of BLEU, so punctuation
marks are words.) The table counts the test sentences whose greatest similarity is at least that of the column, on one
side or both; in brackets, on the English and on the other side.

{counts}

Short captions share many words, so not all of these repeat what a sentence of train says, and one that says the same in
other words is not found.

Without the sentences of 0.6 or more on one side or both, the same ones for all systems of a pair, chrF is as follows
(means over seeds; looked at afterwards, not tested). The {shown} shown differences from `bpe` change by {low} to
{high}, and {larger} of them are then further from 0. The scores of `bpe` at 500 and 4,000 fall by
{falls}.

{changes}

[`near_duplicates.py`](near_duplicates.py) writes this page, from near_duplicates.csv and near_duplicates_chrf.csv of
each run.
"""


def similarities(test: Sequence[str], train: Sequence[str], tokenize: Callable[[str], str]) -> Iterator[float]:
    """Yield each test sentence's greatest similarity with a sentence of train; one without words has 0."""
    ids: dict[str, int] = {}
    sets = [{ids.setdefault(word, len(ids)) for word in tokenize(line).lower().split()} for line in (*test, *train)]
    sizes = np.array([len(words) for words in sets])
    indices = np.array([word for words in sets for word in words], dtype=int)
    has = csr_array((np.ones(len(indices)), indices, np.append(0, sizes.cumsum())), (len(sets), len(ids)))
    in_train, train_sizes = has[len(test) :], sizes[len(test) :]
    for number in range(len(test)):
        both = in_train @ has[[number]].toarray()[0]
        yield float((both / np.maximum(train_sizes + sizes[number] - both, 1)).max())


def write_tables(run: Path, corpus: Path) -> None:
    """Write both tables of a run. Sentences are compared as they are cleaned, and scored as they were downloaded."""
    translations = [*read_translations(run / "translations.tar.xz")]
    (testset,), (source, target) = {testset for _, _, testset, _ in translations}, corpus.name.split("-")
    found: dict[str, Any] = {"testset": testset}
    for side, language in {"source": source, "target": target}.items():
        test, train = ([*read_lines(corpus / f"{name}.{language}")] for name in (testset, "train"))
        found["sentence"] = range(1, len(test) + 1)
        found[side] = [*similarities(test, train, make_metric("bleu", target=language).tokenizer)]
    pd.DataFrame(found).to_csv(run / SIMILARITIES, index=False, float_format="%.3f")
    kept = 1.0 - (pd.read_csv(run / SIMILARITIES)[SIDES].max(axis=1) >= THRESHOLDS[0]).to_numpy()
    metric = make_metric("chrf", [line.rstrip() for line in read_references(corpus, testset, target)])
    rows = []
    for system, seed, _, hypotheses in translations:
        counts = text_statistics(metric, [line.rstrip() for line in hypotheses])
        rows.append((system, seed, counts.score, float(counts.weighted(kept))))
    columns = ["segmentation", "seed", "chrf", "chrf_without"]
    pd.DataFrame(rows, columns=columns).to_csv(run / CHRF, index=False, float_format="%.4f")


def shown_differences(run: Path) -> list[tuple[str, str]]:
    """Return the systems that the run shows to be better or worse in chrF, each with its baseline."""
    rows = read_scores(run / "scores.csv")
    judged = [row for row in rows if (row["testset"], row["metric"]) == (rows[0]["testset"], "chrf")]
    told = [(row["segmentation"], row["baseline"]) for row in judged if row["verdict"] in DIFFERENT]
    return [*dict.fromkeys(told)]


def page(folder: Path) -> str:
    """Return near-duplicates.md, from the tables in the folders of the runs."""
    counts, lines = [], []
    differences: list[tuple[float, float]] = []
    falls: list[str] = []
    for run, language in RUNS.items():
        found = pd.read_csv(folder / run / SIMILARITIES)[SIDES]
        numbers = [((found.max(axis=1) >= each).sum(), *(found >= each).sum()) for each in THRESHOLDS]
        counts.append([language, f"{len(found):,}", *("{} ({}, {})".format(*each) for each in numbers)])
        of_systems = pd.read_csv(folder / run / CHRF).groupby("segmentation")[["chrf", "chrf_without"]]
        means = of_systems.mean().T.to_dict("list")
        small, large = (float(np.subtract(*means[system])) for system in reversed(GAIN))
        falls.append(f"{small:.1f} and {large:.1f} into {language}")
        for pair in (GAIN, *shown_differences(folder / run)):
            every, without = np.subtract(means[pair[0]], means[pair[1]])
            lines.append([language, "`{}` less `{}`".format(*pair), *map(signed, (every, without, without - every))])
            if pair != GAIN:
                differences.append((every, without))
    changes = sorted(without - every for every, without in differences)
    return PAGE.format(
        counts=table(["English to", "test sentences", *(f"{each} or more" for each in THRESHOLDS)], counts),
        changes=table(["English to", "chrF", "all", "without", "change"], lines, "---|---|--:|--:|--:"),
        shown=len(differences),
        low=signed(changes[0]),
        high=signed(changes[-1]),
        falls=", ".join(falls),
        larger=sum(abs(without) > abs(every) for every, without in differences),
    )


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("run", type=Path, nargs="?", help="the folder of a run, which has translations.tar.xz")
    parser.add_argument("--corpus", type=Path, help="the prepared corpus of this run")
    arguments = parser.parse_args(argv)
    if (arguments.run is None) != (arguments.corpus is None):
        raise InputError("a run and its corpus belong together", next_step="give both, or neither to write the page")
    if arguments.run is not None:
        write_tables(arguments.run, arguments.corpus)
    else:
        Path(__file__).with_name("near-duplicates.md").write_text(page(Path(__file__).parent), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
