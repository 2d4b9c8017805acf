"""HFT's pretokenization of UTF-8 text (see `subwords.hft.pretokenization`).

The published script is a chain of substitutions, and the order of the functions is its order. The lines of a block are
worked on together as code points, with line feeds in the place of a line's ends. Time and memory are linear.
"""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import uint32_t
from cython.cimports.libcpp import bool as boolean
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.hft_text import Codes
from cython.cimports.subwords.core.table import Table, find_pair

CODE_POINTS = cython.declare(uint32_t, 0x110000)

#: One bit for each class of characters.
UPPER = cython.declare(cython.uchar, 1)
LOWER = cython.declare(cython.uchar, 2)
ALPHA = cython.declare(cython.uchar, 4)
DIGIT = cython.declare(cython.uchar, 8)
SPACE = cython.declare(cython.uchar, 16)
WORD = cython.declare(cython.uchar, 32)
ESCAPED = cython.declare(cython.uchar, 64)
ALNUM = cython.declare(cython.uchar, 12)

DELIMITER = cython.declare(uint32_t, 0xA6)  # ¦
GAP = cython.declare(uint32_t, 0x2581)  # ▁
CAPITAL = cython.declare(uint32_t, 0x102C7)  # 𐋇
CAPITALS = cython.declare(uint32_t, 0x102A3)  # 𐊣
CAPITALS_END = cython.declare(uint32_t, 0x102BC)  # 𐊼
VIRAMA = cython.declare(uint32_t, 0x94D)  # the Devanagari one, and no other script's
LF = cython.declare(uint32_t, 10)
BLANK = cython.declare(uint32_t, 32)


