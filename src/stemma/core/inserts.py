"""What stands inside a sentence and says something of its own: an apposition, who somebody is, a request's reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stemma.core.clauses import Clause
from stemma.core.fronts import is_finite, without_openers
from stemma.core.language_table import Language
from stemma.core.sentences import Sentence, phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, TIME, WEEKDAY

_MOST_SUBJECT = 7
_MOST_INSERT = 9
_MOST_NAMES = 2
_FEWEST = 3


def without_apposition(sentence: Sentence, language: Language) -> Sentence:
    """Leave out what only names the subject anew between two commas: "my eldest, Ines, starts in May"."""
    place = _apposition(sentence.tokens, language)
    if place is None:
        return sentence
    first, second = place
    return sentence.with_tokens([*sentence.tokens[:first], *sentence.tokens[second + 1 :]])


def _apposition(tokens: Sequence[Token], language: Language) -> tuple[int, int] | None:
    words = language.words
    start = len(tokens) - len(without_openers(tokens, language))
    first = next((at for at, token in enumerate(tokens) if token.raw == "," and at > start), 0)
    if not start < first <= start + _MOST_SUBJECT or first + 2 >= len(tokens):
        return None
    head, subject = tokens[start], tokens[start:first]
    begins = head.text in words["definite"] or head.text in words["my"] or head.is_capitalised
    if not begins or any(is_finite(token.text, language) or token.text in words["me"] for token in subject):
        return None
    second = next((at for at in range(first + 2, len(tokens)) if tokens[at].raw == ","), 0)
    if not second or second - first - 1 > _MOST_INSERT or tokens[first + 1].text in words["and"]:
        return None
    rest = [token for token in tokens[second + 1 :] if token.text not in words["focus"] | words["adverbs"]]
    if not rest or rest[0].kind is not TokenKind.WORD:
        return None
    is_list = any(token.text in words["and"] for token in tokens[second + 1 : second + 2])
    return (first, second) if not is_list and _is_verb(rest[0], language) else None


def _is_verb(token: Token, language: Language) -> bool:
    words = language.words
    if is_finite(token.text, language) or token.text in words["perfect"] or token.text in words["turns"]:
        return True
    if token.text in language.closed or token.is_capitalised:
        return False
    return any(token.text.endswith(end) and len(token.text) > len(end) + 2 for end in words["verb_endings"])


def inserted(sentence: Sentence, language: Language) -> Iterator[Sentence]:
    """Give what a sentence says in passing, as sentences of their own, in order.

    Who somebody of the speaker's is ("my son, who has asthma"), what the speaker is ("as a nurse, I …"), and the reason
    of a request or question ("… since I live in Leeds?").
    """
    tokens = sentence.tokens
    if (place := _apposition(tokens, language)) is not None and tokens[place[0] + 1].text in language.words["who"]:
        start = len(tokens) - len(without_openers(tokens, language))
        yield _part(sentence, [*tokens[start : place[0]], *tokens[place[0] + 2 : place[1]]])
    if (role := _role(tokens, language)) is not None:
        yield _part(sentence, role)
    for at, token in enumerate(tokens):
        if token.text in language.words["my"] and (kin := _kin_at(tokens, at, language)) is not None:
            yield _part(sentence, kin)
    if sentence.is_question and (reason := _reason(tokens, language)) is not None:
        yield _part(sentence, reason)


def _part(sentence: Sentence, tokens: Sequence[Token]) -> Sentence:
    start, end = min(token.start for token in tokens), max(token.end for token in tokens)
    return replace(sentence, tokens=tuple(tokens), is_question=False, start=start, end=end)


def _role(tokens: Sequence[Token], language: Language) -> list[Token] | None:
    """Read "as a nurse, …" and "as someone who is deaf, …" as "I am a nurse", "I am deaf"."""
    words = language.words
    lead = phrase_at(tokens, 0, language.phrases["asides"])
    comma = next((at for at, token in enumerate(tokens) if token.raw == ","), 0)
    role = tokens[lead:comma]
    asks = any(token.text in words["wanting"] for token in tokens[comma + 2 : comma + 3])
    if (
        not lead
        or not role
        or asks
        or len(role) > _MOST_SUBJECT
        or any(token.text in words["not_roles"] for token in role)
    ):
        return None
    me = sorted(words["me"], key=lambda word: (-len(word), word))[0]
    be = next(iter(sorted(words["being"])), "")
    begin = tokens[0]
    article = [token for token in tokens[lead - 1 : lead] if token.text in words["articles"]]
    own = [begin._replace(text=me, end=begin.start), begin._replace(text=be, end=begin.start)]
    if role[0].text in words["copula"]:
        return [*own, *role[1:]]
    if is_finite(role[0].text, language):
        base = language.third_of.get(role[0].text, role[0].text)
        return [own[0], role[0]._replace(text=base), *role[1:]]
    return [*own, *article, *role]


def _kin_at(tokens: Sequence[Token], at: int, language: Language) -> list[Token] | None:
    """Read "my son Theo, who has asthma," and "my vegan sister" as statements of these people."""
    words = language.words
    place = at + 1
    while place < len(tokens) and place - at <= _MOST_NAMES and not phrase_at(tokens, place, language.phrases["kin"]):
        place += 1
    used = phrase_at(tokens, place, language.phrases["kin"])
    if not used:
        return None
    named = place + used
    adjective = next((each for each in tokens[at + 1 : place] if each.text in words["diets"]), None)
    if adjective is None and named < len(tokens) and tokens[named].text in words["diets"]:
        adjective = tokens[named]
    be = next(iter(sorted(words["its_being"])), "")
    if adjective is not None and be:
        joint = tokens[place + used - 1]
        return [tokens[at], *tokens[place : place + used], joint._replace(text=be, start=joint.end), adjective]
    while named < len(tokens) and named - place - used < _MOST_NAMES and tokens[named].is_capitalised:
        named += 1
    relative = named + (named < len(tokens) and tokens[named].raw == ",")
    if relative + 2 >= len(tokens) or tokens[relative].text not in words["who"]:
        return None
    end = next((each for each in range(relative + 1, len(tokens)) if tokens[each].raw in ",;:?"), len(tokens))
    said = tokens[relative + 1 : end]
    if language.inverts and said and is_finite(said[-1].text, language):
        said = [said[-1], *said[:-1]]
    if not said or not (is_finite(said[0].text, language) or _is_verb(said[0], language)):
        return None
    return [*tokens[at:named], *said]


def kin_of(tokens: Sequence[Token], language: Language) -> tuple[Token, ...]:
    """Give the kin of the speaker's that a clause names: "my son", empty where it names none."""
    for at, token in enumerate(tokens[:-1]):
        if token.text in language.words["my"] and (used := phrase_at(tokens, at + 1, language.phrases["kin"])):
            return tuple(tokens[at : at + 1 + used])
    return ()


