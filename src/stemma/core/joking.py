"""What is said in jest or in irony, by what stands around it (SPEC R-32). Knows no statement's kind or value."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.language_table import Language
from stemma.core.laughs import is_laugh, laughs_behind
from stemma.core.sentences import Sentence, phrase_at
from stemma.core.tokens import Token, TokenKind

_MOST_PRAISE = 5


def laughs(tokens: Sequence[Token], text: str) -> bool:
    """Say whether a clause ends in a laugh: "we run prod on a toaster lol"."""
    last = tokens[-1]
    return is_laugh(last.text) or laughs_behind(text, last.end)


def is_pun(sentence: Sentence, after: Sentence | None, text: str, language: Language) -> bool:
    """Say whether a whole sentence is told for its point: what follows says so, or a laugh ends what a colon led to."""
    points = language.phrases["punchlines"]
    for each in (sentence, after):
        if each is not None and any(phrase_at(each.tokens, at, points) for at in range(len(each.tokens))):
            return True
    said = [token for token in sentence.tokens if token.kind is not TokenKind.SIGN]
    return (
        len(said) < len(sentence.tokens) and any(token.raw == ":" for token in sentence.tokens) and laughs(said, text)
    )


def is_irony(
    tokens: Sequence[Token], sentence: Sentence, before: Sentence | None, after: Sentence | None, language: Language
) -> bool:
    """Say whether a liking is meant the other way round.

    By what is liked (a mishap, once again), or by praise that opens or follows it: "Sure, I just love being paged".
    """
    words = language.words
    at = next((at for at, token in enumerate(tokens) if token.text in words["delight"]), None)
    if at is None:
        return False
    rest = tokens[at + 1 :]
    if any(token.text in words["mishaps"] for token in rest):
        return True
    if any(
        token.text in words["again"] or phrase_at(rest, here, language.phrases["again"])
        for here, token in enumerate(rest)
    ):
        return True
    if phrase_at(sentence.tokens, 0, language.phrases["ironic"]) or _praises(sentence.tokens, language, is_start=True):
        return True
    return any(each is not None and _praises(each.tokens, language) for each in (before, after))


def _praises(tokens: Sequence[Token], language: Language, is_start: bool = False) -> bool:
    """Say whether a sentence is hardly more than praise, or begins with it and a sign."""
    used = phrase_at(tokens, 0, language.phrases["praise"])
    if not used:
        return False
    if is_start:
        return used < len(tokens) and tokens[used].kind is TokenKind.SIGN
    return len(tokens) <= _MOST_PRAISE
