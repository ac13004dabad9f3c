"""Who is the one that there is of: "our supplier of flour is Molinos del Ebro", "Mr Abbott is my landlord".

Of friends and cousins there may be several, of the roles that a language lists one has one at a time. Lists alone say
what a role, a title and a name is; what is told of somebody in any other words ("is from Porto") fills no role.
"""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.language_table import Language
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import NUMBER, bare_name

# A role has so many words with what it is of, a name so many with its title; signs where a script has no blanks.
_MOST_ROLE = 7
_MOST_NAME = 5
_MOST_SIGNS = 10
_DASHES = frozenset("—–-")
# Among copulas: none need stand there.
NO_COPULA = "—"

Filled = tuple[Sequence[Token], Sequence[Token]]


def role_of(tokens: Sequence[Token], language: Language) -> Filled | None:
    """Give the words of a role and of the name that fills it, None where a clause says anything else."""
    if not language.comparing.roles.roles:
        return None
    if any(token.text in language.comparing.beside for token in tokens):
        # "Mi entrenador es Toño y también Fede".
        return None
    plain = language.words["adverbs"] | language.comparing.roles.now
    said = [token for token in tokens if token.kind is not TokenKind.SIGN and token.text not in plain]
    dash = next((token.end for token in tokens if token.raw in _DASHES), 0)
    return _name_last(said, language, dash) or _name_first(said, language)


def code_of(tokens: Sequence[Token], language: Language) -> Filled | None:
    """Give the words of a listed thing and its code, in figures or letters: "код от подъезда 4471"."""
    roles = language.comparing.roles
    said = [token for token in tokens if token.kind is not TokenKind.SIGN]
    said = [token for token in said if token.text not in language.words["adverbs"] | roles.now | roles.copulas]
    named = next((at for at in range(len(said)) if phrase_at(said, at, roles.things)), -1)
    code = said[-1:]
    is_code = bool(code) and _is_code(code[0])
    noun = [token for token in said[:-1] if token.text not in roles.subject_marks]
    if named < 0 or not is_code or len(noun) > _MOST_ROLE or any(token.kind is TokenKind.VALUE for token in noun):
        return None
    return noun, code


def _is_code(token: Token) -> bool:
    if token.kind is TokenKind.VALUE:
        return token.type == NUMBER
    return any(char.isdecimal() for char in token.raw) and token.raw.isascii()


def without_title(name: Sequence[Token], language: Language) -> Sequence[Token]:
    """Give a name without the titles and articles around it: "la doctora Salas" and "Salas" are one."""
    light = language.comparing.roles.titles | language.words["articles"]
    kept = list(name)
    while len(kept) > 1 and _is_of(kept[0], light):
        del kept[0]
    while len(kept) > 1 and _is_of(kept[-1], light):
        del kept[-1]
    return kept


def role_key(noun: Sequence[Token], language: Language) -> str:
    """Give the words that name a role: without whose it is, articles and what is left out of every frame."""
    words = language.words
    light = words["determiners"] | words["my"] | words["definite"] | language.comparing.roles.leads
    return " ".join(bare_name(token.text) for token in noun if token.text not in light).replace(" '", "'")


def is_of_role(key: str, language: Language) -> bool:
    """Say whether the noun phrase of a slot's key has a listed role for its head: "trainer", "head trainer"."""
    phrases = (" ".join(phrase) for listed in language.comparing.roles.roles.values() for phrase in listed)
    if language.comparing.fronts.noun_first:
        return any(key == phrase or key.startswith(f"{phrase} ") for phrase in phrases)
    return any(key == phrase or key.endswith(f" {phrase}") for phrase in phrases)


def is_role(noun: Sequence[Token], language: Language) -> bool:
    """Say whether a noun phrase names a listed role, and begins with it or with whose it is."""
    roles = language.comparing.roles.roles
    if not 0 < len(noun) <= (_MOST_SIGNS if language.comparing.is_unspaced else _MOST_ROLE):
        return False
    return any(phrase_at(noun, at, roles) for at in range(len(noun)))


def _name_last(said: Sequence[Token], language: Language, dash: int) -> Filled | None:
    """Read "our accountant is Rosa Beltrán"; where a dash stands for the copula, the name begins behind it."""
    roles = language.comparing.roles
    end = len(said)
    while end and _is_of(said[end - 1], roles.copulas):
        end -= 1
    begin = _begin_of_name(said[:end], language)
    if dash and NO_COPULA in roles.copulas:
        begin = next((at for at, token in enumerate(said) if token.start >= dash), end)
    name = said[begin:end]
    joint = begin
    joints = language.comparing.roles.copulas | language.words["copula"] | language.comparing.roles.subject_marks
    while joint and _is_of(said[joint - 1], joints):
        joint -= 1
    noun = said[:joint]
    is_joined = joint < begin or end < len(said) or NO_COPULA in roles.copulas
    if not name or not is_joined or not _is_name(name, said, language) or not _owns(noun, language):
        return None
    return noun, without_title(name, language)


