"""Characters as pieces: the smallest vocabulary and the longest sequences.

Every character of a line is one piece, and a space is written `▁` (U+2581). `▁` itself, and every other character that
Unicode calls white space (no-break space, U+2028, tab, ...), is written as `▁` and its code point in hexadecimal, so
that no piece contains white space and nothing of the text is lost.

>>> model = Characters({"a": 2, "▁": 1, "b": 1})
>>> model.encode("a ba▁")
'a ▁ b a ▁2581'
>>> model.decode("a ▁ b a ▁2581")
'a ba▁'

The model file lists the alphabet, `piece<TAB>count` per line, most frequent first. It decides nothing: a character that
learning never saw is its own piece, too, and is counted.

Learning and encoding are linear in the number of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from subwords.counting import no_word
from subwords.files import read_lines
from subwords.frequencies import CountedPieces
from subwords.segmenter import check_size, checked, read_options

SPACE = "▁"
#: What str.isspace() holds for a space (fairseq splits pieces at these), apart from the space itself.
WHITE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)
_PIECES = {character: f"{SPACE}{ord(character):04X}" for character in WHITE + SPACE} | {" ": SPACE}
_CHARACTERS = {piece: character for character, piece in _PIECES.items()}
_ESCAPED = re.compile(f"[{re.escape(WHITE + SPACE)}]")


class Characters(CountedPieces):
    """See the module's docstring. `vocabulary` maps each piece that learning saw to its count."""

    algorithm = "char"
    summary = "every character is a piece; the space is ▁"
    size_counts = None
    reads = "raw"

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        super().__init__(vocabulary)
        self._seen = {_CHARACTERS.get(piece, piece) for piece in vocabulary}
        self._unseen = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None = None, **options: Any) -> Self:
        """Count the characters of the files. Raises InputError when a size is given, or when there is no text."""
        read_options(cls, options)
        check_size(cls, size)
        counts: Counter[str] = Counter()
        for path in texts:
            for line in read_lines(path):
                counts.update(line)
        if not counts:
            raise no_word(texts)
        return cls({_PIECES.get(character, character): count for character, count in counts.items()})

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        return [self._encode(line) for line in checked(lines)]

    def _encode(self, line: str) -> str:
        if not self._seen.issuperset(line):
            self._unseen += sum(character not in self._seen for character in line)
        if _ESCAPED.search(line):
            return " ".join([_PIECES.get(character, character) for character in line])
        return " ".join(line.replace(" ", SPACE))

    def decode(self, pieces: str) -> str:
        return "".join([_CHARACTERS.get(piece, piece) for piece in pieces.split(" ")])

    def counts(self) -> dict[str, int]:
        unseen, self._unseen = self._unseen, 0
        return {"characters that learning never saw": unseen} if unseen else {}
