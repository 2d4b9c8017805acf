"""Huffman (Wolleb et al. 2023): its measures, tables, figures and claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from pandas import DataFrame

from replication.claims import LARGEST, Finding, Numbers, Runs, claim, difference, in_all, of, rising, values
from replication.corpus_counts import corpus_counts
from replication.figures import draw, figure
from replication.measurements import at_least, at_most, matching, other_than
from replication.sources import Rows, Sources, TextInPieces, by_metric, measure
from replication.tables import Frames, as_measured, as_printed
from subwords.counting import count_words
from subwords.huffman import expected_length, huffman_codes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ---- measures

corpora = corpus_counts


@measure("chosen_on_test")
def on_test(sources: Sources) -> Rows:
    """Yield the scores of the checkpoints that do best on the test set itself, as the paper chose them (selection:
    test), and after how many updates each was saved (`updates_chosen`)."""
    for run, testset, keys in sources.translations():
        report, comet = sources.on_test(run, testset)
        found = {metric: of_metric["score"] for metric, of_metric in report["scores"].items()}
        found |= {} if comet is None else {"comet": comet}
        found |= {"updates_chosen": report["chosen"]["updates"]}
        yield from by_metric(keys | {"selection": "test"}, found)


@measure("segmentations")
def symbols(sources: Sources, language: str = "") -> Rows:
    """Yield the share of running words by number of symbols (`x`, from 1 without gaps), of one side [the pair's first].

    `symbols_most` is the largest number that any word has, in any segmentation of an algorithm. Of a joint segmentation
    also `vocabulary`.
    """
    most: dict[tuple[str, str], int] = {}
    for text in in_order(sources):
        side = text.statistics[language or text.languages[0]]
        keys = sources.text_keys(text)
        found = shares(side["pieces_per_word_histogram"])
        for number, share in found.items():
            yield keys | {"metric": "symbols_share", "x": number, "value": share}
        system = keys["corpus"], keys["algorithm"]
        most[system] = max([most.get(system, 0), *found])
        for direction in sources.directions(text.pair) if text.segmentation.joint else ():
            yield keys | {"direction": direction, "metric": "vocabulary", "value": side["size_reached"]}
    for (corpus, algorithm), number in most.items():
        yield {"corpus": corpus, "algorithm": algorithm, "metric": "symbols_most", "value": number}


def in_order(sources: Sources) -> list[TextInPieces]:
    """Return the segmented texts in the order of the experiment's segmentations."""
    order = list(sources.experiment.segmentations)
    return sorted(sources.segmented, key=lambda text: order.index(text.segmentation.name))


def shares(histogram: Mapping[str, int]) -> dict[int, float]:
    """Return number of symbols -> share of the words, up to the largest number that there is.

    >>> shares({"1": 6, "3": 2})
    {1: 0.75, 2: 0.0, 3: 0.25}
    """
    counts = {int(number): words for number, words in histogram.items()}
    total = sum(counts.values())
    return {number: counts.get(number, 0) / total for number in range(1, max(counts, default=0) + 1)}


@measure("texts", "segmentations")
def padding(sources: Sources) -> Rows:
    """Yield what Huffman's trees cost because their last merge, at the root, comes up short, for each side (`row`).

    `symbols_per_word` is the mean of the running words of the training text, `one_symbol_words` how many different
    words have one symbol; `…_padded` are those of the optimal code, for which `words_padded` words that never occur
    have to be added. `words` are all different words, `symbols_saved` is the share of the symbols that padding saves.
    """
    for text in in_order(sources):
        if text.segmentation.algorithm == "huffman":
            for language, path in zip(text.languages, sources.read_by(text), strict=True):
                found = cost_of_padding(count_words([path]), int(text.segmentation.size or 0))
                yield from by_metric(sources.text_keys(text) | {"direction": text.pair, "row": language}, found)


def cost_of_padding(counts: Mapping[str, int], size: int) -> dict[str, float]:
    """Return the numbers of `padding` for words with their counts and a number of symbols."""
    words = sorted(counts, key=lambda word: -counts[word])
    found: dict[str, float] = {"words": len(words), "words_padded": (1 - len(words)) % (size - 1)}
    for suffix, padding in (("", "none"), ("_padded", "optimal")):
        codes = huffman_codes(words, [counts[word] for word in words], size, padding)
        found[f"symbols_per_word{suffix}"] = expected_length(codes, dict(counts))
        found[f"one_symbol_words{suffix}"] = sum(len(code) == 1 for code in codes)
    found["symbols_saved"] = 1 - found["symbols_per_word_padded"] / found["symbols_per_word"]
    return found


@measure("runs")
def undecodable(sources: Sources) -> Rows:
    """Yield the share of Huffman's output tokens whose code belongs to no word: of all systems of a corpus, direction
    and seed together (`undecodable_output`, as the paper has it), and of each run and test set (`…_of_system`)."""
    together: dict[tuple[str, str, int], Counter[str]] = {}
    for run, testset, keys in sources.translations():
        if keys["algorithm"] != "huffman":
            continue
        report = sources.report(run, testset, "translation")
        codes = report["lost_in_decoding"].get("unknown codes", 0)
        counts = Counter({"codes": codes, "tokens": report["words"] + codes})  # what has no word is left out
        together.setdefault((keys["corpus"], keys["direction"], keys["seed"]), Counter()).update(counts)
        share = codes / max(counts["tokens"], 1)
        yield keys | {"metric": "undecodable_output_of_system", "value": share, "selection": "dev"}
    for (corpus, direction, seed), counts in together.items():
        keys = {"corpus": corpus, "direction": direction, "algorithm": "huffman", "seed": seed}
        yield keys | {"metric": "undecodable_output", "value": counts["codes"] / max(counts["tokens"], 1)}


# ---- tables

ON_TEST: dict[str, Any] = {"chosen on test": {"selection": "test"}}


HELD_OUT = "Train is what cleaning leaves; dev is held out beside test, which the paper does not do."
CHOSEN = "The paper chose checkpoints by BLEU on the test set; ours are chosen on dev, and beside it on the test set."
table1 = as_printed(
    "table1",
    "Czech-German parallel data",
    needs="corpora",
    note="Europarl v9 is OPUS Europarl v8 here; JW300 is counted where the user has it. Train is what cleaning leaves.",
)
table2 = as_printed("table2", "English-German parallel data", needs="corpora", note=HELD_OUT)
table3 = as_printed("table3", "English-French parallel data", needs="corpora", note=HELD_OUT)
table4 = as_printed(
    "table4",
    "BLEU with 1,000 symbols by width, layers and heads, Czech-German",
    needs=["scores", "on-test"],
    note=CHOSEN,
    extra=ON_TEST,
)
table5 = as_printed(
    "table5", "Huffman and BPE by number of symbols", needs=["scores", "on-test"], note=CHOSEN, extra=ON_TEST
)
padded = as_measured(
    "What padding Huffman's trees would save",
    "padding",
    "The paper has no padding: the root of a tree has only as many children as the number of words leaves. Padded, it"
    " has as many as there are symbols.",
    rows=["corpus", "direction", "row", "size"],
)
text = as_printed(
    "text",
    "Numbers of the running text",
    needs=["scores", "on-test", "corpora", "symbols", "undecodable"],
    note=CHOSEN,
    extra={"chosen on test": {"selection": "test", "metric": {"bleu": "bleu"}}},
    model="huffman-e512-l8-h8",  # Table 4 has other models with 1,000 symbols
)

# ---- figures


@figure("Czech tokens by the number of their symbols", needs="symbols")
def figure2(ours: DataFrame, printed: Frames) -> Figure:
    """Of the training text; Huffman has up to 4 symbols a token in the paper, BPE up to 10."""
    # The bars are not printed as numbers; what the caption says is in the table of the text.
    ours = matching(ours, algorithm=["huffman", "spm-bpe"])
    labels = {"x": "symbols", "symbols_share": "share of the tokens", "huffman": "Huffman", "spm-bpe": "BPE"}
    return draw(ours, None, x="x", y="symbols_share", series="size", panels="algorithm", kind="bars", labels=labels)


# ---- claims

PERCENT = ["bleu_percent_of_bpe", "chrf_percent_of_bpe", "comet_percent_of_bpe"]
HUFFMAN, BPE = of(algorithm="huffman"), of(algorithm="spm-bpe")
WIDTHS = ["huffman-e64-l8-h8", "huffman-e128-l8-h8", "huffman-e256-l8-h8", "huffman-e512-l8-h8"]
WIDEST = of(segmentation="huffman-1k", model="huffman-e512-l8-h8")


SHARE = "frequency alone accounts for 90%-95% of the scores reached by BPE"
WITHIN = (
    "scores within 10-12% of those obtained using BPE when measured by BLEU and within 4-8% by COMET, with 32k symbols"
)


def shares_with_most_symbols(runs: Runs) -> Numbers:
    """Return Huffman's mean share of BPE's score with most symbols, over corpora, BLEU, chrF and COMET."""
    return values(runs, PERCENT, of(algorithm="huffman", size=LARGEST), each=["corpus"]).mean()


@claim(SHARE, where="abstract")
def share(runs: Runs) -> Finding:
    """With most symbols, Huffman's scores are at least 90% of BPE's, on average over corpora, BLEU, chrF and COMET."""
    return in_all(shares_with_most_symbols(runs) >= 0.90)


@claim(SHARE, where="abstract")
def share_as_printed(runs: Runs) -> Finding:
    """With most symbols, Huffman's scores are 90% to 95% of BPE's, on average over corpora, BLEU, chrF and COMET (to
    whole per cents)."""
    return in_all(shares_with_most_symbols(runs).rounded(0.01).between(0.90, 0.95))


@claim(
    "most of the gains brought by BPE are due to the appropriate consideration of subword frequency", where="section 7"
)
def most_of_the_gain(runs: Runs) -> Finding:
    """On Czech-German with 32k symbols, Huffman has more than half of BPE's gain in BLEU over characters, and over the
    most frequent words alone (values: Huffman's gain less what BPE gains beyond it, in BLEU)."""
    place: dict[str, Any] = {"corpus": "huffman-cs-de", "model": ["huffman-e512-l8-h8", ""]}  # Table 5 names none
    huffman, bpe = (of(segmentation=name, **place) for name in ("huffman-32k", "spm-bpe-32k"))
    rest = difference(runs, "bleu", bpe, huffman, each=["corpus"])
    over_characters = difference(runs, "bleu", huffman, of(segmentation="char", **place), each=["corpus"])
    over_words = difference(runs, "bleu", huffman, of(segmentation="word-32k", **place), each=["corpus"])
    return in_all(over_characters.minus(rest) > 0) & in_all(over_words.minus(rest) > 0)


def percent_of_bpe(runs: Runs) -> tuple[Numbers, Numbers]:
    """Return the shares of BPE's BLEU and COMET that Huffman reaches with 32k symbols, in each corpus."""
    largest = of(algorithm="huffman", size=32000)
    names = ("bleu_percent_of_bpe", "comet_percent_of_bpe")
    bleu, comet = (values(runs, name, largest, each=["corpus"]).rounded(0.01) for name in names)
    return bleu, comet


@claim(WITHIN, where="section 1")
def within(runs: Runs) -> Finding:
    """With 32k symbols, Huffman's BLEU is at least 88% of BPE's and its COMET at least 92%, in each corpus (to whole
    per cents)."""
    bleu, comet = percent_of_bpe(runs)
    return in_all(bleu >= 0.88) & in_all(comet >= 0.92)


@claim(WITHIN, where="section 1")
def within_as_printed(runs: Runs) -> Finding:
    """With 32k symbols, Huffman's BLEU is 88% to 90% of BPE's and its COMET 92% to 96%, in each corpus (to whole per
    cents)."""
    bleu, comet = percent_of_bpe(runs)
    return in_all(bleu.between(0.88, 0.90)) & in_all(comet.between(0.92, 0.96))


@claim(
    "increasing the number of BPE merges has a positive but rather limited impact, with an improvement of only 2 BLEU"
    " points between the best 2k and 32k models",
    where="section 6",
)
def merges_matter_little(runs: Runs) -> Finding:
    """BPE of 32k has more BLEU than BPE of 2k, and at most 2 points more, to whole points."""
    large, small = of(algorithm="spm-bpe", size=32000), of(algorithm="spm-bpe", size=2000)
    gain = difference(runs, "bleu", large, small, each=["corpus"])
    return in_all(gain > 0) & in_all(gain.rounded(1) <= 2)


@claim(
    "beyond 8k symbols, between 86.1% and 91.4% of the BLEU score of BPE, between 90.6% and 95.1% for ChrF and between"
    " 92.2% and 96.0% for COMET",
    where="section 6",
)
def range_of_shares(runs: Runs) -> Finding:
    """From 8k symbols on, the lowest and highest share of BPE's BLEU, chrF and COMET are within a percentage point of
    those printed."""
    found = []
    for metric, lowest, highest in zip(PERCENT, (0.861, 0.906, 0.922), (0.914, 0.951, 0.960), strict=True):
        for take, printed in (("min", lowest), ("max", highest)):
            extreme = values(runs, metric, of(algorithm="huffman", size=at_least(8000), take=take))
            found.append(in_all(extreme.between(printed - 0.01, printed + 0.01)))
    return reduce(and_, found)


@claim("the BPE models always outperform their Huffman equivalent", where="section 6")
def loses(runs: Runs) -> Finding:
    """BPE has a higher BLEU, chrF and COMET than Huffman at every size."""
    return in_all(difference(runs, ["bleu", "chrf", "comet"], BPE, HUFFMAN, each=["corpus", "size"]) > 0)


@claim("by 2-3 BLEU points all language pairs", where="section 6")
def margin(runs: Runs) -> Finding:
    """From 8k symbols on, BPE has 2 to 3 BLEU points more than Huffman, to whole points."""
    bpe = of(algorithm="spm-bpe", size=at_least(8000))
    return in_all(difference(runs, "bleu", bpe, HUFFMAN, each=["corpus", "size"]).rounded(1).between(2, 3))


@claim(
    "the Huffman and BPE scores become more similar as the numbers of symbols increase (with one exception, EN-DE with"
    " 32k symbols)",
    where="section 6",
)
def converges(runs: Runs) -> Finding:
    """Huffman's share of BPE's BLEU, chrF and COMET rises from each size to the next, but for EN-DE with 32k."""
    others = of(algorithm="huffman", corpus=other_than("huffman-en-de"))
    german = of(algorithm="huffman", corpus="huffman-en-de", size=at_most(16000))
    of_others = values(runs, PERCENT, others, each=["corpus"], along="size")
    of_german = values(runs, PERCENT, german, each=["corpus"], along="size")
    return in_all(rising(of_others)) & in_all(rising(of_german))


@claim("it benefits from an increasing number of symbols", where="section 5")
def more_symbols(runs: Runs) -> Finding:
    """Huffman's BLEU on Czech-German rises from each size to the next, from 2k on."""
    from_2k = of(algorithm="huffman", corpus="huffman-cs-de", size=at_least(2000))
    return in_all(rising(values(runs, "bleu", from_2k, along="size")))


@claim("smaller embedding sizes (from 512 to 64) lead to substantially lower BLEU scores", where="section 5")
def embedding(runs: Runs) -> Finding:
    """BLEU rises with the width from 64 to 512, and is at least 2 points higher with 512 than with 64."""
    widths = of(segmentation="huffman-1k", model=WIDTHS)
    by_width = values(runs, "bleu", widths, each=["corpus"], along="model", order=WIDTHS)
    gain = difference(runs, "bleu", WIDEST, of(segmentation="huffman-1k", model=WIDTHS[0]), each=["corpus"])
    return in_all(rising(by_width)) & in_all(gain >= 2)


@claim("increasing the number of Transformer layers from 8 to 20 appears to increase the scores", where="section 5")
def layers(runs: Runs) -> Finding:
    """BLEU is higher with 20 layers than with 8."""
    deepest = of(segmentation="huffman-1k", model="huffman-e512-l20-h8")
    return in_all(difference(runs, "bleu", deepest, WIDEST, each=["corpus"]) > 0)


@claim("the number of attention heads (8, 16, or 32) has almost no influence on scores", where="section 5")
def heads(runs: Runs) -> Finding:
    """BLEU with 8, 16 and 32 heads lies within 0.5 points."""
    models = ["huffman-e512-l8-h8", "huffman-e512-l8-h16", "huffman-e512-l8-h32"]
    spread = values(runs, "bleu", of(segmentation="huffman-1k", model=models, take="range"), each=["corpus"])
    return in_all(spread <= 0.5)


@claim("the new scores are only 4–5 points lower", where="section 5")
def frequency_only(runs: Runs) -> Finding:
    """Huffman has 4 to 5 BLEU points more than the most frequent words alone, to whole points."""
    gain = difference(runs, "bleu", HUFFMAN, of(algorithm="word"), each=["corpus", "size"])
    return in_all(gain.rounded(1).between(4, 5))


@claim(
    "the BLEU score with 1,000 symbols is very close to the BLEU score of a character-based Transformer",
    where="section 5",
)
def characters(runs: Runs) -> Finding:
    """BLEU with 1,000 symbols is within 0.5 points of that of characters."""
    return in_all(difference(runs, "bleu", WIDEST, of(segmentation="char"), each=["corpus"]).between(-0.5, 0.5))


#: Of claims about the symbols of the paper's own training text.
SYMBOLS: dict[str, Any] = {"needs": "symbols", "scales": ["full"]}


@claim("with more than 3/4 of the tokens being kept as unique symbols", where="section 6", **SYMBOLS)
def one_symbol(runs: Runs) -> Finding:
    """With most symbols, more than three quarters of the tokens have one, for Huffman and for BPE."""
    single = of(algorithm=["huffman", "spm-bpe"], size=LARGEST, x=1)
    return in_all(values(runs, "symbols_share", single, each=["corpus", "algorithm"]) > 0.75)


@claim(
    "while Huffman coding uses at most 4 symbols per token, BPE may use up to 10 subwords", where="Figure 2", **SYMBOLS
)
def symbols_per_token(runs: Runs) -> Finding:
    """No token has more than 4 symbols by Huffman, and some token has more by BPE.

    The largest number of BPE's is that of one token (a URL), so 10 is no bound.
    """
    huffman = values(runs, "symbols_most", of(algorithm="huffman", take="max"))
    bpe = values(runs, "symbols_most", BPE)
    return in_all(huffman <= 4) & in_all(bpe > 4)


@claim(
    "as the vocabulary size (or number of symbols) grows, tokenization results become more similar across the"
    " two methods",
    where="section 6, Figure 2",
    **SYMBOLS,
)
def symbols_converge(runs: Runs) -> Finding:
    """The share of tokens with one symbol differs less between Huffman and BPE with 32k symbols than with 2k."""

    def apart(size: int) -> Numbers:
        huffman, bpe = (of(algorithm=name, size=size, x=1) for name in ("huffman", "spm-bpe"))
        return difference(runs, "symbols_share", huffman, bpe, each=["corpus"]).absolute()

    return in_all(apart(2000).minus(apart(32000)) > 0)


@claim(
    "unknown words are likely to limit the performance, although their number is very small in the test data",
    where="section 6",
    needs="corpora",
    scales=["full"],
)
def unknown(runs: Runs) -> Finding:
    """Less than one test token in a hundred is unknown, in each corpus."""
    return in_all(values(runs, "unknown_source_tokens", of(split="test"), each=["corpus"]) < 0.01)


@claim(
    "the vast majority of symbol combinations generated by our NMT models correspond to actual leaves of Huffman trees",
    where="section 6",
    needs="undecodable",
)
def decodable(runs: Runs) -> Finding:
    """Less than one output token in a hundred has a code that belongs to no word, in each corpus."""
    return in_all(values(runs, "undecodable_output", HUFFMAN, each=["corpus"]) < 0.01)