def spoken_of(clause: Clause, kin: Sequence[Token], language: Language) -> Clause:
    """Put kin that were just named in the place of the pronoun for them: "my son's party, he's six"."""
    words = language.words
    tokens = clause.tokens
    if not kin or len(tokens) < _FEWEST or tokens[0].text not in words["persons"] or clause.subject:
        return clause
    if (
        not is_finite(tokens[1].text, language)
        or tokens[2].text in words["my"]
        or tokens[1].text in words["past_copula"]
    ):
        return clause
    begin = tokens[0]
    named = [token._replace(start=begin.start, end=begin.end) for token in kin]
    return replace(clause, tokens=(*named, *tokens[1:]))


def is_note(label: Clause | None, sentence: Sentence, language: Language) -> bool:
    """Say whether what stands before a colon has us keep what follows: "note for later: …", "how we do refunds: …"."""
    if label is None:
        first, second = sentence.tokens[:2]
        return first.text in language.words["wh"] and second.text in language.words["we"]
    return phrase_at(label.tokens, 0, language.phrases["note_labels"]) == len(label.tokens)


def dated_event(label: Clause | None, clause: Clause, language: Language) -> Clause:
    """Read "team offsite: 4 to 6 May" as what it says: the label is when it says."""
    words = language.words
    if label is None or not clause.after_colon or not language.comparing.colon or len(label.tokens) > _MOST_SUBJECT:
        return clause
    is_event = any(token.text in words["events"] for token in label.tokens)
    is_dated = any(token.type in (DATE, TIME, WEEKDAY) for token in clause.tokens[:_FEWEST])
    if not is_event or not is_dated or any(is_finite(token.text, language) for token in label.tokens):
        return clause
    first = clause.tokens[0]
    copula = language.comparing.colon[-1]
    joint = first._replace(kind=TokenKind.WORD, text=copula, raw=copula, type="", end=first.start)
    return replace(clause, tokens=(*label.tokens, joint, *clause.tokens))


def _reason(tokens: Sequence[Token], language: Language) -> Sequence[Token] | None:
    """Give the reason that a question states of the speaker: "… since I'm vegan?"."""
    words = language.words
    own = words["me"] | words["we"] | words["my"]
    for at in range(1, len(tokens) - _FEWEST):
        used = phrase_at(tokens, at, language.phrases["givens"])
        if used and at + used < len(tokens) and tokens[at + used].text in own:
            end = next((each for each in range(at + used, len(tokens)) if tokens[each].raw in ",;:?"), len(tokens))
            return tokens[at + used : end]
    return None


__all__ = ["dated_event", "inserted", "is_note", "kin_of", "spoken_of", "without_apposition"]
