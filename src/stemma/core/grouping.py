"""Which words of a statement go together wherever they stand: a preposition or postposition and its noun, when it is.

"The office in Porto opens at 9" and "in Porto the office opens at 9" have one group, {in Porto}, beside what is told.
Knows tokens and a language's lists; judges no statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stemma.core.language_table import Language
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, IDENTITY, TIME, WEEKDAY, WEEKDAYS

# So many words may lead a noun: "antes de la", "near to the".
_MOST_LEADS = 4
_COMMAS = frozenset(",，、،;；")
# What says when or how often stands in front, behind, or where the language puts it.
_MOMENTS = frozenset({DATE, WEEKDAY, TIME, "times", "rate"})
_NAMED_DAY = re.compile(r"(?:\d{4}|-)-\d\d(?:-\d\d)?")


def groups_of(tokens: Sequence[Token], language: Language, *, has_parts: bool = False) -> list[int]:
    """Give the number of the group that each token is in, 0 for one that its order alone places.

    Where a statement `has_parts`, what tells when goes with one of them: "Ida sings on Monday and Tom dances".
    """
    fronts = language.comparing.fronts
    found = [0] * len(tokens)
    moments = () if has_parts else _free_moments(tokens, language)
    group, at = 0, 0
    while at < len(tokens):
        end = end_of_group(tokens, at, language)
        if end > at:
            group += 1
            found[at:end] = [group] * (end - at)
        elif at in moments:
            group += 1
            found[at] = group
        elif tokens[at].text in fronts.postpositions and not found[at]:
            begin = _begin_of_group(tokens, at, language)
            if begin < at:
                group += 1
                found[begin : at + 1] = [group] * (at + 1 - begin)
        at = max(end, at + 1)
    return found


def _free_moments(tokens: Sequence[Token], language: Language) -> Sequence[int]:
    """Give the places of what tells when: none where it is of two things ("lunch at 12, dinner at 19").

    Several stand side by side and are of several types: "on 14 June at six".
    """
    places = [at for at, token in enumerate(tokens) if _moment_of(token)]
    if len(places) < 2:
        return places
    light = language.closed | language.comparing.speaking | language.comparing.fronts.postpositions
    between = [token for at, token in enumerate(tokens[places[0] : places[-1]], places[0]) if at not in places]
    is_one = all(token.kind is TokenKind.WORD and token.text in light for token in between)
    return places if is_one and len({_moment_of(tokens[at]) for at in places}) == len(places) else ()


def is_of_parts(says: Sequence[Token], language: Language) -> bool:
    """Say whether something joins two parts of a statement: "and", a comma that stands in no date."""
    return any(
        token.text in language.words["and"] or (token.raw in _COMMAS and not _is_in_date(says, at))
        for at, token in enumerate(says)
    )


def _is_in_date(says: Sequence[Token], at: int) -> bool:
    """Say whether a comma parts two values: "Friday, November 7th, at 06:40"."""
    is_behind = at > 0 and says[at - 1].kind is TokenKind.VALUE
    return is_behind and any(token.kind is TokenKind.VALUE for token in says[at + 1 : at + 3])


def _moment_of(token: Token) -> str:
    """Give the type of a token that tells when or how often, as a value or, of what is somebody's own or over, a name.

    The text is empty for any other token.
    """
    if token.kind is TokenKind.VALUE:
        return token.type if token.type in _MOMENTS else ""
    if token.type != IDENTITY:
        return ""
    if token.text in WEEKDAYS:
        return WEEKDAY
    return DATE if _NAMED_DAY.fullmatch(token.text) else ""


def is_verb(token: Token, language: Language) -> bool:
    """Say whether a language's lists know a word as a verb that has its subject near."""
    word = token.text
    if token.kind is not TokenKind.WORD:
        return False
    listed = word in language.third or word in language.own_verbs or word in language.comparing.fronts.verbs
    return (
        listed
        or word in language.words["copula"]
        or (word in language.verbs and not language.comparing.fronts.noun_first)
    )


def leads(token: Token, language: Language) -> bool:
    """Say whether a word leads a noun: a preposition, and no article, verb or mere "of" as well."""
    words = language.words
    text = token.text
    if token.kind is not TokenKind.WORD or text in words["determiners"] or text in language.late.partitives:
        return False
    is_listed = text in words["prepositions"] or text in language.comparing.fronts.prepositions
    # Folded, the French verb in "il a une clé" is the preposition à.
    is_plain = token.raw.lower() == text
    return is_listed and text not in language.numerals.date_links and not (is_plain and _is_verb_too(text, language))


def _is_verb_too(text: str, language: Language) -> bool:
    return text in language.words["perfect"] or text in language.verbs or text in language.own_verbs


def is_light(token: Token, language: Language) -> bool:
    """Say whether a word only stands before a noun: an article, whose it is."""
    words = language.words
    return token.kind is TokenKind.WORD and (token.text in words["determiners"] or token.text in words["my"])


def end_of_group(tokens: Sequence[Token], at: int, language: Language) -> int:
    """Give the end of the group that begins at a place, the place itself where none does."""
    fronts = language.comparing.fronts
    if tokens[at].text in fronts.adjuncts and tokens[at].kind is TokenKind.WORD:
        return at + 1 + (at + 1 < len(tokens) and tokens[at + 1].text in fronts.postpositions)
    if not leads(tokens[at], language):
        return at
    here = at + 1
    while (
        here < len(tokens)
        and here - at < _MOST_LEADS
        and (tokens[here].text in language.words["prepositions"] or is_light(tokens[here], language))
    ):
        here += 1
    if here >= len(tokens) or not _is_noun(tokens[here], language) or tokens[here].type == IDENTITY:
        return at
    here += 1
    while here < len(tokens) and _goes_on(tokens, here, language):
        here += 1
    return here


def _goes_on(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a word still belongs to the noun before it: of a name, or of a noun with what leads it."""
    token = tokens[at]
    if not _is_noun(token, language) or token.type == IDENTITY or token.start > tokens[at - 1].end + 1:
        return False
    if language.inverts and tokens[at - 1].is_capitalised:
        # Where nouns have capitals the first noun ends it: "im Projekt Java 21".
        return False
    if language.comparing.fronts.noun_first:
        return token.is_capitalised and tokens[at - 1].is_capitalised
    return not is_verb(token, language)


def is_marked(tokens: Sequence[Token], at: int, group: int, language: Language) -> bool | None:
    """Say whether a postposition tells of its noun where, whither, whence; None for any other word.

    Behind a time it says nothing more: 夏に and 夏は, "3 मई को" and "3 मई".
    """
    fronts = language.comparing.fronts
    if tokens[at].text not in fronts.postpositions or at == 0:
        return None
    is_time = tokens[at - 1].kind is TokenKind.VALUE or tokens[at - 1].text in fronts.adjuncts
    if is_time:
        return False if tokens[at].text in fronts.moment_marks else None
    return True if group else None


def _is_noun(token: Token, language: Language) -> bool:
    if token.kind is TokenKind.NAME:
        return True
    is_word = token.kind is TokenKind.WORD and not leads(token, language) and not is_light(token, language)
    return is_word and token.text not in language.closed and token.text not in language.comparing.speaking


def _begin_of_group(tokens: Sequence[Token], at: int, language: Language) -> int:
    """Give the begin of the words that a postposition stands behind; where words have blanks between them, of one."""
    compare = language.comparing
    begin = at
    while (
        begin > 0
        and _is_noun(tokens[begin - 1], language)
        and tokens[begin - 1].text not in compare.fronts.postpositions
    ):
        begin -= 1
        if not compare.is_unspaced:
            break
    return begin
