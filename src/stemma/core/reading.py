"""A clause made ready for the forms: openers gone, subject, negation, ends and time phrases taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core.forms import FIRST, THIRD
from stemma.core.fronts import subject_first
from stemma.core.language_table import Language
from stemma.core.laughs import is_laugh
from stemma.core.phrases import Window, find_window
from stemma.core.sections import Phrase
from stemma.core.sentences import is_loose, phrase_at
from stemma.core.spelling import meant
from stemma.core.tokens import Token, TokenKind
from stemma.records import Act

# Stands in a phrase for any words between its parts; "…" in the file, since folding writes it out.
GAP = "..."
_MOST_PLACE = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """What a clause says, apart from its words.

    `tokens` are the words left, without an own subject; `person` is `first` or `third` for an own subject (I, the
    user), None for any other. `says` are all tokens of the clause, for its span.
    """

    says: tuple[Token, ...]
    tokens: tuple[Token, ...]
    person: str | None
    is_we: bool
    act: Act
    is_negated: bool
    is_future: bool
    is_frequent: bool
    had_do: bool
    is_order: bool
    window: Window


def expand(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Write contractions and elided words out; what comes of one word keeps its span."""
    found: list[Token] = []
    for token in tokens:
        if token.kind is not TokenKind.WORD or ("'" not in token.text and token.text not in language.contractions):
            found.append(_spelt(token, language))
        elif (full := language.contractions.get(token.text)) is not None:
            found.extend(token._replace(text=word) for word in full)
        else:
            found.extend(_parts(token, language))
    return found


def _spelt(token: Token, language: Language) -> Token:
    """Put the word in the place of one that is often mistyped, where nothing known is written."""
    word = token.text
    if not language.spelling or token.kind is not TokenKind.WORD or word in language.known:
        return token
    said = meant(word, language.spelling)
    return token if said == word else token._replace(text=said)


def _parts(token: Token, language: Language) -> list[Token]:
    head, mark, tail = token.text.partition("'")
    if tail and f"{head}'" in language.elisions:
        cut = len(head) + 1
        return [
            token._replace(text=f"{head}'", end=token.start + cut, raw=token.raw[:cut]),
            token._replace(text=tail, start=token.start + cut, raw=token.raw[cut:]),
        ]
    if mark and f"'{tail}" in language.words["possessive"]:
        cut = len(head)
        return [
            token._replace(text=head, end=token.start + cut, raw=token.raw[:cut]),
            token._replace(text=f"'{tail}", start=token.start + cut, raw=token.raw[cut:]),
        ]
    return [token._replace(text=head)] if mark and not tail else [token]


def read(says: Sequence[Token], language: Language, subject: Sequence[Token] = ()) -> Reading:
    """Take a clause apart; `subject` are tokens that it borrows from the clause before."""
    says = _without_trailers(says, language)
    words = [token for token in subject_first(says, language) if token.kind is not TokenKind.SIGN]
    words = _standing_first(_rewritten([*subject, *words], language), language)
    act, words = _ended(words, language)
    window = find_window(words, language, _needs(words, language))
    words = [token for at, token in enumerate(words) if at not in window.taken]
    person, is_we, rest = _subject(words, language)
    rest, is_frequent_first = _frequency_last(rest, language) if person is not None else (rest, False)
    rest, is_negated, had_do, is_order = _without_negation(rest, language)
    if had_do and person == THIRD:
        person = FIRST
    rest, is_future = _without_future(rest, language)
    rest = _without_adverbs(rest, language)
    is_frequent = is_frequent_first or _is_frequent(rest, language)
    return Reading(
        says=tuple(says),
        tokens=tuple(rest),
        person=person,
        is_we=is_we,
        act=act,
        is_negated=is_negated,
        is_future=is_future,
        is_frequent=is_frequent,
        had_do=had_do,
        is_order=is_order and person is None,
        window=window,
    )


