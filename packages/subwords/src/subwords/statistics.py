"""What a segmentation does to a text, in numbers.

A *piece* is what single spaces separate in a segmented file. A *word* is what single spaces separate in the text that
the algorithm read (so for tokenized text a comma is a word, for raw text it belongs to one). How many pieces a word has
is asked of the algorithm itself, which encodes each word type alone; pieces between words (the `▁` of `char`) are
nobody's. Whether a word has an unknown piece is seen in its line.

Frequencies are those of the pieces seen in the training text; a piece of the model that never occurs there has no rank.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from subwords import vocabulary
from subwords.boundaries import boundary_scores, ratio, read_gold
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import read_lines
from subwords.segmenter import Segmenter

#: The order of the entropy that agreed best with BLEU in Zouhar et al. 2023.
ALPHA = 2.5


class Segmented(NamedTuple):
    """A segmented file and, where it is at hand, the text that the algorithm read, line for line."""

    pieces: Path
    text: Path | None = None


def describe(
    train: Segmented,
    held_out: Mapping[str, Segmented] | None = None,
    *,
    segmenter: Segmenter | None = None,
    gold: Path | None = None,
    alpha: float = ALPHA,
) -> dict[str, Any]:
    """Return the statistics of a segmented training text; what needs a file or model that is not given is left out.

    - `sentences`, `pieces` (running), `types` (distinct pieces seen), `pieces_per_sentence` (the papers' mu)
    - `f95`, `nu`, `renyi_efficiency` of order `renyi_alpha`: see `class_frequency`, `rank_weighted_frequency`,
      `renyi_efficiency`
    - `types_with_white_space`: pieces that programs which split on Unicode white space (fairseq) will tear apart
    - with a text: `words`, `word_types`, `pieces_per_word` (pieces divided by words: the fertility),
      `characters_per_piece` (characters of the text but its spaces, by all pieces)
    - with a segmenter: `algorithm`, `size_reached`; with a text, too: `kept_whole`, the share of running words that are
      one piece of their own (not `<unk>`), and `pieces_per_word_histogram`, pieces in a word -> running words
    - with `held_out` files (dev, test, ...): for each, see `unknown_rates`
    - with a `gold` file and a segmenter: `boundaries`, see `boundaries.boundary_scores`

    Raises InputError when a file cannot be read, or a text has not as many lines as its pieces.
    """
    sentences, counts = count_pieces(train.pieces)
    frequencies = sorted(counts.values(), reverse=True)
    pieces = sum(frequencies)
    result: dict[str, Any] = {
        "sentences": sentences,
        "pieces": pieces,
        "types": len(counts),
        "pieces_per_sentence": ratio(pieces, sentences),
        "f95": class_frequency(frequencies),
        "nu": rank_weighted_frequency(frequencies),
        "renyi_efficiency": renyi_efficiency(frequencies, alpha),
        "renyi_alpha": alpha,
        "types_with_white_space": sum(piece.split() != [piece] for piece in counts),
    }
    if segmenter:
        result |= {"algorithm": segmenter.algorithm, "size_reached": segmenter.reached()}
    if train.text:
        result |= _of_words(train, sentences, pieces, segmenter)
    if held_out:
        result["held_out"] = {name: unknown_rates(file, counts, segmenter) for name, file in held_out.items()}
    if segmenter:
        if gold:
            result["boundaries"] = boundary_scores(segmenter, read_gold(gold))
        segmenter.counts()  # what the words above could not be encoded for is not the text's
    return result


def _of_words(train: Segmented, sentences: int, pieces: int, segmenter: Segmenter | None) -> dict[str, Any]:
    assert train.text is not None
    _check_lines(train, sum(1 for _ in read_lines(train.text)), sentences)
    counts = count_words([train.text])
    words = sum(counts.values())
    letters = sum(len(word) * count for word, count in counts.items())
    result: dict[str, Any] = {
        "words": words,
        "word_types": len(counts),
        "pieces_per_word": ratio(pieces, words),
        "characters_per_piece": ratio(letters, pieces),
    }
    if segmenter:
        histogram: Counter[int] = Counter()
        whole = 0
        for word, encoded in zip(counts, segmenter.pieces_of(counts), strict=True):
            histogram[len(encoded)] += counts[word]
            whole += counts[word] * (len(encoded) == 1 and encoded[0] not in segmenter.unknown_marks)
        result["kept_whole"] = ratio(whole, words)
        result["pieces_per_word_histogram"] = {length: histogram[length] for length in sorted(histogram) if length}
    return result


def _check_lines(file: Segmented, lines: int, segmented: int) -> None:
    if lines != segmented:
        raise InputError(
            f"{file.text} has {lines} lines, {file.pieces} has {segmented}",
            allowed="the text that was segmented, line for line",
        )


def unknown_rates(
    file: Segmented, known: Collection[str], segmenter: Segmenter | None = None
) -> dict[str, int | float | None]:
    """Return how much of a segmented file is not made of `known` pieces (those seen in training).

    `pieces`, `unknown_pieces`, `unknown_piece_rate`; with a text and a segmenter also `words`, `words_with_unknown`,
    `unknown_word_rate`: running words that contain an unknown piece. The algorithm's own mark for what it does not know
    (`<unk>`) is an unknown piece even where training had it. Raises InputError when the text has not as many lines as
    the pieces.
    """
    marks = segmenter.unknown_marks if segmenter else frozenset()

    def unknown(piece: str) -> bool:
        return piece not in known or piece in marks

    _, counts = count_pieces(file.pieces)
    pieces, missed = sum(counts.values()), sum(count for piece, count in counts.items() if unknown(piece))
    result: dict[str, int | float | None] = {
        "pieces": pieces,
        "unknown_pieces": missed,
        "unknown_piece_rate": ratio(missed, pieces),
    }
    if file.text and segmenter:
        text, lines = list(read_lines(file.text)), list(read_lines(file.pieces))
        _check_lines(file, len(text), len(lines))
        total = sum(count_words([file.text]).values())
        hit = sum(_words_with(unknown, segmenter, *pair) for pair in zip(text, lines, strict=True))
        result |= {"words": total, "words_with_unknown": hit, "unknown_word_rate": ratio(hit, total)}
    return result


def _words_with(unknown: Callable[[str], bool], segmenter: Segmenter, text: str, line: str) -> int:
    """Return how many words of a text have unknown pieces in its segmented line.

    The line's words are encoded alone where pieces are no stretches of the text (symbols of codes, `<unk>` for a word),
    or where an unknown one has no text of its own (HFT's marks of case, a byte of a character but its last).
    """
    pieces = line.split(" ")
    if not any(unknown(piece) for piece in pieces if piece):
        return 0
    words = [word for word in text.split(" ") if word]
    stretches = segmenter.surfaces(pieces) or []
    joined, letters = "".join(stretches).replace(" ", ""), "".join(words)
    same = len(joined) == len(letters) and joined.casefold() == letters.casefold()
    if not same or any(unknown(piece) and not stretch for piece, stretch in zip(pieces, stretches, strict=True)):
        return sum(any(map(unknown, alone)) for alone in segmenter.pieces_of(words))
    owner = [number for number, word in enumerate(words) for _ in word]
    hit, place = set[int](), 0
    for piece, stretch in zip(pieces, stretches, strict=True):
        length = len(stretch.replace(" ", ""))
        if unknown(piece):
            hit.update(owner[place : place + length])
        place += length
    return len(hit)


def count_pieces(path: Path) -> tuple[int, Counter[str]]:
    """Return the number of lines of a segmented file and the counts of its pieces."""
    return vocabulary.count_pieces(read_lines(path))


def class_frequency(frequencies: Sequence[int], percent: int = 95) -> int | None:
    """Return F95, the least frequency among the `percent` % most frequent pieces; None where there are no pieces.

    `frequencies` are in descending order; the answer is the one at rank ceil(n * percent / 100), the first at which the
    ranks so far are at least `percent` % of all. Gowda & May 2020, section 2; Signoroni & Rychlý 2022, section 2.1.

    >>> class_frequency([9, 7, 5, 3, 1], percent=60)
    5
    """
    rank = -(-len(frequencies) * percent // 100)
    return frequencies[rank - 1] if frequencies else None


def rank_weighted_frequency(frequencies: Sequence[int]) -> float | None:
    """Return nu, the mean of descending frequencies weighted by their rank 1..n; None where there are no pieces.

    nu = sum of i * f_i / sum of i, over all ranks: Signoroni & Rychlý 2022, Eq. 1.

    >>> rank_weighted_frequency([6, 3, 1])
    2.5
    """
    n = len(frequencies)
    return ratio(2 * sum(rank * frequency for rank, frequency in enumerate(frequencies, 1)), n * (n + 1))


def renyi_efficiency(frequencies: Sequence[int], alpha: float = ALPHA) -> float | None:
    """Return the Rényi entropy of order `alpha` of the pieces' distribution over that of the uniform one, ln n.

    H = ln(sum of p ** alpha) / (1 - alpha); its limit at alpha = 1 is Shannon's entropy. None for fewer than two
    pieces. Zouhar et al. 2023 ("Tokenization and the Noiseless Channel"), with n the pieces that occur. Raises
    InputError for a negative alpha.

    >>> renyi_efficiency([5, 5, 5, 5])
    1.0
    """
    if not alpha >= 0 or math.isinf(alpha):
        raise InputError(f"alpha={alpha} is no order of a Rényi entropy", allowed="a finite number, 0 or above")
    if len(frequencies) < 2:
        return None
    total = sum(frequencies)
    shares = [frequency / total for frequency in frequencies]
    if alpha == 1:
        entropy = -math.fsum(share * math.log(share) for share in shares)
    else:
        powers, top = math.fsum(share**alpha for share in shares), 1.0
        if powers < sys.float_info.min:  # too small a number for a high order
            top = max(shares)
            powers = math.fsum((share / top) ** alpha for share in shares)
        entropy = alpha / (1 - alpha) * math.log(top) + math.log(powers) / (1 - alpha)
    return entropy / math.log(len(frequencies))
