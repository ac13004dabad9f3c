"""Which script a character belongs to, and which characters are combining marks.

Tables and look-ups only; what follows from a script (stems, pairs of characters) is decided by the analyser.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache


class Script(StrEnum):
    """The scripts that the analyser treats differently; `OTHER` holds digits and all scripts not named."""

    LATIN = "latin"
    GREEK = "greek"
    CYRILLIC = "cyrillic"
    HEBREW = "hebrew"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    THAI = "thai"
    CJK = "cjk"
    OTHER = "other"

    @property
    def is_unspaced(self) -> bool:
        """Say whether texts in this script are cut into pairs of characters rather than words."""
        return self is Script.CJK or self is Script.THAI


_RANGES: tuple[tuple[int, int, Script], ...] = (
    (0x0041, 0x005A, Script.LATIN),
    (0x0061, 0x007A, Script.LATIN),
    (0x00AA, 0x00AA, Script.LATIN),
    (0x00BA, 0x00BA, Script.LATIN),
    (0x00C0, 0x02AF, Script.LATIN),
    (0x0370, 0x03FF, Script.GREEK),
    (0x0400, 0x052F, Script.CYRILLIC),
    (0x0590, 0x05FF, Script.HEBREW),
    (0x0600, 0x06FF, Script.ARABIC),
    (0x0750, 0x077F, Script.ARABIC),
    (0x08A0, 0x08FF, Script.ARABIC),
    (0x0900, 0x097F, Script.DEVANAGARI),
    (0x0E00, 0x0EFF, Script.THAI),  # with Lao
    (0x1000, 0x109F, Script.THAI),  # Myanmar: unspaced as well
    (0x1100, 0x11FF, Script.CJK),
    (0x1780, 0x17FF, Script.THAI),  # Khmer: unspaced as well
    (0x1C80, 0x1C8F, Script.CYRILLIC),
    (0x1D00, 0x1DBF, Script.LATIN),
    (0x1E00, 0x1EFF, Script.LATIN),
    (0x1F00, 0x1FFF, Script.GREEK),
    (0x2C60, 0x2C7F, Script.LATIN),
    (0x2DE0, 0x2DFF, Script.CYRILLIC),
    (0x3005, 0x3007, Script.CJK),
    (0x3021, 0x3029, Script.CJK),
    (0x3031, 0x3035, Script.CJK),
    (0x3041, 0x30FF, Script.CJK),
    (0x3105, 0x318F, Script.CJK),
    (0x31A0, 0x31BF, Script.CJK),
    (0x31F0, 0x31FF, Script.CJK),
    (0x3400, 0x4DBF, Script.CJK),
    (0x4E00, 0x9FFF, Script.CJK),
    (0xA640, 0xA69F, Script.CYRILLIC),
    (0xA720, 0xA7FF, Script.LATIN),
    (0xA8E0, 0xA8FF, Script.DEVANAGARI),
    (0xA960, 0xA97F, Script.CJK),
    (0xAA60, 0xAA7F, Script.THAI),
    (0xAB30, 0xAB6F, Script.LATIN),
    (0xAC00, 0xD7FF, Script.CJK),
    (0xF900, 0xFAFF, Script.CJK),
    (0xFB00, 0xFB06, Script.LATIN),
    (0xFB1D, 0xFB4F, Script.HEBREW),
    (0xFB50, 0xFDFF, Script.ARABIC),
    (0xFE70, 0xFEFC, Script.ARABIC),
    (0xFF21, 0xFF3A, Script.LATIN),
    (0xFF41, 0xFF5A, Script.LATIN),
    (0xFF66, 0xFFDC, Script.CJK),
    (0x1B000, 0x1B16F, Script.CJK),
    (0x20000, 0x3FFFD, Script.CJK),
)
_STARTS = tuple(first for first, _, _ in _RANGES)
# Marks stand in the alphabets' blocks: the ideographs and syllables that fill most of the plane hold none.
_MARK_BLOCKS = (
    (0x0300, 0x3100),
    (0xA660, 0xAC00),
    (0xFB1E, 0xFB1F),
    (0xFE00, 0xFE30),
    (0x10000, 0x20000),
    (0xE0100, 0xE01F0),
)


def script_of(char: str) -> Script:
    """Name the script of one character."""
    code = ord(char)
    at = bisect_right(_STARTS, code) - 1
    if at >= 0 and code <= _RANGES[at][1]:
        return _RANGES[at][2]
    return Script.OTHER


def is_mark(char: str) -> bool:
    """Say whether a character is a combining mark (Unicode category M)."""
    return char >= "\u0300" and unicodedata.category(char)[0] == "M"


@lru_cache(maxsize=1)
def mark_class() -> str:
    """Give all combining marks as the inside of a regular expression's character class."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in _mark_runs())


def _mark_runs() -> Iterator[tuple[int, int]]:
    for start, stop in _MARK_BLOCKS:
        first = -1
        for code in range(start, stop + 1):
            inside = code < stop and unicodedata.category(chr(code))[0] == "M"
            if inside and first < 0:
                first = code
            elif not inside and first >= 0:
                yield first, code - 1
                first = -1
