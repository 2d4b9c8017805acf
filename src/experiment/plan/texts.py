"""The text of a corpus and language pair: put together, cleaned, tokenized. Its definition, key, folder and job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiment.corpora.cleaning import OPTIONS
from experiment.corpora.corpus import Corpus, File, Split
from experiment.corpora.corpus_groups import Group
from experiment.corpora.demo.corpus import SPLITS
from experiment.store.checksums import Checksums
from experiment.store.keys import key
from experiment.store.making import DONE
from experiment.store.results import Keyed, Results

CORPUS_STEP = "corpus 1"
DOWNLOADS = Path("results/downloads")


@dataclass(frozen=True)
class PlannedTestSet:
    """A test set of a text. `stem` is what its files are called.

    Where train is cleaned of the test set, it belongs to the text's definition and is made with it. Otherwise
    (`overlap: keep`, of the corpus or of the test set) nothing else depends on it, and it has its own key and mark.
    """

    name: str
    stem: str
    definition: Mapping[str, Any] | None = None

    @property
    def own(self) -> bool:
        """Whether it is made by itself, after the text."""
        return self.definition is not None


@dataclass(frozen=True)
class Text(Keyed):
    """The text of a corpus and pair."""

    corpus: Corpus
    pair: str
    cleaning: Mapping[str, Any]
    checksums: Mapping[str, str]  # of the user's own files
    tests: tuple[PlannedTestSet, ...]
    members: tuple[Text, ...] = field(default=())

    @property
    def languages(self) -> list[str]:
        return self.pair.split("-")

    def form(self, form: str) -> str:
        """Return the folder of the text in a form that segmenters read: raw (the clean text itself) or moses."""
        return self.folder if form == "raw" else f"{self.folder}/{form}"

    def named(self, stem: str, form: str) -> str:
        """Return a pattern of a split's files in a form, as the record names them."""
        return f"{stem}.*" if form == "raw" else f"{form}/{stem}.*"

    def record_of(self, test: PlannedTestSet) -> Path:
        """Return the record of a test set: the text's, or its own."""
        return Path(self.folder, f"{test.stem}.json") if test.own else self.record

    def reference(self, stem: str, language: str) -> str:
        """Return a side of dev or of a test set before cleaning: hypotheses are compared with it."""
        return f"{self.folder}/references/{stem}.{language}"

    def gold(self) -> dict[str, str]:
        """Return the files of gold morphemes by language."""
        return {language: f"{self.folder}/gold.{language}" for language in self.corpus.gold_languages(self.pair)}

    def test(self, name: str) -> PlannedTestSet:
        return next(test for test in self.tests if test.name == name)

    def done_of(self, test: PlannedTestSet) -> str:
        """Return the mark of a test set: the text's, or its own."""
        return f"{self.folder}/{test.stem}.{DONE}" if test.own else self.done

    def files_of(self, test: PlannedTestSet | None = None) -> list[File]:
        """Return the files that the text, or one test set of its own, is put together from."""
        if test is None:
            return [] if self.members else self._together.files(self.pair)
        return [file for language in self.languages for file in self._split(test).files.get(language, ())]

    def mtdata_of(self, test: PlannedTestSet | None = None) -> list[str]:
        """Return the mtdata ids that the text, or one test set of its own, is put together from."""
        splits = self._together.splits(self.pair).values() if test is None else [self._split(test)]
        return list(dict.fromkeys(name for split in splits for name in split.mtdata))

    def _split(self, test: PlannedTestSet) -> Split:
        return self.corpus.splits(self.pair)[test.name]

    @property
    def _together(self) -> Corpus:
        """The corpus with the test sets that are made with the text."""
        return self.corpus.with_tests([test.name for test in self.tests if not test.own])

    def job(self, runtime: Mapping[str, Any]) -> dict[str, Any]:
        """Return the job of scripts/make_corpus.py."""
        job = {"folder": self.folder, "definition": self.definition, "workers": runtime["workers"]}
        if isinstance(self.corpus, Group):
            parts = list(zip(self.corpus.members, self.members, strict=True))
            members = [[part.language, text.folder, text.test(part.test).stem] for part, text in parts]
            keep = self.cleaning["overlap"] == "keep"
            inputs = {str(text.record): ["*"] for text in self.members}
            inputs |= {str(text.record_of(text.test(part.test))): ["*"] for part, text in parts}
            return job | {"members": members, "into": self.corpus.into, "keep_overlap": keep, "inputs": inputs}
        return job | self._source(self._together, runtime) | {"cleaning": dict(self.cleaning)}

    def test_job(self, test: PlannedTestSet, runtime: Mapping[str, Any]) -> dict[str, Any]:
        """Return the job of scripts/make_corpus.py."""
        source = self._source(self.corpus.with_tests([test.name]), runtime)
        job = {"folder": self.folder, "definition": test.definition, "name": test.name, "stem": test.stem}
        return source | job | {"inputs": {str(self.record): ["train.*", "moses/truecase.*"]}}

    def _source(self, corpus: Corpus, runtime: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "corpus": corpus.name,
            "catalogue": corpus.for_pair(self.pair),
            "pair": self.pair,
            "checksums": dict(self.checksums),
            "downloads": str(DOWNLOADS),
            "mirror": runtime["mirror"],
        }


