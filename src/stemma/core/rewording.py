"""One order of words for statements that say one thing two ways: "Maya is my sister", "my sister is called Maya"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stemma.core.language_table import Language
from stemma.core.tokens import Token, TokenKind

_ROUNDS = 3
# A longer sentence says more than any pattern words.
_MOST_TOKENS = 40
_CLOSING = ".!。！？؟।"
# A group of this name holds what somebody is called.
_NAME = "name"


def reworded(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Give a sentence in the wording that its language's file writes it in, pattern by pattern; else as it is.

    A pattern runs over the folded words joined by blanks and must fit the whole. In what it writes `{group}` stands for
    the words of a group, and any other word for itself.
    """
    found = list(tokens)
    if len(found) > _MOST_TOKENS:
        return found
    for _ in range(_ROUNDS):
        rewritten = _once(found, language)
        if rewritten is None:
            return found
        found = rewritten
    return found


def _once(tokens: Sequence[Token], language: Language) -> list[Token] | None:
    end = len(tokens)
    while end and tokens[end - 1].raw in _CLOSING:
        end -= 1
    adverbs = language.words["adverbs"] - _kept(language)
    said = [token for token in tokens[:end] if token.kind is not TokenKind.WORD or token.text not in adverbs]
    text = " ".join(token.text.replace(" ", "_") for token in said)
    for pattern, template in language.comparing.reworded:
        match = pattern.fullmatch(text)
        if match is None or not _is_called(match, text, said):
            continue
        written = list(_written(match, text, said, template))
        if [token.text for token in written] != [token.text for token in said]:
            return written
    return None


def _kept(language: Language) -> frozenset[str]:
    """Give the adverbs that patterns name themselves."""
    return frozenset(word for _, template in language.comparing.reworded for word in template)


def _is_called(match: re.Match[str], text: str, tokens: Sequence[Token]) -> bool:
    """Say whether the group of a name holds one: capitals where the script has them."""
    if _NAME not in match.re.groupindex or match[_NAME] is None:
        return True
    return all(
        token.kind is TokenKind.NAME or not token.raw[:1].islower() for token in _group(match, _NAME, text, tokens)
    )


def _group(match: re.Match[str], name: str, text: str, tokens: Sequence[Token]) -> Sequence[Token]:
    if not match[name]:
        return ()
    begin = text[: match.start(name)].count(" ")
    return tokens[begin : begin + match[name].count(" ") + 1]


def _written(match: re.Match[str], text: str, tokens: Sequence[Token], template: Sequence[str]) -> Iterator[Token]:
    for word in template:
        if word[0] == "{":
            yield from _group(match, word.strip("{}"), text, tokens)
            continue
        known = next((token for token in tokens if token.text == word), None)
        yield known or tokens[0]._replace(kind=TokenKind.WORD, text=word, raw=word, end=tokens[-1].end)
