"""HFT's pretokenization and its inverse: what the published sed scripts compute, for any Unicode text.

Each line becomes HFT tokens between single spaces. Words carry the delimiter ¦ on both sides, runs of other characters
stand alone and carry ▁ where the text had a space; capitals become lower case behind a mark (Signoroni & Rychlý 2022,
section 1 and figure 2; the marks for all-uppercase text are swapped in the figure).

>>> pretokenize(["The USA, in 2020: 1,000 e-mails!"])
['𐋇¦the¦ 𐊣¦usa¦𐊼 ,▁ ¦in¦ ¦2020¦ :▁ ¦1,000¦ ¦e-mails¦ !']
>>> detokenize("𐋇¦the¦ 𐊣¦usa¦𐊼 ,▁ ¦in¦ ¦2020¦ :▁ ¦1,000¦ ¦e-mails¦ !")
'The USA, in 2020: 1,000 e-mails!'

The script is a chain of substitutions; `subwords.core.hft_text` has them in their order. Time and memory are linear.

Not restored by `detokenize` (see `subwords.hft.escaping` for the way around): spaces other than single ones between
words, whitespace other than the space, the marks ¦ ▁ 𐋇 𐊣 𐊼 in the text, and capitals that are not the capital of their
small letter (İ, ẞ, the Kelvin sign, ...). It turns the words of an all-uppercase span, spaces included, into one span.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from subwords.hft.characters import pretokenizer, upper_letters
from subwords.segmenter import checked

DELIMITER, GAP, CAPITAL, CAPITALS, CAPITALS_END = "¦▁𐋇𐊣𐊼"


def pretokenize(lines: Sequence[str], *, joining: bool = True) -> list[str]:
    """Return the HFT tokens of each line, joined by single spaces.

    Without `joining`, e-mail and 1,000 are three tokens each: so did an earlier script of the authors (pary42/hftoks
    at 12f7ce2), whose output is in what the BPE of their figures was learned from.

    >>> pretokenize(["1,000 e-mails"], joining=False)
    ['¦1¦ , ¦000¦ ¦e¦ - ¦mails¦']
    """
    if not lines:
        return []
    text = "\n".join(checked(list(lines))).encode("utf-8")
    tokens: bytes = pretokenizer().pretokenize(text, False, joining)
    return tokens.decode("utf-8").split("\n")


def detokenize(tokens: str) -> str:
    """Return the text of a line of HFT tokens (spaces between tokens, or pieces, do not matter)."""
    text = tokens.replace(" ", "")
    text = text.replace(CAPITAL + DELIMITER, DELIMITER + CAPITAL).replace(CAPITALS + DELIMITER, DELIMITER + CAPITALS)
    text = text.replace(DELIMITER + CAPITALS_END, CAPITALS_END + DELIMITER)
    text = text.replace(DELIMITER * 2, " ").replace(DELIMITER, "").replace(GAP, " ")
    if CAPITALS in text:
        text = re.sub(f"{CAPITALS}([^{CAPITALS_END}]*){CAPITALS_END}", _upper, text)
    return re.sub(f"{CAPITAL}(.)", _upper, text, flags=re.DOTALL) if CAPITAL in text else text


def _upper(match: re.Match[str]) -> str:
    return match[1].translate(upper_letters())  # not str.upper, which makes two letters of some
