"""HFT, BPE and unigram on one text, as behind Figure 4 of the HFT paper and as the paper says.

Signoroni and Rychlý 2022, sections 2.1 and 2.3. `corrected`: each algorithm learns `size` entries from the text and
segments it; SentencePiece with its defaults, but with every character, like HFT and unlike in the paper.

`published` repeats what their program (edoardosignoroni/hftoks-eval at 546ee60) did. HFT: `variant=published`.
SentencePiece read the text in files of 5,000 lines, of which the last one is empty where the number of lines is a
multiple of 5,000; mostly the whole text, too, and HFT's pretokenized text. Their models name the files and the coverage
of characters; by which version of the pretokenization, the published numbers tell (experiment.yaml).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from subwords import registry
from subwords.errors import InputError
from subwords.files import read_lines
from subwords.hft.pretokenization import pretokenize

from .frequencies import Frequencies, as_published, of_pieces

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

ALGORITHMS = ("spm-bpe", "hft", "unigram")
PART = 5000
#: What the published baselines were learned from: files of 5,000 lines; the whole text, too; and HFT's pretokenized
#: text, by an earlier script, which joined no words (e-mail), or by today's.
LEARNED_FROM = ("parts", "text", "earlier", "present")
#: SentencePiece's options in the corrected form. The paper leaves the coverage at 0.9995; HFT keeps every character.
DEFAULTS: dict[str, Any] = {"normalization": "nmt_nfkc", "character_coverage": 1.0}


class Found(NamedTuple):
    """The numbers of a segmented text, and how many entries the vocabulary has."""

    frequencies: Frequencies
    vocabulary: int


def corrected(text: Path, algorithm: str, size: int) -> Found:
    """Return the numbers by the paper's definitions, with every character of the text.

    Raises InputError where the text does not give as many entries, or has more characters.
    """
    options = {} if algorithm == "hft" else DEFAULTS
    segmenter = registry.find(algorithm).learn([text], size, **options)
    if (reached := segmenter.reached() or 0) < size:
        raise InputError(f"the text gives {algorithm} {reached} entries, not {size}")
    pieces = (line.split(" ") if line else [] for line in segmenter.encode_batch(list(read_lines(text))))
    return Found(of_pieces(pieces), reached)


def published(
    text: Path,
    algorithm: str,
    size: int,
    step: int = 100,
    learned_from: str = "text",
    coverage: float = 1.0,
    counts: str = "entries",
) -> Found:
    """Return the numbers as the authors' program computed them; `step` is what HFT adds at a time. What the baselines
    were learned from is one of `LEARNED_FROM`, and `coverage` with which share of the characters. What `counts` is the
    vocabulary's entries or all pieces.

    Raises InputError as `corrected` does, but for HFT: with more characters or fewer candidates than `size` it has as
    many entries as these give.
    """
    lines = list(read_lines(text))
    if algorithm == "hft":
        from subwords.hft.model import HFT

        # Their program keeps all characters, and stops after the first step at the earliest.
        characters = set().union(*pretokenize(lines)) - {" "}
        hft = HFT.learn([text], max(size, len(characters)), variant="published", step=step)
        pieces = (line.split(" ") for line in hft.encode_batch(lines))
        return Found(as_published(pieces, hft.vocabulary, algorithm), len(hft.vocabulary))
    processor = _sentencepiece(files(lines, learned_from), algorithm, size, coverage)
    vocabulary = {processor.id_to_piece(n) for n in range(processor.get_piece_size())}
    pieces = (processor.encode_as_pieces(line.rstrip()) for line in lines)
    return Found(as_published(pieces, vocabulary if counts == "entries" else None, algorithm), len(vocabulary))


def _sentencepiece(
    texts: Sequence[Sequence[str]], algorithm: str, size: int, coverage: float
) -> SentencePieceProcessor:
    """Return SentencePiece's processor with a model learned as theirs: ids and coverage as in their program."""
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=chain.from_iterable(texts),
            model_writer=model,
            model_type={"spm-bpe": "bpe"}.get(algorithm, algorithm),
            vocab_size=size,
            character_coverage=coverage,
            unk_id=2,
            bos_id=-1,
            eos_id=1,
            pad_id=0,
            num_threads=1,
            minloglevel=3,
        )
    except RuntimeError as error:
        reason = str(error).rpartition("] ")[2]
        raise InputError(f"{algorithm}: size={size} cannot be learned from this text: {reason}") from None
    return SentencePieceProcessor(model_proto=model.getvalue())


def files(lines: Sequence[str], learned_from: str = "text") -> list[list[str]]:
    """Return the lines of every file that the published baselines were learned from."""
    parts = [list(lines[start : start + PART]) for start in range(0, len(lines), PART)]
    if parts and len(parts[-1]) == PART:
        parts[-1] = []
    if learned_from in ("parts", "text"):
        return parts if learned_from == "parts" else [list(lines), *parts]
    return [list(lines), *parts, pretokenize(lines, joining=learned_from == "present")]