def describe_text(
    corpus: Corpus, pair: str, overriding: Mapping[str, Any], results: Results, members: tuple[Text, ...] = ()
) -> Text:
    """Return the text of a corpus and pair. `overriding` is the experiment's `cleaning`; a group has its members'.

    The definition has the content of every file (its checksum) and not its place, and all test sets that train is
    cleaned of, whatever an experiment translates: those that `cleaning` names, by default every one that the catalogue
    has for the pair without `overlap: keep`.
    """
    cleaning = {**OPTIONS, **corpus.cleaning, **overriding}
    splits, named = corpus.splits(pair), cleaning.pop("testsets", None)
    cleaned_of = [name for name, split in splits.items() if split.overlap != "keep"] if named is None else named
    if cleaning["train_pairs"] is None:  # nothing is drawn; as by default, so that this has one key
        cleaning["seed"] = OPTIONS["seed"]
    checksums: dict[str, str] = {}
    definition: dict[str, Any] = {"step": CORPUS_STEP, "languages": pair.split("-")}
    if isinstance(corpus, Group):
        parts = zip(corpus.members, members, strict=True)
        definition |= {"members": [[part.language, text.key, text.test(part.test).stem] for part, text in parts]}
        definition |= {"overlap": cleaning["overlap"]}
        tests = [PlannedTestSet(part.language, part.language) for part in corpus.members]
    else:
        described = {name: _describe(split, pair, results.checksums, checksums) for name, split in splits.items()}
        if corpus.generator is not None:
            definition["generated"] = {"seed": 1, **SPLITS, **corpus.generator}
        if corpus.held_out:
            definition["held_out"] = {"seed": corpus.held_out_seed, **corpus.held_out}
        for language, files in corpus.gold(pair).items():
            definition.setdefault("gold", {})[language] = _contents(files, results.checksums, checksums)
        definition |= {"train": described["train"], "dev": described["dev"], "cleaning": cleaning, "tests": {}}
        tests = []
        for name in (name for name in splits if name not in ("train", "dev")):
            drawn = splits[name].drawn or corpus.generator is not None
            removed = cleaning["overlap"] != "keep" and name in cleaned_of
            if drawn or removed:
                definition["tests"][name] = described[name]
                tests.append(PlannedTestSet(name, name))
            else:
                alone = {"step": f"test set of {CORPUS_STEP}", **described[name]}
                tests.append(PlannedTestSet(name, f"{name}.{key(alone)}", alone))
    folder = results.folder(f"corpora/{corpus.name}.{key(definition)}/{pair}", definition)
    return Text(definition, folder, corpus, pair, cleaning, checksums, tuple(tests), members)


def _describe(split: Split, pair: str, known: Checksums, checksums: dict[str, str]) -> dict[str, Any]:
    """Return what a split is made of."""
    languages = [language for language in pair.split("-") if language in split.files]
    found: dict[str, Any] = {language: _contents(split.files[language], known, checksums) for language in languages}
    return found | ({"mtdata": list(split.mtdata)} if split.mtdata else {})


def _contents(files: tuple[File, ...], known: Checksums, checksums: dict[str, str]) -> list[str]:
    """Return the checksums of files, with `gz` at those that are unpacked."""
    contents = []
    for file in files:
        if file.path:
            checksums[file.path] = known.of(Path(file.path))
        packed = " gz" if (file.url or file.path).endswith(".gz") else ""
        contents.append(f"{file.sha256 if file.url else checksums[file.path]}{packed}")
    return contents
