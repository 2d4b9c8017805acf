"""HFT's pretokenization and its inverse: what the published sed scripts compute, for any Unicode text.

Each line becomes HFT tokens between single spaces. Words carry the delimiter ¦ on both sides, runs of other characters
stand alone and carry ▁ where the text had a space; capitals become lower case behind a mark (Signoroni & Rychlý 2022,
section 1 and figure 2; the marks for all-uppercase text are swapped in the figure).

>>> pretokenize(["The USA, in 2020: 1,000 e-mails!"])
['𐋇¦the¦ 𐊣¦usa¦𐊼 ,▁ ¦in¦ ¦2020¦ :▁ ¦1,000¦ ¦e-mails¦ !']
>>> detokenize("𐋇¦the¦ 𐊣¦usa¦𐊼 ,▁ ¦in¦ ¦2020¦ :▁ ¦1,000¦ ¦e-mails¦ !")
'The USA, in 2020: 1,000 e-mails!'

The script is a chain of substitutions, and the order of the functions below is its order. Lines are joined and worked
on together as one array of code points, in which LF takes the part of a line's ends. Time and memory are linear.

Not restored by `detokenize` (see `subwords.hft.escaping` for the way around): spaces other than single ones between
words, whitespace other than the space, the marks ¦ ▁ 𐋇 𐊣 𐊼 in the text, and capitals that are not the capital of their
small letter (İ, ẞ, the Kelvin sign, ...). It turns the words of an all-uppercase span, spaces included, into one span.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from subwords.compiled import compiled
from subwords.hft.characters import (
    ALNUM,
    ALPHA,
    DIGIT,
    LOWER,
    SPACE,
    UPPER,
    WORD,
    Characters,
    characters,
    upper_letters,
)
from subwords.hft.codes import Codes, to_codes, to_lines

DELIMITER, GAP, CAPITAL, CAPITALS, CAPITALS_END = "¦▁𐋇𐊣𐊼"
_DELIMITER, _GAP, _CAPITAL, _CAPITALS, _CAPITALS_END = map(ord, "¦▁𐋇𐊣𐊼")
_VIRAMA = 0x094D  # the Devanagari one, and no other script's
_LF, _BLANK, _HYPHEN, _DOT, _SLASH = map(ord, "\n -./")


def pretokenize(lines: Sequence[str], *, joining: bool = True) -> list[str]:
    """Return the HFT tokens of each line, joined by single spaces.

    Without `joining`, e-mail and 1,000 are three tokens each: so did an earlier script of the authors (pary42/hftoks
    at 12f7ce2), whose output is in what the BPE of their figures was learned from.

    >>> pretokenize(["1,000 e-mails"], joining=False)
    ['¦1¦ , ¦000¦ ¦e¦ - ¦mails¦']
    """
    if not lines:
        return []
    return to_lines(pretokenize_codes(to_codes(lines), characters(), joining))


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


@compiled
def pretokenize_codes(text: Codes, chars: Characters, joining: bool = True) -> Codes:
    """Return the pretokenized text of lines between LFs; `joining` as in `pretokenize`."""
    text = _mark_spans_of_capitals(text, chars)
    _give_back_capital(text, chars)
    _end_span_at_letter(text, chars)
    text = _mark_capitals_and_squeeze_spaces(text, chars)
    text = _separate_words(text, chars)
    return _delimit_and_join(text, chars, joining)


@compiled
def _mark_spans_of_capitals(text: Codes, chars: Characters) -> Codes:
    """Two capitals and all that follows up to the next small letter, lowered between 𐊣 and 𐊼.

    GNU sed's \\L stops at a NUL: what follows it in the span stays as it is, here too.
    """
    classes, lower = chars.classes, chars.lower
    out = np.empty(2 * text.size, np.uint32)
    size, i = 0, 0
    while i < text.size:
        if not classes[text[i]] & UPPER or i + 1 == text.size or not classes[text[i + 1]] & UPPER:
            out[size] = text[i]
            size += 1
            i += 1
            continue
        out[size] = _CAPITALS
        size += 1
        two, lowers = i + 2, True
        while i < text.size and text[i] != _LF and (i < two or not classes[text[i]] & LOWER):
            lowers = lowers and text[i] != 0
            out[size] = lower[text[i]] if lowers else text[i]
            size += 1
            i += 1
        out[size] = _CAPITALS_END
        size += 1
    return out[:size]


@compiled
def _give_back_capital(text: Codes, chars: Characters) -> None:
    """A letter alone before 𐊼 was the capital of the next word: after 𐊼, in upper case."""
    classes, upper = chars.classes, chars.upper
    taken = -1  # the last position that a match has used
    for i in range(1, text.size):
        if text[i] == _CAPITALS_END and i - 1 > taken and classes[text[i - 1]] & ALPHA:
            if i > 1 and classes[text[i - 2]] & WORD:
                continue
            text[i - 1], text[i] = _CAPITALS_END, upper[text[i - 1]]
            taken = i


@compiled
def _end_span_at_letter(text: Codes, chars: Characters) -> None:
    """Move 𐊼 before the characters in front of it that are no letters."""
    after = 0  # the last match
    for i in range(text.size):
        if text[i] == _CAPITALS_END:
            start = i
            while start > after and text[start - 1] != _LF and not chars.classes[text[start - 1]] & ALPHA:
                text[start] = text[start - 1]
                start -= 1
            text[start] = _CAPITALS_END
            after = i + 1


@compiled
def _mark_capitals_and_squeeze_spaces(text: Codes, chars: Characters) -> Codes:
    """𐋇 and the small letter for every capital that is left; one space for whitespace, none at a line's ends."""
    classes, lower = chars.classes, chars.lower
    out = np.empty(2 * text.size, np.uint32)
    size, before = 0, np.uint32(_LF)
    for code in text:
        class_ = classes[code]
        if class_ & UPPER:
            out[size] = _CAPITAL
            size += 1
            code = lower[code]
        elif class_ & SPACE:
            if code == _LF:
                size -= before == _BLANK
            elif before in (_BLANK, _LF):
                continue
            else:
                code = np.uint32(_BLANK)
        out[size] = before = code
        size += 1
    return out[: size - (before == _BLANK)]


