"""Frames of statements without a claim key (design: D-4, D-5): stems in order, values masked, what names something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stemma.core.analyse import stem, words
from stemma.core.choices import with_choices
from stemma.core.claims import MASK
from stemma.core.compare_words import spelt
from stemma.core.frames import FUNCTION_MARK, LIMIT_MARK
from stemma.core.grouping import groups_of, is_marked, is_verb
from stemma.core.language_table import Language
from stemma.core.late_values import RATE, TIMES, limits_value, with_all, with_late_values, with_storey
from stemma.core.parts import Part, Place, assembled
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, IDENTITY, NUMBER, TIME, VERSION, WEEKDAY, bare_name
from stemma.records import Frame

_YEAR = re.compile(r"(?:19|20)\d\d")
# Of what values say there may be several behind a verb that lists, and what traits of one thing are.
_TELLING = frozenset({VERSION, DATE, WEEKDAY})
_LISTED = frozenset({VERSION, TIME, DATE, WEEKDAY})
_TRAITS = frozenset({NUMBER, VERSION, TIME, "mass", "length", "volume", "size", "power"})


def frame_of(
    tokens: Sequence[Token],
    language: Language,
    subject: int = 0,
    *,
    is_ordered: bool = False,
    has_parts: bool = False,
) -> tuple[Frame, str, bool]:
    """Give frame, joined canonical values, and whether an alias turns the polarity over ("hates" for "not prefers").

    The first `subject` tokens are the grammatical subject: what it says is part of the ordered identity, so that "Alice
    owes Bob 5" and "Bob owes Alice 5" are apart however they are written; so are labelling numbers and ids anywhere.
    `is_ordered` makes all content words ordered identity, where the subject is not known. `has_parts` keeps times with
    the words that they stand beside.
    """
    if subject == 0:
        # What only says that an order stands ("from now on") is no part of the order.
        tokens = _order(tokens, language)
    tokens = with_all([*tokens[:subject], *with_late_values(tokens[subject:], language.late)], language.late)
    tokens = with_choices(tokens, language)
    tokens = with_storey(tokens, (language.words["copula"], language.comparing.fronts.living), language.late)
    groups = groups_of(tokens, language, has_parts=has_parts)
    parts: list[Part] = []
    flips, had_verb = False, False
    for at, token in enumerate(tokens):
        place = Place(groups[at], is_verb(token, language))
        if token.kind is TokenKind.VALUE and _is_attribute(tokens, at, subject, language):
            parts.append(Part(token.canonical, place, names=True))
        elif token.kind is TokenKind.VALUE:
            parts.append(Part(MASK, place, type=token.type, value=token.canonical))
        elif token.kind is TokenKind.NAME:
            name = bare_name(token.text)
            # A quoted or marked word is the word itself; an id, a number that labels, an address names something.
            is_word = token.raw[:1] in '`"“«„' and name.isalpha()
            names = is_ordered or at < subject or token.type == IDENTITY or not is_word
            parts.append(Part(stem(name, language.code) if is_word else name, place, names=names))
        elif token.kind is TokenKind.WORD:
            if token.text in language.words["and"] and _is_between_values(tokens, at):
                continue
            root = _root(token, language)
            if root in language.drop and not (token.is_capitalised and token.text not in language.comparing.speaking):
                # Of names one may have the stem of a word that is left out: "Léa".
                continue
            if limits_value(tokens, at, language.late):
                parts.append(Part(f"{LIMIT_MARK}{root}", place, is_content=False))
                continue
            is_function = root in language.function and token.text in language.comparing.speaking
            is_told = is_marked(tokens, at, groups[at], language)
            if is_function and not (_is_direction(tokens, at, language) if is_told is None else is_told):
                # What may differ keeps two frames apart, but not from ruling on one another.
                parts.append(Part(f"{FUNCTION_MARK}{root}", place, is_content=False))
                continue
            if at >= subject and not had_verb:
                # Aliases are of verbs: "owns" is "has", but "its own note" is not "its have note".
                root, flips = language.aliases.get(root, (root, False))
                had_verb = True
            parts.append(Part(root, place, names=is_ordered or at < subject))
    frame, value = assembled(parts, is_ordered=is_ordered)
    return frame, value, flips


def _order(tokens: Sequence[Token], language: Language) -> Sequence[Token]:
    """Give an order without what only says that it stands: "from now on", "always"."""
    rest = tokens[phrase_at(tokens, 0, language.phrases["standing"]) :]
    is_order = len(rest) > 1 and rest[1].text in language.words["answering"]
    return rest[1:] if is_order and rest[0].text in language.comparing.always else rest


def _root(token: Token, language: Language) -> str:
    compare = language.comparing
    if token.text in compare.whole:
        # "Hermano" and "hermana" have one stem and are two people.
        return token.raw.lower() if token.raw.lower() in compare.marked else token.text
    one = next((token.text[: -len(end)] for end in ("es", "s") if token.text.endswith(end)), "")
    if one in compare.whole:
        return one
    return stem(spelt(token.text, language.comparing), language.code)


def _is_attribute(tokens: Sequence[Token], at: int, subject: int, language: Language) -> bool:
    """Say whether a value tells which thing the subject is: "the 9:30 bus", "my Monday class"; "on Sundays, …".

    What counts the subject ("3 servers run …") and what bounds it ("files over 25 MB") are values. Where the subject
    is not known, only a day at the very beginning tells it.
    """
    token = tokens[at]
    compare = language.comparing
    is_year = token.type == NUMBER and _YEAR.fullmatch(token.canonical) is not None
    if any(each.text in compare.listing for each in tokens[: min(at, 2)]):
        return token.type in _LISTED
    if not subject and tokens[0].text in compare.having and len(tokens) > at + 1:
        # "I have a 27 inch monitor": somebody who has a 32 inch one may have both.
        is_one = tokens[1].text in language.late.articles
        return is_one and token.type in _TRAITS and not any(each.type == RATE for each in tokens)
    if token.type in (NUMBER, RATE, TIMES) and not (is_year and at + 1 < subject):
        return False
    before = tokens[at - 1].text if at else ""
    if subject:
        is_inside = at + 1 < subject or (at < subject and token.type in _TELLING)
        return is_inside and before not in compare.thresholds
    light = language.closed | compare.speaking
    is_first = all(each.kind is TokenKind.WORD and each.text in light for each in tokens[:at])
    if token.type == VERSION:
        return at <= 1 and at + 2 < len(tokens)
    when = compare.fronts.adjuncts | compare.fronts.postpositions
    is_of_noun = at + 2 < len(tokens) and tokens[at + 1].kind is TokenKind.WORD and tokens[at + 1].text not in when
    is_measured = any(each.kind is TokenKind.VALUE for each in tokens[at + 1 :])
    if token.type == DATE and any(each.text in compare.fronts.due for each in tokens):
        return False
    # "A day pass costs 12 francs", "im Januar 2025 …".
    return is_first and is_of_noun and (is_measured or token.type in (DATE, WEEKDAY))


def _is_direction(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a function word tells where from, whom for, what with: the train to Rome is not the one from Rome."""
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    is_before_noun = follower is not None and follower.kind is not TokenKind.VALUE
    return is_before_noun and tokens[at].text in language.comparing.directions


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
