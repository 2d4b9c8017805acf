"""Learn a segmentation on the train text of both sides, segment train and dev with it, measure it, binarize the pieces.

FOLDER has model.LANG and encode.LANG.json for both languages, train.LANG, dev.LANG and pieces.LANG, segmentation.json
(what was learned), stats.json, and binarized/ for fairseq. Where train is segmented at random, further draws are
train.N.LANG and binarized/N; a class of the user's own is there as a copy of its file.
"""

from __future__ import annotations

from pathlib import Path

from experiment.programs import Job, job_program
from experiment.segmentation.binarizing import binarize
from experiment.segmentation.segmenting import segment
from experiment.store.making import check_inputs, define, made_of, make


@job_program
def main(job: Job) -> None:
    folder = Path(job["folder"])

    def work(scratch: Path) -> dict[str, object]:
        check_inputs(job["inputs"])
        learned = segment(job, scratch)
        binarize(scratch, job["pair"], job["joint"], job["draws"] or 1)
        ((text, files),) = job["inputs"].items()
        return {"signatures": learned["signatures"], "made_of": made_of(text, files)}

    define(folder, job["definition"])
    make(folder, work)


if __name__ == "__main__":
    raise SystemExit(main())
