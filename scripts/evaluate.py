"""Translate the test sets of a run and score them: text in, hypotheses as detokenized text out, one line for each line.

The source is segmented, translated with beam search, put together by the same segmenter and, where that read Moses
tokens, detruecased and detokenized. The scores are sacrebleu's, against the raw references. Finished work is not
repeated.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.jobs import read_job
from experiment.programs import program
from translation.evaluating import evaluate

ROOT = Path(__file__).resolve().parent.parent


@program
def main(argv: Sequence[str] | None = None) -> int:
    print("\n".join(evaluate(read_job(__doc__, argv))))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
