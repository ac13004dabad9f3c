"""Frames of statements without a claim key (design: D-4, D-5): stems in order, values masked, what names something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stemma.core.analyse import stem, words
from stemma.core.claims import MASK, VALUE_SEPARATOR
from stemma.core.language_table import Language
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import IDENTITY, bare_name
from stemma.records import Frame


def frame_of(tokens: Sequence[Token], language: Language, subject: int = 0) -> tuple[Frame, str, bool]:
    """Give frame, joined canonical values, and whether an alias turns the polarity over ("hates" for "not prefers").

    The first `subject` tokens are the grammatical subject: what it says is part of the ordered identity, so that "Alice
    owes Bob 5" and "Bob owes Alice 5" are apart however they are written; so are labelling numbers and ids anywhere.
    """
    stems: list[str] = []
    identities: list[str] = []
    types: list[str] = []
    values: list[str] = []
    flips, had_verb = False, False
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.VALUE:
            stems.append(MASK)
            types.append(token.type)
            values.append(token.canonical)
        elif token.kind is TokenKind.NAME:
            name = bare_name(token.text)
            # A quoted or marked word is the word itself; an id, a number that labels, an address names something.
            is_word = token.raw[:1] in '`"“«„' and name.isalpha()
            stems.append(stem(name, language.code) if is_word else name)
            if at < subject or token.type == IDENTITY or not is_word:
                identities.append(stems[-1])
        elif token.kind is TokenKind.WORD:
            if token.text in language.words["and"] and _is_between_values(tokens, at):
                continue
            root = stem(token.text, language.code)
            if root in language.drop:
                continue
            if at < subject:
                identities.append(root)
            elif not had_verb and token.text not in language.words["we"]:
                # Aliases are of verbs: "owns" is "has", but "its own note" is not "its have note".
                root, flips = language.aliases.get(root, (root, False))
                had_verb = True
            stems.append(root)
    return Frame(tuple(stems), tuple(identities), tuple(types)), VALUE_SEPARATOR.join(values), flips


def _is_between_values(tokens: Sequence[Token], at: int) -> bool:
    return 0 < at < len(tokens) - 1 and tokens[at - 1].kind is TokenKind.VALUE is tokens[at + 1].kind


def plain_frame(text: str, code: str) -> Frame:
    """Give the frame of a text whose language has no table: stems in order, runs without spaces as pairs."""
    return Frame(tuple(_stems(text, code)), (), ())


def _stems(text: str, code: str) -> Iterable[str]:
    for word in words(text):
        if word.is_unspaced and len(word.text) > 1:
            yield from (word.text[at : at + 2] for at in range(len(word.text) - 1))
        else:
            yield stem(word.text, code)
