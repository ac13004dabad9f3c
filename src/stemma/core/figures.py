"""The figures of a text in any notation (numbers, amounts, dates, names with digits), and which another text holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from stemma.core.folding import fold
from stemma.core.language_table import Language
from stemma.core.number_words import number_words
from stemma.core.rules import Rules
from stemma.core.sentences import sentences_of
from stemma.core.tokens import Token, TokenKind, tokenise
from stemma.core.values import DATE, IDENTITY, NUMBER, TIME, VERSION, read_values
from stemma.core.written_numbers import read_written

# Marks of emphasis, quotation and code: what stands between them is read as if they were not there.
_MARKS: Final = str.maketrans(dict.fromkeys('"“”«»„`*_', " "))
# A number without a unit of its own: a cell of a table, a release, a label.
_PLAIN: Final = frozenset({NUMBER, VERSION, IDENTITY, ""})
_FIRST_YEAR: Final = 1000
_RAISED: Final = frozenset("¹²³")
_LETTERS: Final = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_UNSPACED: Final = re.compile(rf"(?<={_LETTERS})(?=\d)|(?<=\d)(?={_LETTERS})")
_ADDRESS: Final = re.compile(r"https?://|[\w.+-]+@[\w-]+\.")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: as written, its type and typed reading (or ""), and the bare amounts written in it."""

    written: str
    type: str
    canonical: str
    amounts: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The figures of a text that others are looked for in; `text` is folded, with single blanks."""

    text: str
    typed: frozenset[tuple[str, str]]
    dates: frozenset[str]
    plain: frozenset[Decimal]
    any: frozenset[Decimal]


def figures(text: str, rules: Rules) -> list[Figure]:
    """List the figures of a text in order: what holds a digit, numbers in words, addresses."""
    read = _parted(text)
    tokens = tokenise(read)
    around = rules.language(tokens, read) or rules.default
    found: list[Figure] = []
    for sentence in sentences_of(tokens, read):
        language = rules.language(sentence.tokens, read[sentence.start : sentence.end], around) or around
        for token in read_values(sentence.tokens, language):
            if _is_figure(token):
                inner = [one for one in sentence.tokens if token.start <= one.start < token.end]
                found.append(_figure(token, read[token.start : token.end], inner, language))
    found += [Figure(char, "", "", ()) for char in text if _is_sign(char)]
    return found


def held(text: str, rules: Rules) -> Held:
    """Read a text once as what figures are looked for in."""
    listed = figures(text, rules)
    return Held(
        text=plainly(text),
        # A name with digits has no reading but its letters: two of them are not one for being names.
        typed=frozenset((one.type, one.canonical) for one in listed if one.canonical),
        dates=frozenset(one.canonical for one in listed if one.type == DATE),
        plain=frozenset(amount for one in listed if one.type in _PLAIN for amount in one.amounts),
        # Of a date its year may be spoken of alone; its day is no number of anything.
        any=frozenset(a for one in listed for a in one.amounts if one.type != DATE or a >= _FIRST_YEAR),
    )


def stands(one: Figure, where: Held) -> bool:
    """Say whether a text holds a figure: in any notation (1,000 and 1000, ten percent and 10 %), or as written.

    A number without a unit stands wherever that number does; one with a unit, where it has that unit or none: 30 days
    do not stand in "30 hours", and do in a cell of a table. A year or a month stands in a date of it.
    """
    if one.canonical and (one.type, one.canonical) in where.typed:
        return True
    if one.type == DATE and any(_is_part(one.canonical, date) for date in where.dates):
        return True
    if is_written(one.written, where.text):
        return True
    if not one.amounts:
        return False
    # "10 to 20 days" is read as a time of day, too; a time in figures has no amounts.
    if one.type in _PLAIN or one.type == TIME or (one.type == DATE and one.canonical.isdecimal()):
        return all(amount in where.any for amount in one.amounts)
    return one.type != DATE and all(amount in where.plain for amount in one.amounts)


def is_written(words: str, folded: str) -> bool:
    """Say whether a folded text holds these words as they stand, as whole words and numbers."""
    sought = re.escape(plainly(words))
    return bool(sought) and re.search(rf"(?<![\w\-−])(?<!\d[.,]){sought}(?!\w)(?![.,]\d)", folded) is not None


def plainly(text: str) -> str:
    """Fold a text and take its marks of quotation and its line ends for blanks."""
    return " ".join(fold(_parted(text)).split())


def _parted(text: str) -> str:
    """Take marks for blanks, and part figures from the letters of scripts without blanks."""
    return _UNSPACED.sub(" ", text.translate(_MARKS))


def _figure(token: Token, written: str, inner: Sequence[Token], language: Language) -> Figure:
    type_ = token.type if token.kind is TokenKind.VALUE or token.type == IDENTITY else ""
    canonical = token.canonical if token.kind is TokenKind.VALUE else ""
    amounts = () if token.kind is TokenKind.WORD else tuple(_amounts(inner, language))
    return Figure(" ".join(written.split()), type_, canonical, amounts)


def _amounts(tokens: Sequence[Token], language: Language) -> Iterator[Decimal]:
    numerals = language.numerals
    has_digits = any(token.kind is TokenKind.NUMBER for token in tokens)
    for token in tokens:
        if token.kind is TokenKind.NUMBER:
            _, _, amount, _ = read_written(token.raw, numerals.decimal, numerals.month_first)
            if amount is not None:
                yield amount
    if not has_digits and (read := number_words(tokens, 0, numerals)) is not None:
        yield read[0]


def _is_figure(token: Token) -> bool:
    has_digit = any(map(str.isdecimal, token.raw))
    if token.kind is TokenKind.VALUE:
        # A weekday, or a month alone, is a word that a model may leave to the reader of the source.
        return has_digit or token.type != "weekday"
    return has_digit or (token.kind is TokenKind.NAME and _ADDRESS.match(token.raw) is not None)


def _is_part(coarse: str, date: str) -> bool:
    """Say whether a date is a part of a finer one: 2026 and 2026-05 and --05-03 of 2026-05-03."""
    if date.startswith(coarse) and date[len(coarse) : len(coarse) + 1] in ("-", "T"):
        return True
    return coarse.startswith("--") and not date.startswith("--") and date[4:].startswith(coarse[1:])


def _is_sign(char: str) -> bool:
    """Say whether a character is a number of its own: ½, ⅷ, ④; a raised one belongs to its unit."""
    return char not in _RAISED and unicodedata.category(char) in {"No", "Nl"}