@compiled
def _separate_words(text: Codes, chars: Characters) -> Codes:
    """A space wherever a word begins or ends, one only where a single space was; any other space becomes ▁.

    In the script this is three substitutions: ¦ is inserted at all word boundaries, "¦ ¦" becomes ¦, and then ¦
    becomes a space while the space becomes ▁. So a ¦ of the text takes part as if it were a boundary.
    """
    classes = chars.classes
    out = np.empty(2 * text.size + 1, np.uint32)
    size, i, before = 0, 0, 0
    while i < text.size:
        code, word = text[i], classes[text[i]] & WORD
        boundary = word != before
        before = word
        if boundary:
            out[size] = _BLANK
            size += 1
        if code == _DELIMITER:
            out[size] = _BLANK
            size += 1
            boundary = True
            i += 1
            if i == text.size or text[i] != _BLANK:
                continue
            code = text[i]
        i += 1
        if code != _BLANK:
            out[size] = code
            size += 1
        elif boundary and i < text.size and (classes[text[i]] & WORD or text[i] == _DELIMITER):
            # "¦ ¦": the second ¦ is used up, be it of the text or the beginning of a word
            before = classes[text[i]] & WORD
            i += text[i] == _DELIMITER
        else:
            out[size] = _GAP
            size += 1
    if before:
        out[size] = _BLANK
        size += 1
    return out[:size]


@compiled
def _delimit_and_join(text: Codes, chars: Characters, joining: bool) -> Codes:
    """¦ around each word, a mark of capitals outside; words with one character between them that joins them as one.

    Lines lose one space at each end. Joined are: words around a virama (not a letter for the C library, but inside
    words), digits around any character (1,000; twice in the script, so that 1,2,3 is joined, too), and letters or
    digits around - . and / (e-mail; once in the script, so that a-b-c becomes ¦a-b¦ - ¦c¦: b is used up).
    """
    classes = chars.classes
    out = np.empty(3 * text.size, np.uint32)
    size, i, used = 0, 0, -1
    while i < text.size:
        if not classes[text[i]] & WORD:
            at_end = i == 0 or text[i - 1] == _LF or i + 1 == text.size or text[i + 1] == _LF
            if text[i] != _BLANK or not at_end:
                out[size] = text[i]
                size += 1
            i += 1
            continue
        start = size
        out[start] = _DELIMITER
        size += 1
        while i < text.size and classes[text[i]] & WORD:
            out[size] = text[i]
            size += 1
            i += 1
            joined = _joined_by(text, i, chars, used != i - 1) if joining else 0
            if joined:
                out[size] = text[i + 1]
                size += 1
                i += 3
                used = i if joined == ALNUM else -1
        out[size] = _DELIMITER
        size += 1
        for mark in (_CAPITAL, _CAPITALS):
            if out[start + 1] == mark:
                out[start], out[start + 1] = mark, _DELIMITER
                start += 1
        if out[size - 2] == _CAPITALS_END:
            out[size - 2], out[size - 1] = _DELIMITER, _CAPITALS_END
    return out[:size]


@compiled
def _joined_by(text: Codes, i: int, chars: Characters, unused: bool) -> int:
    """Say why a character between spaces at i joins the words on its sides: WORD (virama), DIGIT, ALNUM, or 0 (not)."""
    if i + 3 >= text.size or text[i] != _BLANK or text[i + 2] != _BLANK or text[i + 1] == _LF:
        return 0
    left, joiner, right = chars.classes[text[i - 1]], text[i + 1], chars.classes[text[i + 3]]
    if chars.classes[joiner] & WORD or not right & WORD:
        return 0
    if joiner == _VIRAMA:
        return WORD
    if left & right & DIGIT:
        return DIGIT
    if unused and joiner in (_HYPHEN, _DOT, _SLASH):
        return ALNUM if left & ALNUM and right & ALNUM else 0
    return 0