def _name_first(said: Sequence[Token], language: Language) -> Filled | None:
    """Read "Mr Abbott is my landlord"."""
    words = language.words
    for at, token in enumerate(said[1 : _MOST_NAME + 1], start=1):
        if NO_COPULA in language.comparing.roles.copulas and phrase_at(said, at, language.comparing.roles.roles):
            name, noun = said[:at], said[at:]
            is_whole = _is_name(name, said, language) and _owns(noun, language)
            return (noun, without_title(name, language)) if is_whole else None
        if token.text in words["copula"]:
            name, noun = said[:at], said[at + 1 :]
            is_owned = bool(noun) and any(each.text in words["my"] for each in noun[:2])
            if is_owned and _is_name(name, said, language) and _owns(noun, language):
                return noun, without_title(name, language)
            return None
    return None


def _owns(noun: Sequence[Token], language: Language) -> bool:
    """Say whether a noun phrase is a role that is pointed at: my, our, the; "uno de nuestros …" is not."""
    if not is_role(noun, language):
        return False
    words = language.words
    light = words["my"] | words["definite"] | language.comparing.roles.leads
    # A language without articles points at nothing: "бухгалтер — Ольга" is ours all the same.
    begins = (
        noun[0].text in light
        or not words["definite_articles"]
        or bool(phrase_at(noun, 0, language.comparing.roles.roles))
    )
    if noun[-1].text in words["prepositions"]:
        # "Мой начальник из Самары".
        return False
    others = words["others"] | words["you"] | words["wh"] | words["negation"] | language.comparing.beside
    return begins and not any(token.text in others or token.kind is TokenKind.VALUE for token in noun)


def _begin_of_name(said: Sequence[Token], language: Language) -> int:
    """Give the place where the name at the end begins."""
    compare = language.comparing
    if compare.is_unspaced:
        stops = compare.roles.copulas | compare.roles.subject_marks
        begin = next((at for at in range(1, len(said)) if _ends_role(said, at, language)), len(said))
        while begin < len(said) and _is_of(said[begin], stops):
            begin += 1
        return begin
    begin = len(said)
    if all(token.raw.islower() for token in said):
        # Where nothing is capitalised, a listed name behind the copula begins one.
        joints = compare.roles.copulas | language.words["copula"] | language.words["articles"]
        places = (
            at for at in range(1, len(said)) if said[at].text in compare.roles.names and said[at - 1].text in joints
        )
        return next(places, begin)
    while begin and _may_be_of_name(said, begin - 1, language):
        begin -= 1
    while (
        begin < len(said) - 1
        and said[begin].text in compare.roles.links
        and said[begin].text not in language.words["articles"]
    ):
        begin += 1
    return begin


def _ends_role(said: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a role ends before a place where a mark of the subject or a copula stands."""
    roles = language.comparing.roles
    if not _is_of(said[at], roles.copulas | roles.subject_marks):
        return False
    end = at - _is_of(said[at - 1], roles.titles)
    return any(begin + phrase_at(said[:at], begin, roles.roles) in (at, end) for begin in range(end))


def _may_be_of_name(said: Sequence[Token], at: int, language: Language) -> bool:
    compare = language.comparing
    token = said[at]
    if token.kind is TokenKind.NAME or _is_of(token, compare.roles.titles) or _is_of(token, compare.roles.names):
        return True
    if (
        token.kind is not TokenKind.WORD
        or token.text in compare.roles.copulas
        or phrase_at(said, at, compare.roles.roles)
    ):
        return False
    is_inside = at + 1 < len(said) and token.text in compare.roles.links | language.words["articles"]
    return token.is_capitalised or is_inside


def _is_name(name: Sequence[Token], said: Sequence[Token], language: Language) -> bool:
    """Say whether words are a name: a title before or behind them, a listed name, or capitals all through."""
    compare = language.comparing
    if len(name) > (_MOST_SIGNS if compare.is_unspaced else _MOST_NAME):
        return False
    if any(token.kind is TokenKind.VALUE for token in name):
        return False
    bare = without_title(name, language)
    if any(_is_of(token, compare.roles.not_names) for token in bare) or any(
        _is_of(t, compare.roles.titles) for t in bare
    ):
        return False
    if len(bare) < len([token for token in name if token.text not in language.words["articles"]]):
        return True
    if any(_is_of(token, compare.roles.names) for token in bare):
        return True
    if compare.roles.surnames:
        written = "".join(token.raw for token in bare)
        return written[:1] in compare.roles.surnames and 2 <= len(written) <= 3
    plain = [token for token in bare if token.text not in compare.roles.links]
    if len(plain) == 1 and plain[0].text.endswith(compare.roles.not_name_endings):
        # Where nouns have capitals, one alone may be what somebody is: "mein Trainer ist Weltmeister".
        return False
    is_owned = any(token.text in language.words["my"] | compare.roles.leads for token in name)
    return bool(plain) and not is_owned and all(token.is_capitalised or token.kind is TokenKind.NAME for token in plain)


def _is_of(token: Token, listed: frozenset[str]) -> bool:
    return token.text in listed or token.text.rstrip(".") in listed
