"""Claims: a function reads like the sentence that it tests, and judges the paper's numbers and ours alike.

    @claim("a better average NMT performance on both datasets", where="section 2.4")
    def better(runs: Runs) -> Finding:
        \"\"\"HFT has a higher BLEU than BPE in every direction.\"\"\"
        return in_all(difference(runs, "bleu", of(algorithm="hft"), of(algorithm="bpe"), each=PLACE) > 0)

`runs` are measurements: the paper's (the printed tables) or ours. `of` says which of them a side takes; `values`,
`difference` and `ratio` give `Numbers`, one for each combination of the columns in `each` (seeds are averaged first);
comparing `Numbers` gives `Cases`; `in_all`, `in_most` and the like turn `Cases` into a `Finding`; findings are combined
with `&`. A claim asks for all its numbers before it decides anything: what the paper has is what ours must have, too.

What trained systems give (scores, their correlations and standard errors, undecodable output, speed) needs a 95%
interval: over seeds, else of the test set's sentences. A claim about it is confirmed or not only where the interval
excludes the opposite; otherwise it is undecided. Printed numbers without any interval can only be so, or not so, as
printed. What involves no sampling (vocabularies, frequencies) has no interval and needs none.
That a number is as large as printed is a claim of its own, beside the one that it is at least as good.

There is no verdict where a number of ours is missing, where averages over different corpora, directions, test sets or
models are compared, where a ratio's denominator is zero, where translations of fewer than 200 lines are compared, or of
a system that has learned nothing (docs/metrics-and-tables.md), on generated text,
and where the paper's text at hand has lost most numbers.
"""

from replication.claims.cases import (
    AS_PRINTED,
    CONFIRMED,
    NOT_AS_PRINTED,
    NOT_CONFIRMED,
    NOT_TESTABLE,
    STATES,
    UNDECIDED,
    Cases,
    Finding,
    crossing,
    in_all,
    in_at_least,
    in_most,
    in_none,
    rising,
    significant,
)
from replication.claims.numbers import LARGEST, Numbers, Runs, Side, difference, of, ratio, values
from replication.claims.verdicts import Claim, Verdict, claim, verdict
from replication.measurements import PLACE

__all__ = [
    "AS_PRINTED",
    "CONFIRMED",
    "LARGEST",
    "NOT_AS_PRINTED",
    "NOT_CONFIRMED",
    "NOT_TESTABLE",
    "PLACE",
    "STATES",
    "UNDECIDED",
    "Cases",
    "Claim",
    "Finding",
    "Numbers",
    "Runs",
    "Side",
    "Verdict",
    "claim",
    "crossing",
    "difference",
    "in_all",
    "in_at_least",
    "in_most",
    "in_none",
    "of",
    "ratio",
    "rising",
    "significant",
    "values",
    "verdict",
]
