"""HFT (Signoroni and Rychlý 2022): its measures, tables, figures and claims."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from experiment.runs import Run
from experiment.scoring.metrics import read_parallel
from replication.claims import (
    PLACE,
    Claim,
    Finding,
    Runs,
    Side,
    claim,
    crossing,
    difference,
    in_all,
    in_most,
    of,
    significant,
)
from replication.figures import PaperFigure, draw, drawn
from replication.measurements import matching
from replication.sources import Rows, Sources, by_metric, measure
from replication.tables import CHRF, as_measured, as_printed
from subwords.errors import InputError, check_known
from subwords.files import read_lines
from subwords.hft.pretokenization import pretokenize

from .figure4 import ALGORITHMS, LEARNED_FROM, Found, corrected, published

#: As the authors' program computes them, and by the paper's definitions.
STATISTICS = ["f95", "mu", "nu"]
CORRECTED = ["f95_corrected", "mu_corrected", "nu_corrected"]
#: The texts of Figures 4 and 5, and what the figures call them.
SIX = ["hftoks-am", "hftoks-en", "hftoks-ga", "hftoks-hi", "hftoks-lt", "hftoks-ojb"]
LABELS = dict(zip(SIX, ("Amharic", "English", "Irish", "Hindi", "Lithuanian", "Ojibwe"), strict=True))
LABELS |= {"distinct_characters": "distinct characters", "spm-bpe": "bpe", "x": "rank"}
LABELS |= {"frequency_corrected": "frequency", **dict(zip(CORRECTED, ("F95", "μ", "ν"), strict=True))}


# ---- measures


@measure("files", "texts")
def counts(sources: Sources, texts: Mapping[str, Any] | None = None) -> Rows:
    """Yield the sizes of every text: sentences, words (between spaces), word types, characters and distinct characters
    without spaces. `texts` adds sides of corpora to the files: name -> [corpus, language]."""
    for name, path in sources.texts(texts).items():
        yield from by_metric({"corpus": name}, sizes_of(path))


def sizes_of(path: Path) -> dict[str, int]:
    words, sentences = Counter[str](), 0
    for line in read_lines(path):
        sentences += 1
        words.update(line.split())
    return {
        "sentences": sentences,
        "words": sum(words.values()),
        "word_types": len(words),
        "characters": sum(len(word) * count for word, count in words.items()),
        "distinct_characters": len(set().union(*words)),
    }


@measure("files", "texts")
def frequencies(
    sources: Sources,
    sizes: Sequence[int] | Mapping[int, int],
    texts: Mapping[str, Any] | None = None,
    step: int = 100,
    learned_from: Mapping[str, Any] | None = None,
    coverage: Mapping[str, Any] | None = None,
    counts: Mapping[str, Any] | None = None,
    curves: Mapping[str, Any] | None = None,
) -> Rows:
    """Yield F95, μ and ν of HFT, BPE and unigram by size (Figure 4), and frequencies by rank (Figure 5).

    `f95`, `mu` and `nu` are as the authors' program computed them with the settings that it had, `f95_corrected` and so
    on by the paper's definitions (frequencies.py, figure4.py), with `vocabulary`, the entries learned. What a text
    cannot give (fewer entries than asked for, more characters) is not measured.

    sizes              sizes, or {size of the paper: size that is asked for}
    step               entries that HFT adds at a time
    learned_from       {algorithm: {text: parts, text, earlier or present}}: which files the published model was
                       learned from (figure4.py); `others` is for texts that are not named [text]
    coverage           {algorithm: {text: share}}: character_coverage of the published models [1.0]
    counts             {algorithm: {text: entries or pieces}}: whether pieces outside the vocabulary count [entries]
    curves             {sizes: [...], after: n}: sizes with `frequency` by rank (`x`), without the n most frequent
                       pieces
    """
    asked = sizes if isinstance(sizes, Mapping) else dict.fromkeys(sizes)
    for (name, path), algorithm in product(sources.texts(texts).items(), ALGORITHMS):
        read = _of_text(learned_from, algorithm, name, "text")
        check_known(f"files of {name}", [read], LEARNED_FROM)
        share = _of_text(coverage, algorithm, name, 1.0)
        counted = _of_text(counts, algorithm, name, "entries")
        check_known(f"counts of {name}", [counted], ["entries", "pieces"])
        for (size, other), form in product(asked.items(), ("", "_corrected")):
            short = f"{size // 1000}k" if size % 1000 == 0 else f"{size}"
            segmentation = f"{'hft-published' if algorithm == 'hft' else algorithm}-{short}"
            keys = {"corpus": name, "segmentation": segmentation, "algorithm": algorithm, "size": size}
            after = (curves or {}).get("after", 0) if size in (curves or {}).get("sizes", ()) else None
            learned = (path, algorithm, other or size)
            try:
                made = corrected(*learned) if form else published(*learned, step, read, share, counted)
            except InputError as error:
                print(f"{name}, {algorithm}, {size}{form}: not measured: {error}", file=sys.stderr)
                continue
            yield from (keys | row for row in _rows(made, form, after))


def _of_text(given: Mapping[str, Any] | None, algorithm: str, text: str, default: Any) -> Any:
    of_algorithm = (given or {}).get(algorithm) or {}
    return of_algorithm.get(text, of_algorithm.get("others", default))


def _rows(made: Found, form: str, after: int | None) -> Iterator[dict[str, Any]]:
    """Yield the numbers of one segmented text, and, where `after` is given, the frequencies of the ranks after it."""
    f95, mu, nu, ranked = made.frequencies
    for metric, value in {"f95": f95, "mu": mu, "nu": nu, "vocabulary": made.vocabulary}.items():
        yield {"metric": metric + form, "value": value}
    if after is not None:
        for rank, frequency in enumerate(ranked[after:], after + 1):
            yield {"metric": "frequency" + form, "x": rank, "value": frequency}


@measure("files", "texts")
def sample(
    sources: Sources,
    text: str,
    texts: Mapping[str, Any] | None = None,
    containing: Mapping[str, str] | None = None,
    lines: int = 0,
) -> Rows:
    """Yield pretokenized lines of a text in the signs of the paper (Figure 1): the first that contains each of some
    words ({label: words}), or the first `lines`. Raises InputError where the text or a line does not exist."""
    found = sources.texts(texts)
    check_known("text", [text], found)
    if lines:
        shown = {f"line {number}": line for number, line in enumerate(islice(read_lines(found[text]), lines), 1)}
    else:
        shown = first_with(list(read_lines(found[text])), containing or {})
    for label, line in shown.items():
        yield {"corpus": text, "metric": "pretokenized", "row": label, "text": in_signs(line)}


def first_with(lines: Sequence[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return label -> the first line that contains its words. Raises InputError where there is none."""
    for words in wanted.values():
        if not any(words in line for line in lines):
            raise InputError(f"no line contains {words!r}", next_step="name other words under `containing`")
    return {label: next(line for line in lines if words in line) for label, words in wanted.items()}