def _without_trailers(says: Sequence[Token], language: Language) -> Sequence[Token]:
    """Take off the end what only rounds a turn off: "by the way", "please", a laugh."""
    trailers = language.phrases["trailers"]
    end = len(says)
    while end > 2:
        used = next((size for size in (4, 3, 2, 1) if end > size + 1 and _stands_last(says, end, size, trailers)), 0)
        if not used and not is_laugh(says[end - 1].text):
            break
        end -= used or 1
        while end > 2 and says[end - 1].kind is TokenKind.SIGN and is_loose(says[:end]):
            end -= 1
    return says[:end]


def _stands_last(says: Sequence[Token], end: int, size: int, phrases: dict[str, tuple[Phrase, ...]]) -> bool:
    return says[end - size].text in phrases and phrase_at(says[:end], end - size, phrases) == size


def _standing_first(tokens: list[Token], language: Language) -> list[Token]:
    """Bring "from now on" to the front of an instruction: "answer in metric from now on"."""
    phrases = language.phrases["standing"]
    if not any(token.text in phrases for token in tokens):
        return tokens
    words = language.words
    if phrase_at(tokens, 0, phrases):
        return tokens
    states = tokens[0].text in words["me"] or tokens[0].text in words["we"]
    if states and len(tokens) > 1 and tokens[1].text not in words["wanting"]:
        return tokens
    for at, token in enumerate(tokens):
        if at and token.text in phrases and (used := phrase_at(tokens, at, phrases)):
            return [*tokens[at : at + used], *tokens[:at], *tokens[at + used :]]
    return tokens


def _needs(tokens: Sequence[Token], language: Language) -> frozenset[str]:
    """Say which time phrases a clause can carry: "for two weeks" looks ahead, after "have lived" it looks back."""
    words = language.words
    needs = {""}
    texts = {token.text for token in tokens}
    if not texts.isdisjoint(words["undated"]):
        # "I was born on 3 May": the date is what is said, not when it holds.
        return frozenset(needs)
    is_own = not texts.isdisjoint(words["me"]) or not texts.isdisjoint(words["we"])
    if not is_own and tokens:
        is_own = tokens[0].text in words["bare"] or phrase_at(tokens, 0, language.phrases["user"]) > 0
    if is_own or (language.pro_drop and any(token.text in language.own_verbs for token in tokens[:4])):
        needs.add("own")
        if not texts.isdisjoint(words["perfect"]):
            needs.add("perfect")
        elif not texts.isdisjoint(words["stays"]):
            needs.add("present")
    return frozenset(needs)


def _rewritten(tokens: list[Token], language: Language) -> list[Token]:
    if language.rewrites.keys().isdisjoint(token.text for token in tokens):
        return tokens
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        for old, new in language.rewrites.get(tokens[at].text, ()):
            if tuple(token.text for token in tokens[at : at + len(old)]) == old:
                span = tokens[at], tokens[at + len(old) - 1]
                found.extend(span[0]._replace(text=word, end=span[1].end) for word in new)
                at += len(old)
                break
        else:
            found.append(tokens[at])
            at += 1
    return found


def _ended(tokens: list[Token], language: Language) -> tuple[Act, list[Token]]:
    """Take out what says that something holds no more: no longer, used to, stopped."""
    ends, used_to, stopping = (language.phrases[name] for name in ("ends", "used_to", "stopping"))
    for at, token in enumerate(tokens):
        if token.text not in ends and token.text not in used_to and token.text not in stopping:
            continue
        for phrase in ends.get(token.text, ()):
            if (positions := _gapped(tokens, at, phrase)) is not None:
                return Act.END, [token for here, token in enumerate(tokens) if here not in positions]
        if (used := phrase_at(tokens, at, used_to)) and not _is_no_past(tokens, at, language):
            return Act.END, tokens[:at] + tokens[at + used :]
        used = phrase_at(tokens, at, stopping)
        if used and at + used < len(tokens) and (base := language.ing.get(tokens[at + used].text)) is not None:
            verb = tokens[at + used]._replace(text=base)
            return Act.END, [*tokens[:at], verb, *tokens[at + used + 1 :]]
    return Act.SAY, tokens


