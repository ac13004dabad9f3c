"""Decides the encoding of a content, on the whole of it: mark, declaration, strict UTF-8, then a detector.

A decoding is strict or it is refused: no text is stored with a guess in it that could not be told from the truth.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Any, Final

from stemma.errors import EncodingUndecided, UnknownCharset

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a label means in practice is its superset (WHATWG Encoding, section 4.2).
_SUPERSETS: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "shift_jis": "cp932", "gb2312": "gb18030",
    "gbk": "gb18030", "euc_kr": "cp949", "tis-620": "cp874", "iso8859-11": "cp874",
}  # fmt: skip
# Codecs that are no encodings of files: escapes, names of hosts, and one that hides characters from every filter.
_NO_CHARSETS: Final = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7", "mbcs", "oem"}
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_ESCAPE = b"\x1b$"
# Bytes beyond ASCII that a guess has to rest on; below, other languages read the same bytes as well (measured).
ENOUGH_BYTES: Final = 64
# Measured on 12 languages in 18 encodings, whole and cut short: none was taken for another.
_MOST_CHAOS: Final = 0.1
_LEAST_COHERENCE: Final = 0.2
_APART: Final = 0.05
_TWO_BYTES: Final = frozenset({"cp932", "euc_jp", "gb18030", "big5", "big5hkscs", "cp949", "iso2022_jp"})
# Two letters of GBK can pass for UTF-8 ("联通"); four in a row hardly can.
_FEW_LETTERS: Final = 4
_WIDE: Final = ("utf-16-le", "utf-16-be")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the charset it was in, and how that was decided: `bom`, `given`, `declared`, `utf-8` or `detected`."""

    text: str
    charset: str
    decided_by: str


def decode(content: bytes, *, given: str | None = None, declared: str | None = None) -> Decoded:
    """Decode a content: `given` is what the caller says, `declared` what the content says of itself.

    Raises EncodingUndecided with the first byte in doubt, UnknownCharset for a name that is no encoding of text.
    """
    for mark, charset in _MARKS:
        if content.startswith(mark):
            return Decoded(_strict(content[len(mark) :], charset, len(mark)), charset, "bom")
    if given:
        charset = charset_named(given)
        return Decoded(_strict(content, charset, 0), charset, "given")
    if declared and (found := _declared(content, declared)):
        return found
    if _ESCAPE in content and (escaped := _tried(content, "iso2022_jp")) is not None:
        return Decoded(escaped, "iso2022_jp", "detected")
    if b"\0" in content:
        return _wide(content)
    try:
        return Decoded(content.decode("utf-8"), "utf-8", "utf-8")
    except UnicodeDecodeError as error:
        return _detected(content, error.start)


def charset_named(name: str) -> str:
    """Give the codec of a charset's name, or raise UnknownCharset."""
    try:
        codec = codecs.lookup(name.strip())
    except (LookupError, ValueError) as error:
        raise UnknownCharset(f"no encoding is named {name!r}") from error
    # The one place where the standard library says whether a codec makes text of bytes.
    if codec.name in _NO_CHARSETS or not getattr(codec, "_is_text_encoding", True):
        raise UnknownCharset(f"{name!r} is not an encoding of texts")
    return _SUPERSETS.get(codec.name, codec.name)


def _declared(content: bytes, name: str) -> Decoded | None:
    """Decode as the content says of itself; a false claim counts for nothing."""
    try:
        charset = charset_named(name)
    except UnknownCharset:
        return None
    # A declaration that could be read is in ASCII, so the whole is in no encoding of two bytes a letter.
    charset = "utf-8" if charset.startswith(("utf-16", "utf-32")) else charset
    text = _tried(content, charset)
    is_wide = charset in _TWO_BYTES
    if text is None or (charset != "utf-8" and _is_utf8(content, at_least=_FEW_LETTERS if is_wide else 1)):
        return None
    return Decoded(text, charset, "declared")


def _is_utf8(content: bytes, *, at_least: int) -> bool:
    """Say whether a content is strictly UTF-8 with so many letters beyond ASCII, which other text is not by chance."""
    text = _tried(content, "utf-8")
    return text is not None and sum(not char.isascii() for char in text) >= at_least


def _strict(content: bytes, charset: str, skipped: int) -> str:
    try:
        return content.decode(charset)
    except UnicodeDecodeError as error:
        at = error.start + skipped
        raise EncodingUndecided(f"byte {at} is not {charset}; say which encoding it is", offset=at) from error


def _tried(content: bytes, charset: str) -> str | None:
    """Decode, or give None where it fails or yields control characters, which no text in that charset has."""
    try:
        text = content.decode(charset)
    except (UnicodeDecodeError, UnicodeError):
        return None
    return None if _CONTROL.search(text) else text


def _wide(content: bytes) -> Decoded:
    """Decode what has NUL bytes: two bytes a letter, if nearly all of them stand on one side."""
    zeros = content.count(0)
    high, low = content[0::2].count(0), content[1::2].count(0)
    charset = _WIDE[0] if low >= high else _WIDE[1]
    text = _tried(content, charset)
    if text is None or max(high, low) * 10 < zeros * 9 or zeros * 8 < len(content):
        at = content.index(0)
        raise EncodingUndecided(f"byte {at} is NUL: no text, or in an encoding without a mark", offset=at)
    return Decoded(text, charset, "detected")


def _detected(content: bytes, first: int) -> Decoded:
    """Ask the detector about all lines beyond ASCII, and believe it only where it is sure and alone."""
    refusal = EncodingUndecided(
        f"byte {first} is not UTF-8 and the encoding cannot be told for certain; say which it is", offset=first
    )
    telling = b"\n".join(line for line in content.split(b"\n") if not line.isascii())
    if len(telling.translate(None, bytes(range(128)))) < ENOUGH_BYTES:
        raise refusal
    best = _best_guess(telling)
    text = None if best is None else _tried(content, best)
    if best is None or text is None:
        raise refusal
    return Decoded(text, best, "detected")


def _best_guess(telling: bytes) -> str | None:
    from charset_normalizer import from_bytes

    # Steps of this size read all of it, where the default reads five samples.
    size = 4096
    found: list[Any] = list(from_bytes(telling, steps=-(-len(telling) // size), chunk_size=size, threshold=0.15))
    if not found or found[0].chaos > _MOST_CHAOS:
        return None
    best, rivals = found[0], [one for one in found[1:] if str(one) != str(found[0])]
    # Bytes that are strictly one encoding of two bytes a letter are hardly ever anything else; the detector knows no
    # letter frequencies there. Elsewhere the language has to be recognised.
    is_wide = best.multi_byte_usage > 0.3
    if not is_wide and best.coherence < _LEAST_COHERENCE:
        return None
    if any(one.chaos < best.chaos + _APART and (is_wide or one.coherence > best.coherence - 0.1) for one in rivals):
        return None
    name = str(best.encoding)
    return _SUPERSETS.get(codecs.lookup(name).name, name)
