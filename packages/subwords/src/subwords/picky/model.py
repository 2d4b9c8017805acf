"""Picky BPE: merges and removals, applied to words in their order.

A word is at first `▁` and its characters. How merges and removals are learned, `subwords.picky.learning` says. They are
events in one order, and a word is segmented by going through them; a word that is a piece of the vocabulary as a whole
is that piece.

>>> model = PickyBPE("▁low", [Event("lo", ("l", "o"), True), Event("low", ("lo", "w"), True)])
>>> model.encode("low lo")
'▁ low ▁ lo'
>>> PickyBPE(model.characters, [*model.events, Event("lo", ("l", "o"), False)]).encode("low lo")
'▁ low ▁ l o'

`size` counts the pieces that are in the vocabulary in the end, and four special entries, as the authors' program does.
Equally frequent pairs: the one that comes first by code points. There it depends on addresses in memory, so that two
runs of it differ. `coverage` below 1 leaves the rarest characters out (there 0.9999); where the text has one that the
vocabulary has not, it is a piece all the same (`unknown=character`) or `<UNK>` (`unknown=mark`, as there).

`variant=reference` counts as the program does, which departs from exact counts where a merge gives a piece that its
word has already (pairs next to the older one are counted again), and where a merge gives a piece that is in the
vocabulary (it is counted as a new one, so that the vocabulary ends smaller than asked). The program also removes all
characters where `coverage` is below 1 and even the rarest character is too frequent to go; here none is removed then.

Words are what single spaces separate, runs of spaces become one, and `▁` in the text decodes as a space. The model file
is the program's JSON, without its frequencies. Learning takes time for the words that a merge changes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import read_bytes, write_whole
from subwords.merges.codes import replaced
from subwords.picky.learning import SPECIAL, Event, PickyText
from subwords.segmenter import (
    Parameter,
    WordSegmenter,
    check_least,
    check_size,
    read_options,
    warn_of_fewer,
)

SPACE = "▁"
UNKNOWN = "<UNK>"


class PickyBPE(WordSegmenter):
    """See the module's docstring."""

    algorithm = "picky-bpe"
    summary = "BPE that removes pieces hardly used outside longer ones (Chizhov et al. 2024)"
    size_counts = "entries of the vocabulary (pieces, characters, <PAD>, <UNK>, <BOS>, <EOS>)"
    reads = "raw"
    unknown_marks = frozenset({UNKNOWN})
    loses = "characters outside the vocabulary"
    kept_options = ("unknown",)
    parameters = (
        Parameter("threshold", 0.9, "a piece is removed when more than this share of it goes into a longer one"),
        Parameter("coverage", 1.0, "share of the text's characters that enter the vocabulary"),
        Parameter("variant", "paper", "exact counts, or those of the authors' program", ("paper", "reference")),
        Parameter("unknown", "character", "how an unknown character is written", ("character", "mark"), stage="encode"),
    )

    def __init__(self, characters: Sequence[str], events: Sequence[Event], unknown: str = "character") -> None:
        self.characters, self.events, self.unknown = list(characters), list(events), unknown
        self._known = frozenset(characters)
        self.present = set(characters)
        #: what can happen to a pair or a piece, and when
        self._merges: dict[tuple[str, ...], list[int]] = {}
        self._removals: dict[str, list[int]] = {}
        for number, event in enumerate(self.events):
            if event.merged:
                self._merges.setdefault(event.parts, []).append(number)
                self.present.add(event.piece)
            else:
                self._removals.setdefault(event.piece, []).append(number)
                self.present.discard(event.piece)

    @classmethod
    def comes_back_as(cls, line: str) -> str:
        return line.replace(SPACE, " ")

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` entries, or fewer (with a warning). Raises InputError for a size below the alphabet."""
        chosen = read_options(cls, options)
        wanted = check_size(cls, size)
        for name in ("threshold", "coverage"):
            if not 0 < chosen[name] <= 1:
                raise InputError(f"{name}={chosen[name]} cannot be used", allowed="above 0, up to 1")
        words = {SPACE + word: count for word, count in count_words(texts).items()}
        text = PickyText(words, chosen["coverage"], chosen["variant"] == "reference")
        check_least(cls, wanted, text.size, "the alphabet of the text")
        text.learn(wanted, chosen["threshold"])
        warn_of_fewer(cls, text.size, wanted, "no pair is left")
        return cls(text.characters, text.events, chosen["unknown"])

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        given, content = read_options(cls, options, "encode"), read_bytes(path)
        try:
            model = json.loads(content)
            characters = [token["str"] for token in model["tokens"] if len(token["str"]) == 1]
            numbered = [
                (merge["id"], Event(merge["new_token"]["str"], tuple(part["str"] for part in merge["pair"]), True))
                for merge in model["merges"]
            ] + [
                (split["id"], Event(split["token"]["str"], tuple(part["str"] for part in split["split"]), False))
                for split in model["splits"]
            ]
            events = [event for _, event in sorted(numbered)]
            if any(len(parts) < 2 or not all(parts) or "".join(parts) != piece for piece, parts, _ in events):
                raise ValueError
            return cls(characters, events, **given)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                f"{path} is no model of Picky BPE",
                allowed="JSON with tokens, and with merges and splits whose parts spell their piece",
                next_step="subwords learn picky-bpe",
            ) from None

    def write(self, path: Path) -> None:
        made = {event.piece: event.parts for event in reversed(self.events) if event.merged}  # the first time
        numbers = {piece: number for number, piece in enumerate([*SPECIAL, *self.characters])}
        for event in self.events:
            numbers.setdefault(event.piece, len(numbers))

        def token(piece: str) -> dict[str, Any]:
            return {"id": numbers[piece], "str": piece}

        tokens = []
        for piece, number in numbers.items():
            left, right = made.get(piece, (None, None)) if number >= len(SPECIAL) else (None, None)
            present = number < len(SPECIAL) or piece in self.present
            tokens.append(
                token(piece)
                | {"freq": 0, "special": number < len(SPECIAL), "present": present}
                | {"left": left and numbers[left], "right": right and numbers[right], "split": [number]}
            )
        kept = [entry["id"] for entry in tokens if entry["present"]]
        model = {
            "tokens": tokens,
            "id2int": {number: place for place, number in enumerate(kept)},
            "int2id": dict(enumerate(kept)),
            "merges": [
                {"id": number, "pair": [token(part) for part in event.parts], "new_token": token(event.piece)}
                for number, event in enumerate(self.events)
                if event.merged
            ],
            "splits": [
                {"id": number, "token": token(event.piece), "split": [token(part) for part in event.parts]}
                for number, event in enumerate(self.events)
                if not event.merged
            ],
        }
        write_whole(path, json.dumps(model, ensure_ascii=False, separators=(",", ":")) + "\n")

    def segment_words(self, words: Sequence[str]) -> list[str]:
        return [" ".join(self._segment(SPACE + word)) for word in words]

    def _segment(self, word: str) -> list[str]:
        if word in self.present:
            return [word]
        units: list[str] = list(word)
        if self.unknown == "mark":
            units = [character if character in self._known else UNKNOWN for character in word]
        now = 0
        while True:
            pairs = {(units[n], units[n + 1]) for n in range(len(units) - 1)}
            coming: list[tuple[int, tuple[str, ...]]] = [
                (at, pair) for pair in pairs if (at := _next(self._merges.get(pair), now)) is not None
            ]
            coming += [(at, (unit,)) for unit in {*units} if (at := _next(self._removals.get(unit), now)) is not None]
            if not coming:
                return units
            now, old = min(coming)
            event = self.events[now]
            units = replaced(units, old, (event.piece,) if event.merged else event.parts)

    def decode(self, pieces: str) -> str:
        return pieces.replace(" ", "").replace(SPACE, " ").removeprefix(" ")

    def missed(self, word: str, pieces: str) -> int:
        return sum(character not in self._known for character in word)

    def known_pieces(self) -> list[str]:
        return sorted(self.present)

    def reached(self) -> int:
        return len(SPECIAL) + len(self.present)


def _next(numbers: Sequence[int] | None, now: int) -> int | None:
    """Return the first of some event numbers (in order) that is `now` or later."""
    place = bisect_left(numbers, now) if numbers else 0
    return numbers[place] if numbers and place < len(numbers) else None