#: The tokenizer's marks -> the signs that the paper prints (Figure 2; there the last two are exchanged).
SIGNS = str.maketrans({"¦": "|", "𐋇": "↑", "▁": "_", "𐊣": "Δ", "𐊼": "∇"})


def in_signs(line: str) -> str:
    """Return a line as HFT pretokenizes it, in the signs that the paper prints.

    >>> in_signs("Beds (excluding ICU)")
    '↑|beds| _( |excluding| Δ|icu|∇ )'
    """
    return pretokenize([line])[0].translate(SIGNS)


@measure("texts", "runs")
def changed(sources: Sources, count: int = 50) -> Rows:
    """Yield the test sentences on which the sentence-BLEU of HFT and BPE differs most (section 2.5, Figure 6).

    Each of the `count` of a direction has a row with its rank and line: `sentence_bleu_difference` (`x` is the rank),
    `sentence_bleu` of both, and as texts `source`, `reference` and both `translation`s. Which of its five runs the
    paper compared is not said: here those of the smallest seed. BLEU is sacrebleu's for sentences: effective order,
    smoothed.
    """
    seed = min(run.seed for run in sources.runs)
    pairs: dict[tuple[str, str], dict[str, Run]] = {}
    for run in sources.runs:
        algorithm = sources.keys(run)["algorithm"]
        if run.seed == seed and algorithm in ("bpe", "hft"):
            pairs.setdefault((run.corpus, run.direction), {}).setdefault(algorithm, run)
    for (corpus, direction), runs in pairs.items():
        for testset in sources.test_sets(corpus, direction) if len(runs) == 2 else ():
            yield from _changed_in(sources, [runs["bpe"], runs["hft"]], testset, count)


