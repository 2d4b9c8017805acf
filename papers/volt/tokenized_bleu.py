"""Case-sensitive tokenized BLEU as fairseq's example scripts compute it for WMT 14, which papers of its time report.

Hypotheses and references are Moses tokens in which compounds are split at their hyphens ("well-known" is three tokens),
and BLEU is that of the tokens as they are, without smoothing (`fairseq-score`, Papineni et al. 2002). It is some tenths
higher than sacrebleu's, and two such scores compare only if the tokens were made alike (Post 2018).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from subwords.errors import InputError

#: scripts/compound_split_bleu.sh: s{(\S)-(\S)}{$1 ##AT##-##AT## $2}g
_HYPHEN = re.compile(r"(\S)-(\S)")


def split_compounds(line: str) -> str:
    """Return tokens with each hyphen inside one as a token of its own.

    >>> split_compounds("a well-known fact - or so")
    'a well ##AT##-##AT## known fact - or so'
    """
    return _HYPHEN.sub(r"\1 ##AT##-##AT## \2", line)


def tokenized_bleu(hypotheses: Sequence[str], references: Sequence[str], language: str) -> float:
    """Return BLEU (0 to 100) of plain text after tokenization by the Moses rules of a language.

    Raises InputError when the numbers of lines differ.
    """
    from sacrebleu.metrics import BLEU

    from experiment.text.moses import tokenize

    if len(hypotheses) != len(references):
        raise InputError(f"{len(hypotheses)} hypotheses and {len(references)} references", allowed="equal numbers")
    tokens = [[split_compounds(tokenize(line, language)) for line in side] for side in (hypotheses, references)]
    # "force" only silences the warning that the text is tokenized.
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    return float(metric.corpus_score(tokens[0], [tokens[1]]).score)
