"""Sentences as runs of tokens, in order. Judges none of them; their clauses are `clauses`'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemma.core.sections import Listed, Phrase
from stemma.core.tokens import Token, TokenKind

_ENDS = frozenset(".!?…。！？")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st vs etc e.g i.e eg ie cf no nr num fig approx ca z b d h sr sra dra m mme "
    "руб тыс млн мин сек стр ул коп uds min max std ca".split()
)
# A line at least this long that ends in no sign was wrapped where the next goes on in small letters.
_WRAPPED_AT = 40
_PAIR = 2
# What joins two days of one month: "3. bis 7. August", "3.-7. August".
_DAY_LINKS = frozenset({"bis", "-", "–", "—"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of one sentence, without its closing sign."""

    tokens: tuple[Token, ...]
    is_question: bool
    start: int
    end: int
    paragraph: int

    def with_tokens(self, tokens: Sequence[Token]) -> Sentence:
        """Give the sentence with its tokens read further."""
        return Sentence(tuple(tokens), self.is_question, self.start, self.end, self.paragraph)


def sentences_of(tokens: Sequence[Token], text: str) -> Iterator[Sentence]:
    """Cut tokens into sentences: at closing signs, at blank lines, and at line ends that are no mere wrapping."""
    begin, paragraph = 0, 0
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.BREAK:
            is_blank = at + 1 < len(tokens) and tokens[at + 1].kind is TokenKind.BREAK
            if is_blank or not _is_wrapped(tokens, at, text):
                yield from _sentence(tokens[begin:at], paragraph)
                begin = at + 1
            paragraph += is_blank
        elif token.raw in _ENDS and _closes(tokens, at):
            yield from _sentence(tokens[begin : at + 1], paragraph)
            begin = at + 1
    yield from _sentence(tokens[begin:], paragraph)


def _sentence(tokens: Sequence[Token], paragraph: int) -> Iterator[Sentence]:
    real = [token for token in tokens if token.kind is not TokenKind.BREAK]
    signs = [token.raw for token in real if token.kind is TokenKind.SIGN]
    while real and is_loose(real):
        real.pop()
    while real and real[0].kind is TokenKind.SIGN and real[0].raw not in "(+-":
        real.pop(0)
    if real:
        is_question = bool(signs) and any(sign in "?？" for sign in signs[-3:]) and tokens[-1].raw in "?!？"
        yield Sentence(tuple(real), is_question, real[0].start, real[-1].end, paragraph)


def is_loose(tokens: Sequence[Token]) -> bool:
    """Say whether a run ends in a sign that belongs to no word: the plus of `A+` does."""
    last = tokens[-1]
    is_attached = last.raw in "+-−" and len(tokens) > 1 and tokens[-2].end == last.start
    return last.kind is TokenKind.SIGN and last.raw not in ")%" and not is_attached


def _closes(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a sign ends a sentence: what follows stands apart, and it is no abbreviation or initial."""
    token = tokens[at]
    if at + 1 < len(tokens) and tokens[at + 1].start == token.end and tokens[at + 1].kind is not TokenKind.BREAK:
        return (tokens[at + 1].kind is TokenKind.SIGN and not _is_between_days(tokens, at)) or token.raw in "。！？"
    if token.raw != "." or at == 0:
        return True
    before = tokens[at - 1]
    if before.end != token.start:
        return True
    if before.text in _ABBREVIATIONS and before.kind is TokenKind.WORD and at + 1 < len(tokens):
        return False
    follows = tokens[at + 1] if at + 1 < len(tokens) else None
    is_ordinal = before.kind is TokenKind.NUMBER and before.raw.isdecimal() and len(before.raw) <= 2
    if is_ordinal and follows is not None and follows.kind is TokenKind.WORD:
        # "3. Mai": an ordinal in many languages; a sentence that ends in a small number is rarer.
        return (not follows.is_capitalised or at < 2) and not _is_between_days(tokens, at)
    if before.kind is TokenKind.NUMBER and re.fullmatch(r"\d{1,2}\.\d{1,2}", before.raw) and follows is not None:
        # "14.3. um 9:30": day and month, each with its dot.
        return follows.is_capitalised
    is_initial = len(before.raw) == 1 and before.raw.isupper() and before.raw != "I"
    return not (is_initial and follows is not None and follows.is_capitalised and at >= 2)


def _is_between_days(tokens: Sequence[Token], at: int) -> bool:
    """Say whether another number follows that a dash or "bis" joins to the one before: "3. bis 7. August"."""
    follows = [token.kind for token in tokens[at + 2 : at + 4]]
    is_joined = at + 1 < len(tokens) and tokens[at + 1].text in _DAY_LINKS
    return is_joined and tokens[at - 1].kind is TokenKind.NUMBER and TokenKind.NUMBER in follows


def _is_wrapped(tokens: Sequence[Token], at: int, text: str) -> bool:
    if at == 0 or at + 1 >= len(tokens):
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    line_start = text.rfind("\n", 0, tokens[at].start) + 1
    return (
        before.raw not in _ENDS
        and before.raw not in ";:"
        and tokens[at].start - line_start >= _WRAPPED_AT
        and (after.raw[:1].islower() or after.raw[:1].isdigit())
    )


def holds_phrase(tokens: Sequence[Token], phrases: dict[str, tuple[Phrase, ...]]) -> bool:
    """Say whether a listed phrase stands anywhere in a run of tokens."""
    return any(token.text in phrases and phrase_at(tokens, at, phrases) > 0 for at, token in enumerate(tokens))


def phrase_at(tokens: Sequence[Token], at: int, phrases: dict[str, tuple[Phrase, ...]]) -> int:
    """Give the number of tokens of the longest listed phrase that stands here, 0 if none does."""
    listed = phrases.get(tokens[at].text) if at < len(tokens) else None
    if listed is None:
        return 0
    if isinstance(listed, Listed):
        second = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if second in listed.by_second:
            for phrase in listed.by_second[second]:
                if len(phrase) == _PAIR or stands_at(tokens, at, phrase):
                    return len(phrase)
        return 1 if listed.has_single else 0
    return next((len(phrase) for phrase in listed if stands_at(tokens, at, phrase)), 0)


def stands_at(tokens: Sequence[Token], at: int, phrase: Phrase) -> bool:
    """Say whether a phrase stands here whose first word is known to."""
    size = len(phrase)
    if size == 1:
        return True
    # The second word settles nearly all: many phrases begin alike ("i would", "in the story").
    if at + size > len(tokens) or tokens[at + 1].text != phrase[1]:
        return False
    return size == 2 or all(tokens[at + offset].text == phrase[offset] for offset in range(2, size))
