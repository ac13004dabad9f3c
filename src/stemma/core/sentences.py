"""Sentences and clauses as runs of tokens, in order and with a stable numbering. Judges none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemma.core.language_table import Language, Phrase
from stemma.core.tokens import Token, TokenKind

_ENDS = frozenset(".!?…。！？")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st vs etc e.g i.e eg ie cf no nr fig approx ca z b d h sr sra dra m mme".split()
)
_COMMAS = frozenset(",;:—–")
# A line at least this long that ends in no sign was wrapped where the next goes on in small letters.
_WRAPPED_AT = 40


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of one sentence, without its closing sign."""

    tokens: tuple[Token, ...]
    is_question: bool
    start: int
    end: int
    paragraph: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of tokens that may make one statement.

    `subject` are tokens of an earlier clause that stand before it in thought ("I live here and *work* there");
    `repairs` marks a correction in mid-sentence ("no, Porto"), `after_colon` what a label introduces.
    """

    tokens: tuple[Token, ...]
    subject: tuple[Token, ...] = ()
    repairs: bool = False
    after_colon: bool = False


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
    while real and _is_loose(real):
        real.pop()
    while real and real[0].kind is TokenKind.SIGN and real[0].raw not in "(+-":
        real.pop(0)
    if real:
        is_question = bool(signs) and any(sign in "?？" for sign in signs[-3:]) and tokens[-1].raw in "?!？"
        yield Sentence(tuple(real), is_question, real[0].start, real[-1].end, paragraph)


def _is_loose(tokens: Sequence[Token]) -> bool:
    """Say whether a run ends in a sign that belongs to no word: the plus of `A+` does."""
    last = tokens[-1]
    is_attached = last.raw in "+-−" and len(tokens) > 1 and tokens[-2].end == last.start
    return last.kind is TokenKind.SIGN and last.raw not in ")%" and not is_attached


def _closes(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a sign ends a sentence: what follows stands apart, and it is no abbreviation or initial."""
    token = tokens[at]
    if at + 1 < len(tokens) and tokens[at + 1].start == token.end and tokens[at + 1].kind is not TokenKind.BREAK:
        return tokens[at + 1].kind is TokenKind.SIGN or token.raw in "。！？"
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
        return not follows.is_capitalised or at < 2
    is_initial = len(before.raw) == 1 and before.raw.isupper() and before.raw != "I"
    return not (is_initial and follows is not None and follows.is_capitalised and at >= 2)


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


def clauses_of(sentence: Sentence, language: Language) -> list[Clause]:
    """Cut a sentence into clauses: where a new subject begins, at a shared subject's next verb, and at corrections."""
    tokens = sentence.tokens
    found: list[Clause] = []
    begin, at = 0, 0
    flags = (False, False)
    while at < len(tokens):
        cut = _cut_at(tokens, at, begin, language)
        if cut is None:
            at += 1
            continue
        after, subject, repairs = cut
        _append(found, tokens[begin:at], flags)
        colon = tokens[at].raw == ":"
        begin = at = after
        flags = (repairs, colon)
        if subject:
            end = _subject_clause_end(tokens, at, language)
            found.append(Clause(_trimmed(tokens[at:end]), subject))
            begin = at = end
            flags = (False, False)
    _append(found, tokens[begin:], flags)
    return [clause for clause in found if clause.tokens]


def _append(found: list[Clause], tokens: Sequence[Token], flags: tuple[bool, bool]) -> None:
    trimmed = _trimmed(tokens)
    if trimmed:
        found.append(Clause(trimmed, repairs=flags[0] and bool(found), after_colon=flags[1]))


def _cut_at(
    tokens: Sequence[Token], at: int, begin: int, language: Language
) -> tuple[int, tuple[Token, ...], bool] | None:
    """Say where the next clause begins if this one ends here, with a subject it borrows, and whether it repairs."""
    if at == begin:
        return None
    token = tokens[at]
    words = language.words
    if token.raw in _COMMAS or token.raw == "-":
        after = at + 1
        if (used := phrase_at(tokens, after, language.phrases["repair"])) and token.raw != ":":
            following = after + used
            if following < len(tokens) and tokens[following].raw == ",":
                following += 1
            if (
                following < len(tokens)
                and len(tokens) - following <= 4
                and not _is_subject(tokens, following, language)
            ):
                return following, (), True
        while after < len(tokens) and tokens[after].text in words["and"]:
            after += 1
        if token.raw in ";:" or _is_subject(tokens, after, language):
            return after, (), False
        if after > at + 1 and (subject := _shared_subject(tokens, begin, after, language)):
            return after, subject, False
        return None
    if token.text in words["because"] or phrase_at(tokens, at, language.phrases["because"]):
        used = phrase_at(tokens, at, language.phrases["because"]) or 1
        return at + used, (), False
    if token.kind is TokenKind.WORD and token.text in words["and"] and at + 1 < len(tokens):
        if _is_subject(tokens, at + 1, language):
            return at + 1, (), False
        if subject := _shared_subject(tokens, begin, at + 1, language):
            return at + 1, subject, False
    return None


def _is_subject(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a clause of its own can begin here: a personal subject, or my/our/the and a verb to come."""
    if at >= len(tokens) - 1:
        return False
    words = language.words
    word = tokens[at].text
    if word in words["me"] or word in words["we"]:
        return True
    if word in words["others"] or word in words["you"]:
        return tokens[at + 1].kind is TokenKind.WORD and _is_finite(tokens[at + 1].text, language)
    starts = word in words["definite"] or tokens[at].is_capitalised
    return starts and any(
        _is_finite(token.text, language) and token.kind is TokenKind.WORD for token in tokens[at + 1 : at + 5]
    )


def _is_finite(word: str, language: Language) -> bool:
    return word in language.words["copula"] or word in language.words["past_copula"] or word in language.third


def _shared_subject(tokens: Sequence[Token], begin: int, at: int, language: Language) -> tuple[Token, ...]:
    """Give the subject of the present clause if a verb that can take it begins at `at`, and no `to` stands before."""
    if at >= len(tokens):
        return ()
    first = tokens[begin]
    is_mine = first.text in language.words["me"] or first.text in language.words["we"]
    own_verbs = language.own_verbs
    if not is_mine or at - begin < 3 or tokens[at].text not in own_verbs or at + 1 >= len(tokens):
        return ()
    if any(token.text in language.words["infinitive"] for token in tokens[begin:at]):
        return ()
    return (first,)


def _subject_clause_end(tokens: Sequence[Token], at: int, language: Language) -> int:
    end = at + 1
    while end < len(tokens) and _cut_at(tokens, end, at, language) is None:
        end += 1
    return end


def _trimmed(tokens: Sequence[Token]) -> tuple[Token, ...]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind is TokenKind.SIGN and tokens[start].raw not in "(+":
        start += 1
    while end > start and _is_loose(tokens[start:end]):
        end -= 1
    return tuple(tokens[start:end])


def phrase_at(tokens: Sequence[Token], at: int, phrases: dict[str, tuple[Phrase, ...]]) -> int:
    """Give the number of tokens of the longest listed phrase that stands here, 0 if none does."""
    if at >= len(tokens):
        return 0
    for phrase in phrases.get(tokens[at].text, ()):
        if len(phrase) <= len(tokens) - at and all(
            tokens[at + offset].text == word for offset, word in enumerate(phrase)
        ):
            return len(phrase)
    return 0
