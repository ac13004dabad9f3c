"""Words out of a closed choice read as values: the colour of a thing, dark or light mode, a gearbox's kind.

Of such a choice a thing has one at a time, so that another one contests it (R-35). Which words, and between which
others they tell it, a language's file says.
"""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.compare_words import Choice
from stemma.core.language_table import Language
from stemma.core.tokens import Token, TokenKind, value_token

CHOICE = "choice"
END = "$"


def with_choices(tokens: Sequence[Token], language: Language) -> Sequence[Token]:
    """Read the one chosen word of a statement as a value; where several could be, none is read."""
    choices = language.comparing.choices
    if not choices:
        return tokens
    found = [
        (at, choice.words[token.text])
        for at, token in enumerate(tokens)
        for choice in choices
        if token.text in choice.words and _tells(tokens, at, choice, language)
    ]
    if len(found) != 1:
        return tokens
    at, word = found[0]
    return [*tokens[:at], value_token(tokens, at, 1, CHOICE, word), *tokens[at + 1 :]]


def _tells(tokens: Sequence[Token], at: int, choice: Choice, language: Language) -> bool:
    """Say whether a word stands where its choice is told: before, behind and near what the choice asks for."""
    if tokens[at].kind is TokenKind.VALUE or (choice.near and not any(each.text in choice.near for each in tokens)):
        return False
    if any(each.text in choice.unless for each in tokens):
        return False
    rest = [each for each in tokens[at + 1 :] if each.kind is not TokenKind.SIGN]
    if choice.pointing and not _points(tokens[0], language):
        return False
    if choice.before and (at == 0 or tokens[at - 1].text not in choice.before):
        return False
    if not choice.after:
        return True
    ends = END in choice.after and all(each.text in language.comparing.speaking for each in rest)
    return ends or (bool(rest) and rest[0].text in choice.after)


def _points(first: Token, language: Language) -> bool:
    """Say whether a statement begins with one thing that is pointed at: the, our; "some doors are red" does not."""
    words = language.words
    return first.text in words["definite"] | words["definite_articles"] | words["my"]