def _changed_in(sources: Sources, runs: Sequence[Run], testset: str, count: int) -> Rows:
    """Yield the sentences of one test set; `runs` are the baseline's and the system's."""
    run = runs[-1]
    source_text, references, theirs, ours = read_parallel(
        sources.test_text(run, testset, run.source),
        sources.test_text(run, testset, run.target),
        *(sources.hypotheses(each, testset) for each in runs),
    )
    keys = [sources.keys(each, testset) for each in runs]
    place = {name: keys[0][name] for name in ("corpus", "direction", "seed", "testset")}
    for rank, sentence in enumerate(most_changed(theirs, ours, references, count, run.target), 1):
        at, row = sentence.line - 1, {"row": f"{rank}, line {sentence.line}"}
        gain = sentence.system - sentence.baseline
        yield place | row | {"metric": "sentence_bleu_difference", "x": rank, "value": gain}
        for key, score in zip(keys, (sentence.baseline, sentence.system), strict=True):
            yield key | row | {"metric": "sentence_bleu", "value": score}
        yield place | row | {"metric": "source", "text": source_text[at]}
        yield place | row | {"metric": "reference", "text": references[at]}
        for key, lines in zip(keys, (theirs, ours), strict=True):
            yield key | row | {"metric": "translation", "text": lines[at]}


class Changed(NamedTuple):
    """A sentence (its line, from 1) and what the baseline and the system score on it."""

    line: int
    baseline: float
    system: float


def most_changed(
    baseline: Sequence[str], system: Sequence[str], references: Sequence[str], count: int, target: str = ""
) -> list[Changed]:
    """Return up to `count` sentences whose BLEU (0 to 100) differs between two systems, the largest difference
    first."""
    from sacrebleu.metrics import BLEU

    bleu = BLEU(trg_lang=target, effective_order=True)
    found = []
    for line, (first, second, translation) in enumerate(zip(baseline, system, references, strict=True), 1):
        if first != second:
            scores = [bleu.sentence_score(output, [translation]).score for output in (first, second)]
            found.append(Changed(line, *scores))
    different = [each for each in found if each.system != each.baseline]
    return sorted(different, key=lambda each: (-abs(each.system - each.baseline), each.line))[:count]


# ---- tables


figure1 = as_measured("A sample of pretokenized text", "sample", "The paper shows the beginning of each line.")
corpora = as_measured("Sizes of the texts", "counts", rows="corpus")
table1 = as_printed("table1", "BLEU of five runs of each system", note="The paper has no chrF.", unprinted=CHRF)
BOTH_FORMS: dict[str, Any] = {
    "needs": "frequencies",
    "note": "Ours repeats the authors' program; corrected has all tokens and ranks, texts read once, vocabularies"
    " of the size asked for, and HFT as the paper describes it.",
    "extra": {"corrected": {"metric": dict(zip(STATISTICS, CORRECTED, strict=True))}},
}
figure4_numbers = as_printed("figure4", "F95, μ and ν as published, and by the paper's definitions", **BOTH_FORMS)
statistics_numbers = as_printed("statistics", "The same of the twelve languages that Figure 4 leaves out", **BOTH_FORMS)
figure4_texts = as_measured(
    "F95, μ and ν of every text, those that a user adds among them",
    "frequencies",
    rows=["corpus", "algorithm", "size"],
    metric=[*STATISTICS, *CORRECTED],
)
figure6 = as_measured(
    "The 50 sentences on which sentence-BLEU differs most, per direction",
    "changed",
    "Of the runs with the first seed, all test sets of the direction.",
    rows=["direction", "row"],
    columns=["metric", "algorithm"],
    decimals={"sentence_bleu": 1, "sentence_bleu_difference": 1},
)

