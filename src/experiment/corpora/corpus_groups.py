"""Corpora that are groups of others: many languages into one, for a single model (`group` in a corpus definition).

A group has the pair many-LANG. Its train and dev are those of its members, one after the other, and it has one test set
for each member, named by the member's language. Its text is put together from what cleaning and tokenization made of
the members, so that each language is treated by its own rules (`experiment.corpora.gathering`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiment.corpora.corpus import Corpus, File, Split
from subwords.errors import InputError, check_known

#: The code for the languages of all members.
MANY = "many"


def scored_direction(direction: str, testset: str) -> str:
    """Return the direction in which a test set is translated: in a group, that of the member it is named after.

    >>> scored_direction("many-en", "de"), scored_direction("de-en", "news")
    ('de-en', 'de-en')
    """
    source, _, target = direction.partition("-")
    return f"{testset}-{target}" if source == MANY else direction


@dataclass(frozen=True)
class Member:
    """What a group takes from one of its corpora: a pair, and a test set."""

    language: str
    corpus: Corpus
    pair: str
    test: str


@dataclass(frozen=True)
class Group(Corpus):
    """A corpus whose definition has `group` and `into`. `with_members` finds its `members`."""

    members: tuple[Member, ...] = ()

    @property
    def into(self) -> str:
        """The language that all members are translated into."""
        return str(self.definition["into"])

    @property
    def languages(self) -> list[str]:
        return [MANY, self.into]

    def with_tests(self, names: Sequence[str]) -> Corpus:
        """Return the group as it is: all its test sets take part in the search for overlap."""
        return self

    def pair(self, source: str, target: str) -> str:
        """Return many-LANG. Raises InputError for the other direction: a model cannot choose the language."""
        pair = super().pair(source, target)
        if source != MANY:
            raise InputError(
                f"{self.name} is a group: it is translated from many languages into {self.into}, not {source}-{target}",
                allowed=pair,
            )
        return pair

    def splits(self, pair: str) -> dict[str, Split]:
        self._languages_of(pair)
        return {name: Split(name, {}) for name in ("train", "dev", *(member.language for member in self.members))}

    def test_sets(self, source: str, target: str) -> list[str]:
        self.pair(source, target)
        return [member.language for member in self.members]

    def wanted_tests(self, source: str, target: str, *, wanted: Sequence[str] | None) -> list[str]:
        """Return the test sets that are wanted: by their language, or by the name that they have in the member."""
        found = self.test_sets(source, target)
        tests = {member.language: member.test for member in self.members}
        return [name for name in found if wanted is None or name in wanted or tests[name] in wanted]

    def gold(self, pair: str) -> dict[str, tuple[File, ...]]:
        return {}

    def files(self, pair: str) -> list[File]:
        """Return every file that the members need."""
        self._languages_of(pair)
        return [file for member in self.members for file in member.corpus.files(member.pair)]


def with_members(corpus: Corpus, known: Mapping[str, Corpus], where: str) -> Corpus:
    """Return a group with its members, looked up in `known`; any other corpus as it is.

    `where` is what errors call the file. Raises InputError for a member that does not exist, lacks a language or a test
    set, is a group itself, or has the text of another one.
    """
    if not isinstance(corpus, Group):
        return corpus
    where = f"{where}: {corpus.name}"
    named = corpus.definition["group"].items()
    members = tuple(_member(corpus, language, name, known, where) for language, name in named)
    texts: dict[Any, Member] = {}
    for member in members:
        first = texts.setdefault(_text(member), member)
        if first is not member:
            names = f"{first.corpus.name} and {member.corpus.name}"
            raise InputError(
                f"{where}: {first.language} and {member.language} have the same text ({names})",
                allowed="another corpus for each language",
            )
    return replace(corpus, members=members)


def _member(group: Group, language: str, name: str, known: Mapping[str, Corpus], where: str) -> Member:
    check_known(f"corpus for {language} in {where}", [name], known, next_step="describe it beside the group")
    corpus = known[name]
    if isinstance(corpus, Group):
        raise InputError(f"{where}: {name} is a group, too", allowed="corpora that have text of their own")
    wanted = (language, group.into)
    check_known(f"language of {name}, which {where} takes from it,", wanted, corpus.languages)
    if language == group.into:
        raise InputError(f"{where}: {language} cannot be translated into itself", allowed="other languages in `group`")
    test = _test_set(group, corpus, language, where)
    return Member(language, corpus.with_tests([test]), corpus.pair(language, group.into), test)


def _test_set(group: Group, corpus: Corpus, language: str, where: str) -> str:
    """Return the test set of a member: the one that the group names, else `test`, else the only one."""
    found = corpus.test_sets(language, group.into)
    wanted = group.definition.get("test", "test")
    if wanted in found:
        return str(wanted)
    if "test" in group.definition or len(found) != 1:
        raise InputError(
            f"{where}: {corpus.name} has no test set called {wanted} for {language}-{group.into}",
            allowed=", ".join(found) or "(none)",
            next_step="name one in `test` of the group",
        )
    return found[0]


def _text(member: Member) -> Any:
    """Return what is the same for two members only if their texts are."""
    if member.corpus.generator is not None:
        return str(sorted(member.corpus.generator.items()))
    split = member.corpus.splits(member.pair)["train"]
    return split.mtdata, split.files.get(member.language)
