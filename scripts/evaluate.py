"""Translate the test sets of a run and score them: text in, hypotheses as detokenized text out, one line for each line.

The source is segmented, translated with beam search, put together by the same segmenter and, where that read Moses
tokens, detruecased and detokenized. The scores are sacrebleu's, against the raw references. Finished work is not
repeated.
"""

from __future__ import annotations

from experiment.programs import Job, job_program
from translation.evaluating import evaluate


@job_program
def main(job: Job) -> None:
    print("\n".join(evaluate(job)))


if __name__ == "__main__":
    raise SystemExit(main())
