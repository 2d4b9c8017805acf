"""The catalogue of corpora: definitions read and checked, before anything is fetched."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from experiment import schema
from experiment.corpora.corpus import Corpus, Split
from experiment.corpora.corpus_groups import Group
from experiment.corpora.download import check_url
from experiment.yamlfiles import read_mapping
from subwords.errors import InputError, unknown

CATALOGUE = schema.ROOT / "config" / "corpora.yaml"


@cache
def read_catalogue(path: Path = CATALOGUE) -> dict[str, Corpus]:
    """Return the corpora of a catalogue file by name. Raises InputError for anything that is not as described.

    It is read once; callers must not change it.
    """
    return corpora(read_mapping(path, next_step="correct the catalogue"), str(path))


def corpora(document: Any, where: str) -> dict[str, Corpus]:
    """Return the corpora of a catalogue given as data; `where` is what errors call it."""
    schema.check(document, "corpora", where)
    found = {name: (Group if "group" in given else Corpus)(name, given) for name, given in document.items()}
    for corpus in found.values():
        _check(corpus, where)
    return found


def _check(corpus: Corpus, where: str) -> None:
    """Raise InputError for what a schema cannot say."""
    if corpus.generator is not None and len(corpus.languages) != 2:
        raise InputError(
            f"{where}: {corpus.name} is generated, and has the languages {', '.join(corpus.languages)}",
            allowed="two languages: the English-like source and the morphologically rich target",
        )
    directions = ["-".join(pair) for pair in permutations(corpus.languages, 2)]
    for split in corpus._all_splits():
        named = [("language", name, corpus.languages) for name in split.files]
        for kind, name, allowed in [*named, *(("direction", name, directions) for name in split.directions)]:
            if name not in allowed:
                raise InputError(f"{where}: {corpus.name}: {unknown(f'{kind} of {split.name}', name, allowed)}")
        lacking = [language for language in corpus.languages if language not in split.files]
        if split.mtdata and split.files and lacking:
            raise InputError(
                f"{where}: {corpus.name}.{split.name} has mtdata ids, and files that lack {', '.join(lacking)}",
                allowed="files for every language beside mtdata ids, or none",
            )
        if not split.drawn and split.name in corpus.held_out:
            raise InputError(
                f"{where}: {corpus.name}.{split.name} has both files and lines held out of train",
                allowed="one of the two",
            )
        _check_files(corpus.name, split)


def _check_files(corpus: str, split: Split) -> None:
    used: dict[str, str] = {}
    for language, file in ((language, file) for language, files in split.files.items() for file in files):
        if file.url:
            check_url(file.url)
        place = file.url or file.path
        if used.setdefault(place, language) != language:
            raise InputError(
                f"{corpus}.{split.name}: {used[place]} and {language} have the same file {place}",
                allowed="one file per language",
            )