def _is_no_past(tokens: list[Token], at: int, language: Language) -> bool:
    """Say whether words such as "before" stand for what comes first: "antes de comer", "am used to the cold"."""
    no_past = language.phrases["not_used_to"]
    return any(phrase_at(tokens, begin, no_past) > at - begin for begin in range(max(0, at - 1), at + 1))


def _gapped(tokens: list[Token], at: int, phrase: Phrase) -> set[int] | None:
    """Match a phrase that may hold a gap; give the positions of its words."""
    positions: set[int] = set()
    here = at
    may_skip = False
    for word in phrase:
        if word == GAP:
            may_skip = True
            continue
        while may_skip and here < len(tokens) and tokens[here].text != word:
            here += 1
        if here >= len(tokens) or tokens[here].text != word:
            return None
        positions.add(here)
        here += 1
        may_skip = False
    return positions


def _subject(tokens: list[Token], language: Language) -> tuple[str | None, bool, list[Token]]:
    """Take an own subject off the front: I, we, the user; or none before a verb that can do without (`bare`)."""
    if not tokens:
        return None, False, tokens
    words = language.words
    if phrase_at(tokens, 0, language.phrases["standing"]):
        return None, False, tokens
    if used := phrase_at(tokens, 0, language.phrases["user"]):
        return THIRD, False, tokens[used:]
    if tokens[0].text in words["me"]:
        return FIRST, False, tokens[1:]
    if tokens[0].text in words["we"]:
        return FIRST, True, _without_place(tokens[1:], language)
    if (at := _together_at(tokens, language)) or (at := _with_me_at(tokens, language)):
        return FIRST, True, tokens[at:]
    if tokens[0].text in words["bare"]:
        return THIRD, False, tokens
    if language.inverts and _is_inverted(tokens, language):
        return FIRST, tokens[1].text in words["we"], [tokens[0], *tokens[2:]]
    if phrase_at(tokens, 0, language.phrases["elided"]):
        # Only who speaks can be left out: "can't stand cilantro", "moved to Leeds".
        return FIRST, False, tokens
    return None, False, tokens


def _together_at(tokens: list[Token], language: Language) -> int:
    """Give the place of the verb of "me and two mates are …", 0 where somebody else or nobody is with the speaker."""
    words = language.words
    if tokens[0].text not in words["me_too"] or len(tokens) < _MOST_PLACE // 2 or tokens[1].text not in words["and"]:
        return 0
    places = range(3, min(len(tokens) - 1, _MOST_PLACE))
    return next((at for at in places if tokens[at].text in language.own_verbs), 0)


def _with_me_at(tokens: list[Token], language: Language) -> int:
    """Give the place behind "Jo and I", 0 where no short name stands with the speaker."""
    words = language.words
    for at in range(1, min(len(tokens) - 2, _MOST_PLACE - 1)):
        if tokens[at].text in words["and"] and tokens[at + 1].text in words["me"]:
            is_name = all(
                each.is_capitalised or each.text in words["my"] or each.text in words["relatives"]
                for each in tokens[:at]
            )
            return at + 2 if is_name else 0
    return 0


def _without_place(tokens: list[Token], language: Language) -> list[Token]:
    """Take out where we are, between us and our verb: "nous au labo on congèle", "nós cá no armazém contamos"."""
    words = language.words
    leads = words["prepositions"] | words["here"]
    if not words["we_endings"] or not tokens or tokens[0].text not in leads:
        return tokens
    for at, token in enumerate(tokens[1:_MOST_PLACE], start=1):
        if token.text in words["we"]:
            return tokens[at + 1 :] or tokens
        is_verb = any(token.text.endswith(end) and len(token.text) > len(end) + 1 for end in words["we_endings"])
        if is_verb and token.text not in language.closed and not token.is_capitalised and at > 1:
            return tokens[at:]
    return tokens


def _is_inverted(tokens: list[Token], language: Language) -> bool:
    """Say whether the subject stands behind its verb: "ab Mai wohne ich in Porto"."""
    if len(tokens) < 2 or tokens[0].text not in language.own_verbs:
        return False
    return tokens[1].text in language.words["me"] or tokens[1].text in language.words["we"]


