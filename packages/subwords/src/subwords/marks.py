"""The marks by which pieces become words again: `##` in front of a piece, or `@@` behind one.

`##` in front of a piece that continues a word, as in WordPiece, can be undone for every text. A word of the text may
itself begin with `##`; then its first piece is cut so that it does not: `##x` is written `# ### ##x`. `write` and
`read` are about this mark.

`@@` behind a piece that the word goes on after is subword-nmt's. Algorithms whose models are merges write it
(`subwords.merges.segmenter`); a word that ends in `@@` can be lost.

>>> write(["un", "do", "ing"])
'un ##do ##ing'
>>> read("un ##do ##ing it")
'undoing it'
>>> write(["##x"]), read(write(["##x"]))
('# ### ##x', '##x')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

CONTINUES = "##"
#: Ends each piece that does not end its word.
SEPARATOR = "@@"


def write(pieces: Sequence[str]) -> str:
    """Return the pieces of one word (joined, they are the word), each but the first marked, between single spaces."""
    if pieces and pieces[0].startswith(CONTINUES):
        pieces = [piece for piece in ("#", "#", pieces[0][len(CONTINUES) :], *pieces[1:]) if piece]
    return f" {CONTINUES}".join(pieces)


def read(line: str) -> str:
    """Return the text of a line of pieces."""
    return line.removeprefix(CONTINUES).replace(f" {CONTINUES}", "")


def both_forms(pieces: Iterable[str]) -> list[str]:
    """Return pieces as they are written at the start of a word and after it, in code-point order.

    >>> both_forms(["un", "do"])
    ['do', '##do', 'un', '##un']
    """
    return [form for piece in sorted(set(pieces)) for form in (piece, CONTINUES + piece)]