# ---- figures

LOOKS: dict[str, Any] = {"series": "algorithm", "panels": "corpus", "labels": LABELS}
BY_SIZE: dict[str, Any] = {"x": "size", "log": "x", "note": "F95 and ν, higher is better; μ, lower is better."}
BY_RANK = "Frequencies by rank of the vocabularies of 750, without the most frequent 100"
figure3 = drawn(
    "Sizes of the texts",
    "counts",
    "Of the texts of the authors' repository.",
    x="corpus",
    y=["sentences", "words", "distinct_characters"],
    kind="bars",
    labels=LABELS,
)


def of_six(title: str, beside: str = "", note: str = "", **options: Any) -> PaperFigure:
    """Return a figure of the paper's six languages."""
    return PaperFigure(
        title,
        ("frequencies",),
        lambda ours, printed: draw(matching(ours, corpus=SIX), printed.get(beside), **LOOKS, **options),
        note,
    )


figure4 = of_six("F95, μ and ν by size, as published", "figure4", y=STATISTICS, **BY_SIZE)
figure4_corrected = of_six("F95, μ and ν by size, corrected", y=CORRECTED, **BY_SIZE)
figure5 = of_six(f"{BY_RANK}, as published", x="x", y="frequency")
figure5_corrected = of_six(f"{BY_RANK}, corrected", x="x", y="frequency_corrected")

# ---- claims

HFT, BPE = of(algorithm="hft"), of(algorithm="bpe")
#: The paper's six languages: all of them are needed, and those that a user adds do not count.
HFT_IN_SIX = of(algorithm="hft", corpus=SIX)
HIGHEST = of(algorithm=["spm-bpe", "unigram"], take="max")
LOWEST = of(algorithm=["spm-bpe", "unigram"], take="min")
CELL = ["corpus", "size"]
#: Judges HFT by the numbers of one form ("" or "_corrected").
Rule = Callable[[Runs, str, Side], Finding]


@claim("a better average NMT performance on both datasets", where="section 2.4")
def better(runs: Runs) -> Finding:
    """HFT has a higher BLEU than BPE in every direction."""
    return in_all(difference(runs, "bleu", HFT, BPE, each=PLACE) > 0)


@claim("with an increment in BLEU from +0.82 to +2.15", where="section 2.4")
def increment(runs: Runs) -> Finding:
    """HFT's gain over BPE is at least 0.8 BLEU in every direction, to tenths."""
    return in_all(difference(runs, "bleu", HFT, BPE, each=PLACE).rounded(0.1) >= 0.8)


@claim("with an increment in BLEU from +0.82 to +2.15", where="section 2.4")
def increment_as_printed(runs: Runs) -> Finding:
    """HFT's gain over BPE is 0.81 to 2.16 in every direction: the runs are printed in hundredths, so are their
    means."""
    return in_all(difference(runs, "bleu", HFT, BPE, each=PLACE).rounded(0.01).between(0.81, 2.16))


@claim("a better average NMT performance on both datasets", where="section 2.4")
def better_significant(runs: Runs) -> Finding:
    """HFT has a higher BLEU than BPE in every direction, by Welch's t test over seeds at 0.05 (a test of ours)."""
    return in_all(significant(difference(runs, "bleu", HFT, BPE, each=PLACE) > 0))