def _without_negation(tokens: list[Token], language: Language) -> tuple[list[Token], bool, bool, bool]:
    """Take the negation of the main clause out, and the auxiliary that only carries it.

    Gives the words, whether one was found, whether an auxiliary went, and whether it stood first.
    """
    words = language.words
    order = phrase_at(tokens, 0, language.phrases["standing"])
    if order and tokens[0].text in words["negation"]:
        # "Nie wieder …" orders; it denies nothing.
        return tokens, False, False, False
    found: list[Token] = []
    is_negated, had_do, is_order, is_open = False, False, False, True
    for at, token in enumerate(tokens):
        follower = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.kind is TokenKind.WORD and is_open:
            if token.text in words["negation"] and not _is_inner(tokens, at, language):
                is_negated = True
                continue
            if token.text in words["no"] and (not found or at == 1 or _is_after_verb(found, language)):
                is_negated = True
                continue
            is_carrier = follower in words["negation"] or (at == 0 and follower in language.verbs)
            if token.text in words["do"] and follower and is_carrier:
                had_do = True
                is_order = not found
                continue
            is_open = token.text not in words["scope_breakers"]
        found.append(token)
    return found, is_negated, had_do, is_order


def _is_inner(tokens: list[Token], at: int, language: Language) -> bool:
    """Say whether a negation belongs to a verb inside the object: "prefer not to fly", "hate not being there"."""
    follower = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if follower in language.words["infinitive"]:
        return True
    is_after_copula = at > 0 and tokens[at - 1].text in language.words["copula"]
    return follower.endswith("ing") and bool(language.ing) and at > 0 and not is_after_copula


def _is_after_verb(found: list[Token], language: Language) -> bool:
    last = found[-1].text
    return last in language.own_verbs or last in language.third or last in language.verbs


def _without_future(tokens: list[Token], language: Language) -> tuple[list[Token], bool]:
    if len(tokens) > 1 and tokens[0].text in language.words["future"]:
        return tokens[1:], True
    return tokens, False


def _without_adverbs(tokens: list[Token], language: Language) -> list[Token]:
    """Take adverbs of degree off the front and the end, where they stand beside the verb or the whole."""
    adverbs = language.phrases["adverbs"]
    if phrase_at(tokens, 0, language.phrases["standing"]) > 1:
        return tokens
    at = 0
    while at < len(tokens) - 1 and (used := phrase_at(tokens, at, adverbs)):
        at += used
    # "am really fond", "wohne jetzt in": the adverb behind a copula or an own verb goes as well.
    if at + 2 < len(tokens) and _carries_adverb(tokens[at].text, language):
        while at + 2 < len(tokens) and (used := phrase_at(tokens, at + 1, adverbs)):
            tokens = tokens[: at + 1] + tokens[at + 1 + used :]
    end = len(tokens)
    for size in (2, 1):
        while end - at > size + 1 and phrase_at(tokens, end - size, adverbs) == size:
            end -= size
    return tokens[at:end]


def _carries_adverb(word: str, language: Language) -> bool:
    words = language.words
    return word in words["copula"] or word in words["perfect"] or word in language.own_verbs


def _frequency_last(tokens: list[Token], language: Language) -> tuple[list[Token], bool]:
    """Move "always" from before the verb to the end, so that both orders are one frame."""
    if len(tokens) > 2 and tokens[0].text in language.words["frequency"]:
        return [*tokens[1:], tokens[0]], True
    if len(tokens) > 2 and tokens[0].text in language.words["focus"]:
        return [*tokens[1:], tokens[0]], False
    return tokens, False


def _is_frequent(tokens: Sequence[Token], language: Language) -> bool:
    plurals, frequency = language.numerals.weekday_plurals, language.phrases["frequency"]
    return any(
        token.text in plurals or (token.text in frequency and phrase_at(tokens, at, frequency) > 0)
        for at, token in enumerate(tokens)
    )
