"""Make the text of a corpus and language pair: put together, cleaned, tokenized; or a group's, from its members'.

A job with a `stem` makes a test set that train was not cleaned of, in the folder of its corpus.

FOLDER/raw/ has the splits as they came, FOLDER/{split}.{language} the clean text (train loses what would do harm, dev
and test sets keep every line), FOLDER/references/ dev and test sets as they came, FOLDER/moses/ the text in Moses
tokens, FOLDER/cleaning.json what was dropped and why. FOLDER/STEM.json is the record of a test set of its own: it
counts the train pairs that are also in the test set.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.corpora.cleaning import Options, clean_corpus, clean_test_set, copy_gold
from experiment.corpora.corpus import Corpus
from experiment.corpora.gathering import MemberText, gather
from experiment.corpora.parallel_text import Pair, languages_of
from experiment.corpora.raw_files import check_checksums, prepare, prepare_split
from experiment.jsonfiles import read_json
from experiment.programs import Job, job_program
from experiment.store.making import check_inputs, define, make
from experiment.text.moses import has_rules, tokenize_like, write_text


def sources_of(job: Job) -> tuple[Corpus, Pair, dict[str, Any]]:
    """Return the corpus, its languages, and where its files come from."""
    check_checksums(job["checksums"])
    places = {"downloads": Path(job["downloads"]), "mirror": Path(job["mirror"]) if job["mirror"] else None}
    return Corpus(job["corpus"], job["catalogue"]), languages_of(job["pair"]), places  # checked when it was planned


def put_together(job: Job, folder: Path) -> Mapping[str, Any]:
    """Make a corpus from its files; return the cleaning's report."""
    corpus, languages, places = sources_of(job)
    prepare(corpus, job["pair"], folder / "raw", **places)
    splits = list(corpus.splits(job["pair"]))
    tests = [split for split in splits if split not in ("train", "dev")]
    report = clean_corpus(folder / "raw", folder, languages, tests, Options(**job["cleaning"]))
    for language in corpus.gold_languages(job["pair"]):
        copy_gold(folder / "raw" / f"gold.{language}", folder / f"gold.{language}")
    for language in languages:
        if not has_rules(language):
            print(f"{language}: Moses has no rules for it; those of English are used", file=sys.stderr)
        write_text(language, folder, folder / "moses", splits, workers=job["workers"])
    return report


def gather_members(job: Job, folder: Path) -> Mapping[str, Any]:
    """Make a group's text from that of its members, which were cleaned and tokenized by their own languages' rules."""
    check_inputs(job["inputs"])
    members = [MemberText(language, Path(member), test) for language, member, test in job["members"]]
    return gather(members, job["into"], folder, keep_overlap=job["keep_overlap"])


def add_test_set(job: Job, folder: Path) -> Mapping[str, Any]:
    """Make the files of a test set of its own; return what its record says."""
    name, stem, text = job["name"], job["stem"], Path(job["folder"])
    corpus, languages, places = sources_of(job)
    check_inputs(job["inputs"])
    prepare_split(corpus, job["pair"], name, folder / "raw" / stem, **places)
    report = clean_test_set(folder / "raw" / stem, name, folder, stem, languages, text / "train")
    for language in languages:
        model = text / "moses" / f"truecase.{language}"
        tokenize_like(model, language, folder / f"{stem}.{language}", folder / "moses" / f"{stem}.{language}")
    return {"name": name, "definition": job["definition"], **report}


@job_program
def main(job: Job) -> None:
    folder = Path(job["folder"])
    if "stem" in job:
        made = make(folder, functools.partial(add_test_set, job), f"{job['stem']}.json")
        print("made" if made else "already done")
        return
    define(folder, job["definition"])
    make(folder, functools.partial(gather_members if "members" in job else put_together, job))
    train = read_json(folder / "cleaning.json")["splits"]["train"]
    reasons = ", ".join(f"{count} {reason}" for reason, count in train["dropped"].items() if count)
    print(f"train: {train['kept']} of {train['read']} pairs kept" + (f"; dropped: {reasons}" if reasons else ""))


if __name__ == "__main__":
    raise SystemExit(main())