@cython.final
@cython.cclass
class Pretokenizer:
    """Character classes and case conversions, and the pretokenization that needs them."""

    def __cinit__(self):
        self.classes.resize(CODE_POINTS, 0)
        self.lower.resize(CODE_POINTS)
        self.upper.resize(CODE_POINTS)
        code: uint32_t
        for code in range(CODE_POINTS):
            self.lower[code] = self.upper[code] = code
        self.escaped = Table()

    def mark(self, class_: cython.uchar, first: uint32_t, last: uint32_t, step: uint32_t) -> None:
        """Put code points into a class."""
        code: uint32_t
        for code in range(first, last + 1, step):
            self.classes[code] |= class_
            if class_ & ALNUM:  # what glibc's \\b calls a word character: alnum and the underscore
                self.classes[code] |= WORD

    def convert(self, upper: boolean, difference: cython.int, first: uint32_t, last: uint32_t, step: uint32_t) -> None:
        """Give code points their upper or lower case."""
        code: uint32_t
        for code in range(first, last + 1, step):
            if upper:
                self.upper[code] = code + difference
            else:
                self.lower[code] = code + difference

    def character_classes(self) -> bytes:
        """Return the class bits of every code point, from 0 on."""
        return bytes([class_ & ~ESCAPED for class_ in self.classes])

    def upper_letters(self) -> dict[int, int]:
        """Return the code points that have another upper case, with it."""
        code: uint32_t
        return {code: self.upper[code] for code in range(CODE_POINTS) if self.upper[code] != code}

    def lost_capitals(self) -> dict[str, str]:
        """Return the capitals that are not the capital of their small letter, with that."""
        code: uint32_t
        return {
            chr(code): chr(self.lower[code])
            for code in range(CODE_POINTS)
            if self.classes[code] & UPPER and self.upper[self.lower[code]] != code
        }

    def lost_spaces(self) -> list[str]:
        """Return the white space that is neither the space nor a line feed."""
        code: uint32_t
        return [chr(code) for code in range(CODE_POINTS) if self.classes[code] & SPACE and code not in (LF, BLANK)]

    def escape(self, escapes: dict) -> None:
        """Say which characters `pretokenize` writes as others, and as which, where it is asked to."""
        if self.written.size():
            return  # they have been said
        for character, written in sorted(escapes.items()):
            self.classes[ord(character)] |= ESCAPED
            self.escaped.add_pair(ord(character), 0)
            letters: Codes
            for letter in written:
                letters.push_back(ord(letter))
            self.written.push_back(letters)
            letters.clear()

    def pretokenize(self, text: bytes, escaping: boolean, joining: boolean = True) -> bytes:
        """Return the HFT tokens of lines, between single spaces."""
        out: vector[cython.char]
        place: cython.p_const_char = text
        size: cython.size_t = len(text)
        a: Codes
        b: Codes
        with cython.nogil:
            self.read(place, size, escaping, a)
            self.mark_spans(a, b)
            self.give_back_capital(b)
            self.end_span_at_letter(b)
            self.mark_capitals(b, a)
            self.separate_words(a, b)
            self.delimit_and_join(b, joining, a)
            _write(cython.address(a), cython.address(out))
        return PyBytes_FromStringAndSize(out.data(), out.size())

    def read(self, text, size, escaping, out):
        """Write the code points of a text, escaped or as they are."""
        out.clear()
        out.reserve(size)
        i: cython.size_t = 0
        while i < size:
            lead: uint32_t = cython.cast(cython.uchar, text[i])
            code: uint32_t = lead
            more: cython.size_t = 0 if lead < 0x80 else 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
            if more:
                code = lead & (0x3F >> more)
            i += 1
            while more and i < size:
                code = code << 6 | (cython.cast(cython.uchar, text[i]) & 0x3F)
                i += 1
                more -= 1
            if code >= CODE_POINTS:
                code = 0xFFFD
            if escaping and self.classes[code] & ESCAPED:
                letters: cython.pointer(Codes) = cython.address(self.written[find_pair(self.escaped, code, 0)])
                out.insert(out.end(), letters.begin(), letters.end())
            else:
                out.push_back(code)
        return 0

    def mark_spans(self, text, out):
        """Two capitals and all that follows up to the next small letter, lowered between 𐊣 and 𐊼.

        GNU sed's \\L stops at a NUL: what follows it in the span stays as it is, here too.
        """
        out.clear()
        out.reserve(text.size() + text.size() // 8)
        i: cython.size_t = 0
        while i < text.size():
            if not (self.classes[text[i]] & UPPER and i + 1 < text.size() and self.classes[text[i + 1]] & UPPER):
                out.push_back(text[i])
                i += 1
                continue
            out.push_back(CAPITALS)
            two: cython.size_t = i + 2
            lowers: boolean = True
            while i < text.size() and text[i] != LF and (i < two or not self.classes[text[i]] & LOWER):
                lowers = lowers and text[i] != 0
                out.push_back(self.lower[text[i]] if lowers else text[i])
                i += 1
            out.push_back(CAPITALS_END)
        return 0

    def give_back_capital(self, text):
        """A letter alone before 𐊼 was the capital of the next word: after 𐊼, in upper case."""
        free: cython.size_t = 0  # the first position that no match has used
        i: cython.size_t
        for i in range(1, text.size()):
            if text[i] == CAPITALS_END and i - 1 >= free and self.classes[text[i - 1]] & ALPHA:
                if i > 1 and self.classes[text[i - 2]] & WORD:
                    continue
                letter: uint32_t = self.upper[text[i - 1]]
                text[i - 1] = CAPITALS_END
                text[i] = letter
                free = i + 1
        return 0

    def end_span_at_letter(self, text):
        """Move 𐊼 before the characters in front of it that are no letters."""
        after: cython.size_t = 0  # the last match
        i: cython.size_t
        for i in range(text.size()):
            if text[i] == CAPITALS_END:
                start: cython.size_t = i
                while start > after and text[start - 1] != LF and not self.classes[text[start - 1]] & ALPHA:
                    text[start] = text[start - 1]
                    start -= 1
                text[start] = CAPITALS_END
                after = i + 1
        return 0

    def mark_capitals(self, text, out):
        """𐋇 and the small letter for every capital that is left; one space for white space, none at a line's ends."""
        out.clear()
        out.reserve(text.size() + text.size() // 8)
        before: uint32_t = LF
        i: cython.size_t
        for i in range(text.size()):
            code: uint32_t = text[i]
            class_: cython.uchar = self.classes[code]
            if class_ & UPPER:
                out.push_back(CAPITAL)
                code = self.lower[code]
            elif class_ & SPACE:
                if code == LF:
                    if before == BLANK:
                        out.pop_back()
                elif before == BLANK or before == LF:
                    continue
                else:
                    code = BLANK
            out.push_back(code)
            before = code
        if before == BLANK:
            out.pop_back()
        return 0

    def separate_words(self, text, out):
        """A space wherever a word begins or ends, one only where a single space was; any other space becomes ▁.

        In the script this is three substitutions: ¦ is inserted at all word boundaries, "¦ ¦" becomes ¦, and then ¦
        becomes a space while the space becomes ▁. So a ¦ of the text takes part as if it were a boundary.
        """
        out.clear()
        out.reserve(text.size() + text.size() // 2)
        i: cython.size_t = 0
        before: cython.uchar = 0
        while i < text.size():
            code: uint32_t = text[i]
            word: cython.uchar = self.classes[code] & WORD
            boundary: boolean = word != before
            before = word
            if boundary:
                out.push_back(BLANK)
            if code == DELIMITER:
                out.push_back(BLANK)
                boundary = True
                i += 1
                if i == text.size() or text[i] != BLANK:
                    continue
                code = text[i]
            i += 1
            if code != BLANK:
                out.push_back(code)
            elif boundary and i < text.size() and (self.classes[text[i]] & WORD or text[i] == DELIMITER):
                # "¦ ¦": the second ¦ is used up, be it of the text or the beginning of a word
                before = self.classes[text[i]] & WORD
                if text[i] == DELIMITER:
                    i += 1
            else:
                out.push_back(GAP)
        if before:
            out.push_back(BLANK)
        return 0

    def delimit_and_join(self, text, joining, out):
        """¦ around each word, a mark of capitals outside; words with one character between them that joins them as one.

        Lines lose one space at each end. Joined are: words around a virama (not a letter for the C library, but inside
        words), digits around any character (1,000; twice in the script, so that 1,2,3 is joined, too), and letters or
        digits around - . and / (e-mail; once in the script, so that a-b-c becomes ¦a-b¦ - ¦c¦: b is used up).
        """
        out.clear()
        out.reserve(text.size() + text.size() // 2)
        i: cython.size_t = 0
        used: cython.size_t = 0  # one after the letter that a joining has used up
        while i < text.size():
            if not self.classes[text[i]] & WORD:
                at_end: boolean = i == 0 or text[i - 1] == LF or i + 1 == text.size() or text[i + 1] == LF
                if text[i] != BLANK or not at_end:
                    out.push_back(text[i])
                i += 1
                continue
            start: cython.size_t = out.size()
            out.push_back(DELIMITER)
            while i < text.size() and self.classes[text[i]] & WORD:
                out.push_back(text[i])
                i += 1
                joined: cython.int = self.joined_by(text, i, used != i) if joining else 0
                if joined:
                    out.push_back(text[i + 1])
                    i += 3
                    used = i + 1 if joined == ALNUM else 0
            out.push_back(DELIMITER)
            if out[start + 1] == CAPITAL:
                out[start] = CAPITAL
                out[start + 1] = DELIMITER
                start += 1
            if out[start + 1] == CAPITALS:
                out[start] = CAPITALS
                out[start + 1] = DELIMITER
            if out[out.size() - 2] == CAPITALS_END:
                out[out.size() - 2] = DELIMITER
                out[out.size() - 1] = CAPITALS_END
        return 0

    def joined_by(self, text, i, unused):
        """Say why a character between spaces at i joins the words beside it: WORD (virama), DIGIT, ALNUM, 0 (not)."""
        if i + 3 >= text.size() or text[i] != BLANK or text[i + 2] != BLANK or text[i + 1] == LF:
            return 0
        left: cython.uchar = self.classes[text[i - 1]]
        right: cython.uchar = self.classes[text[i + 3]]
        joiner: uint32_t = text[i + 1]
        if self.classes[joiner] & WORD or not right & WORD:
            return 0
        if joiner == VIRAMA:
            return WORD
        if left & right & DIGIT:
            return DIGIT
        if unused and (joiner == 0x2D or joiner == 0x2E or joiner == 0x2F):
            return ALNUM if left & ALNUM and right & ALNUM else 0
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _write(codes: cython.pointer(Codes), out: cython.pointer(vector[cython.char])) -> cython.int:
    """Write code points in UTF-8."""
    out.reserve(codes.size() + codes.size() // 2)
    code: uint32_t
    for code in codes[0]:
        if code < 0x80:
            out.push_back(code)
        elif code < 0x800:
            out.push_back(0xC0 | code >> 6)
            out.push_back(0x80 | (code & 0x3F))
        elif code < 0x10000:
            out.push_back(0xE0 | code >> 12)
            out.push_back(0x80 | (code >> 6 & 0x3F))
            out.push_back(0x80 | (code & 0x3F))
        else:
            out.push_back(0xF0 | code >> 18)
            out.push_back(0x80 | (code >> 12 & 0x3F))
            out.push_back(0x80 | (code >> 6 & 0x3F))
            out.push_back(0x80 | (code & 0x3F))
    return 0
