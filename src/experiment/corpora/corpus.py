"""A corpus, as its definition says, before anything is fetched.

A corpus has parallel files for its languages: train, dev and any number of test sets. The files are downloads, local
files, mtdata ids, or made by a generator. config/corpora.yaml shows every form; config/schemas/corpora.schema.json
describes every key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from experiment.corpora.demo.corpus import SPLITS
from experiment.corpora.download import place
from subwords.errors import InputError, check_known

#: Keys of a split other than its languages.
SPLIT_KEYS = ("lines", "directions", "mtdata", "overlap")
#: Keys for people; no result depends on them.
PROSE = ("title", "homepage", "licence", "citation")

#: What Snakemake replaces in paths (its pathvars). It has no way to escape them.
PATH_VARIABLE = re.compile(r"<[a-z][a-z0-9_]*>")


@dataclass(frozen=True)
class File:
    """One file of a split: a download (`url`) or a local file (`path`), with its checksum when one is given."""

    url: str = ""
    path: str = ""
    sha256: str | None = None

    def __post_init__(self) -> None:
        if found := PATH_VARIABLE.search(self.path):
            raise InputError(
                f"{self.path!r}: Snakemake takes {found[0]} in a path for a variable",
                allowed="a path without small letters in angle brackets",
                next_step="rename the folder or the file",
            )

    def location(self, downloads: Path) -> Path:
        """Return its path on this machine; `downloads` is the folder of downloads."""
        return downloads / place(self.url) if self.url else Path(self.path)


@dataclass(frozen=True)
class Split:
    """Train, dev or a test set: per language the files that make it up, one after the other."""

    name: str
    files: dict[str, tuple[File, ...]]
    lines: int | None = None
    directions: tuple[str, ...] = ()  # of a test set that is for these only
    mtdata: tuple[str, ...] = ()  # ids, whose text comes before that of the files
    drawn: bool = False  # from train
    overlap: str = "remove"  # of a test set: "keep" where train is not cleaned of it

    def has(self, language: str) -> bool:
        """Return whether it has this language (mtdata ids have both of theirs, and so has what is drawn)."""
        return bool(self.mtdata) or self.drawn or language in self.files


@dataclass(frozen=True)
class Corpus:
    """A corpus of the catalogue. `definition` is what the catalogue says about it, as plain data."""

    name: str
    definition: Mapping[str, Any]
    tests: tuple[str, ...] | None = None  # the test sets in use; None for all

    def with_tests(self, names: Sequence[str]) -> Corpus:
        """Return this corpus with these test sets alone; the others are neither fetched nor read."""
        known = [split.name for split in self._all_splits() if split.name not in ("train", "dev")]
        check_known(f"test set of {self.name}", names, known)
        return replace(self, tests=tuple(names))

    @property
    def languages(self) -> list[str]:
        """Language codes, in the catalogue's order."""
        return list(self.definition["languages"])

    @property
    def generator(self) -> dict[str, int] | None:
        """Seed and sizes of the splits, for the corpus that the project generates itself."""
        return self.definition.get("generated")

    @property
    def held_out(self) -> dict[str, int]:
        """Pairs of dev and of test sets that are drawn from train, by split; all of them whatever tests are in use."""
        return {name: size for name, size in self.definition.get("held_out", {}).items() if name != "seed"}

    @property
    def held_out_seed(self) -> int:
        return int(self.definition.get("held_out", {}).get("seed", 1))

    @property
    def test_names(self) -> list[str]:
        """Names of the test sets that the definition names, in its order (none for a generated corpus)."""
        return [name for name in (*self.held_out, *self.definition.get("tests", {})) if name != "dev"]

    @property
    def cleaning(self) -> dict[str, Any]:
        """Options of cleaning that belong to the corpus; an experiment may override them."""
        return dict(self.definition.get("cleaning", {}))

    def pairs(self) -> list[str]:
        return ["-".join(pair) for pair in combinations(self.languages, 2)]

    def pair(self, source: str, target: str) -> str:
        """Return the name of a language pair, the same in both directions: in the catalogue's order."""
        check_known(f"language of {self.name}", (source, target), self.languages)
        if source == target:
            raise InputError(f"{self.name}: source and target are both {source}", allowed="two languages")
        return "-".join(sorted((source, target), key=self.languages.index))

    def splits(self, pair: str) -> dict[str, Split]:
        """Return the splits that have both languages of `pair`, train and dev first. Raises InputError if one lacks."""
        languages = self._languages_of(pair)
        used = None if self.tests is None else {"train", "dev", *self.tests}
        ordered = sorted(self._all_splits(), key=lambda split: ("train", "dev", split.name).index(split.name))
        taken = (split for split in ordered if used is None or split.name in used)
        splits = {split.name: split for split in taken if all(map(split.has, languages))}
        for name in ("train", "dev"):
            if name not in splits:
                raise InputError(f"{self.name} has no {name} files for {pair}", next_step=f"add them to {self.name}")
        return splits

    def test_sets(self, source: str, target: str) -> list[str]:
        """Return the names of the test sets of a direction, in the catalogue's order."""
        direction, splits = f"{source}-{target}", self.splits(self.pair(source, target))
        tests = [split for name, split in splits.items() if name not in ("train", "dev")]
        return [split.name for split in tests if direction in (split.directions or [direction])]

    def wanted_tests(self, source: str, target: str, *, wanted: Sequence[str] | None) -> list[str]:
        """Return the test sets of a direction that are among `wanted`; all of them for None."""
        return [name for name in self.test_sets(source, target) if wanted is None or name in wanted]

    def gold(self, pair: str) -> dict[str, tuple[File, ...]]:
        """Return the gold segmentation files of the languages of `pair` that have one (none for a generated one)."""
        given = self.definition.get("gold", {})
        return {lang: self._files(given[lang]) for lang in self._languages_of(pair) if lang in given}

    def gold_languages(self, pair: str) -> list[str]:
        """Return the languages of `pair` for which there is, or will be generated, a gold segmentation."""
        return self.languages[1:] if self.generator is not None else list(self.gold(pair))

    def files(self, pair: str) -> list[File]:
        """Return every file that a language pair needs."""
        languages = self._languages_of(pair)
        of_splits = (split.files.get(lang, ()) for split in self.splits(pair).values() for lang in languages)
        return [file for files in (*of_splits, *self.gold(pair).values()) for file in files]

    def for_pair(self, pair: str) -> dict[str, Any]:
        """Return the part of the definition on which the raw files of `pair` depend.

        A change elsewhere (another language, the citation, the cleaning) does not change it.
        """
        languages = self._languages_of(pair)

        def only(split: Mapping[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in split.items() if key in languages or key in SPLIT_KEYS}

        kept = {key: value for key, value in self.definition.items() if key not in (*PROSE, "cleaning")}
        kept |= {key: only(kept[key]) for key in ("train", "dev", "gold") if key in kept}
        if "tests" in kept:
            kept["tests"] = {name: only(split) for name, split in kept["tests"].items() if name in self.splits(pair)}
        return kept | {"languages": languages}

    def _languages_of(self, pair: str) -> list[str]:
        check_known(f"language pair of {self.name}", [pair], self.pairs())
        return pair.split("-")

    def _all_splits(self) -> Iterator[Split]:
        if self.generator is not None:
            yield from (Split(name, dict.fromkeys(self.languages, ())) for name in SPLITS)
            return
        given = {key: self.definition[key] for key in ("train", "dev") if key in self.definition}
        for name, split in (given | self.definition.get("tests", {})).items():
            yield Split(
                name,
                {key: self._files(value) for key, value in split.items() if key not in SPLIT_KEYS},
                split.get("lines"),
                tuple(split.get("directions", ())),
                tuple(split.get("mtdata", ())),
                overlap=split.get("overlap", "remove"),
            )
        yield from (Split(name, {}, drawn=True) for name in self.held_out)

    def _files(self, given: Any) -> tuple[File, ...]:
        return tuple(map(self._file, given if isinstance(given, list) else [given]))

    def _file(self, given: Any) -> File:
        if isinstance(given, str):
            return File(path=given)
        if "local" in given:
            return File(path=given["local"], sha256=given.get("sha256"))
        return File(url=urljoin(self.definition.get("base", ""), given["url"]), sha256=given["sha256"])