# On the paper's six languages, by the authors' program and by the paper's definitions; then on all 18 languages whose
# statistics the authors published, of which ours needs every text.
BY_CORRECTED, IN_ALL_18 = "by the corrected numbers", "in all 18 languages of the authors' repository"
MOST_CASES = "performance on F95 seems promising, improving on both bpe and unigram in most of the cases"
THRESHOLD = "F95 starts at lower values, and then picks up the pace after some vocabulary size threshold"
LENGTH = "the average length μ seems promising, improving on both bpe and unigram in most of the cases"
BOTH = "improvements on both frequency statistics (and on the average length of the output)"


def f95_above(runs: Runs, form: str, hft: Side) -> Finding:
    """HFT's F95 is above that of both BPE and unigram in more than half of the languages and sizes."""
    return in_most(difference(runs, f"f95{form}", hft, HIGHEST, each=CELL) > 0)


def f95_above_from_some_size(runs: Runs, form: str, hft: Side) -> Finding:
    """In most languages, HFT's F95 is not above both others at the smallest size, and is from some size to the
    largest."""
    return in_most(crossing(difference(runs, f"f95{form}", hft, HIGHEST, each=["corpus"], along="size") > 0))


def mu_below(runs: Runs, form: str, hft: Side) -> Finding:
    """HFT's μ is below that of both BPE and unigram in more than half of the languages and sizes."""
    return in_most(difference(runs, f"mu{form}", hft, LOWEST, each=CELL) < 0)


def f95_and_nu_above(runs: Runs, form: str, hft: Side) -> Finding:
    """HFT's F95 and ν are above those of both BPE and unigram in more than half of the languages and sizes."""
    return f95_above(runs, form, hft) & in_most(difference(runs, f"nu{form}", hft, HIGHEST, each=CELL) > 0)


def by_frequencies(
    rule: Rule, says: str, about: str = "", *, form: str = "", hft: Side = HFT_IN_SIX, where: str = "section 2.3"
) -> Claim:
    """Return the claim that a rule judges; `about` says by which numbers or in which languages."""
    note = " ".join((rule.__doc__ or "").split()).rstrip(".") + (f" ({about})" if about else "")
    return Claim(says, ("frequencies",), lambda runs: rule(runs, form, hft), note, where)


f95 = by_frequencies(f95_above, MOST_CASES)
f95_corrected = by_frequencies(f95_above, MOST_CASES, BY_CORRECTED, form="_corrected")
f95_threshold = by_frequencies(f95_above_from_some_size, THRESHOLD)
f95_threshold_corrected = by_frequencies(f95_above_from_some_size, THRESHOLD, BY_CORRECTED, form="_corrected")
mu = by_frequencies(mu_below, LENGTH)
mu_corrected = by_frequencies(mu_below, LENGTH, BY_CORRECTED, form="_corrected")
nu = by_frequencies(f95_and_nu_above, BOTH, "the length is judged by hft-mu", where="abstract")
nu_corrected = by_frequencies(f95_and_nu_above, BOTH, BY_CORRECTED, form="_corrected", where="abstract")
f95_all = by_frequencies(f95_above, MOST_CASES, IN_ALL_18, hft=HFT)
f95_threshold_all = by_frequencies(f95_above_from_some_size, THRESHOLD, IN_ALL_18, hft=HFT)
mu_all = by_frequencies(mu_below, LENGTH, IN_ALL_18, hft=HFT)
nu_all = by_frequencies(f95_and_nu_above, BOTH, IN_ALL_18, hft=HFT, where="abstract")


@claim("for Japanese and Burmese, μ is higher than other methods", where="section 3", needs="frequencies")
def mu_japanese_burmese(runs: Runs) -> Finding:
    """In Japanese and in Burmese, HFT's μ is above that of both BPE and unigram at every size."""
    hft = of(algorithm="hft", corpus=["hftoks-ja", "hftoks-my"])
    return in_all(difference(runs, "mu", hft, HIGHEST, each=CELL) > 0)
