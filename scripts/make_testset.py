"""Make a test set that train was not cleaned of, in the folder of its corpus: raw, references, Moses tokens.

Its record, FOLDER/{stem}.json, counts the train pairs that are also in it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.corpora.cleaning import clean_test_set
from experiment.corpora.corpus import Corpus
from experiment.corpora.parallel_text import languages_of
from experiment.corpora.sources import check_checksums, prepare_split
from experiment.programs import Job, job_program
from experiment.store.making import check_inputs, make
from experiment.text.moses import tokenize_like


def add(job: Job, scratch: Path) -> Mapping[str, Any]:
    """Make the files of the test set; return what its record says."""
    name, stem, pair, folder = job["name"], job["stem"], job["pair"], Path(job["folder"])
    corpus = Corpus(job["corpus"], job["catalogue"])  # checked when it was planned
    languages = languages_of(pair)
    check_checksums(job["checksums"])
    check_inputs(job["inputs"])
    mirror = Path(job["mirror"]) if job["mirror"] else None
    prepare_split(corpus, pair, name, scratch / "raw" / stem, downloads=Path(job["downloads"]), mirror=mirror)
    report = clean_test_set(scratch / "raw" / stem, name, scratch, stem, languages, folder / "train")
    for language in languages:
        model = folder / "moses" / f"truecase.{language}"
        tokenize_like(model, language, scratch / f"{stem}.{language}", scratch / "moses" / f"{stem}.{language}")
    return {"name": name, "definition": job["definition"], **report}


@job_program
def main(job: Job) -> None:
    made = make(Path(job["folder"]), functools.partial(add, job), f"{job['stem']}.json")
    print("made" if made else "already done")


if __name__ == "__main__":
    sys.exit(main())
