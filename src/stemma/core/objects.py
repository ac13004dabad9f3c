"""What may stand in the `{value}` of a form, and its canonical text: places, names, roles, dates, objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stemma.core.asides import is_happening
from stemma.core.blood import blood_group
from stemma.core.language_table import Language
from stemma.core.nominal import is_perfect, tells_of
from stemma.core.piece import Piece
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, TIME, WEEKDAY, canonical_of

Checked = tuple[tuple[Token, ...], str]
_MOST_NAME = 4
_MOST_ROLE = 6
_MOST_MOOD = 2


def is_blank_object(piece: Piece, at: int) -> bool:
    """Say whether what begins at a place names nothing by itself: it, that, you."""
    return is_blank(piece.tokens[at:], piece.language)


def is_blank(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether words name nothing by themselves."""
    used = phrase_at(tokens, 0, language.phrases["empty_objects"])
    if not tokens or used == len(tokens) or tokens[0].text in language.words["references"]:
        return bool(tokens)
    if all(token.text in language.words["determiners"] for token in tokens):
        return True
    return phrase_at(tokens, 0, language.phrases["empty_starts"]) > 0


def _cut(piece: Piece, begin: int, end: int, most: int) -> tuple[Token, ...]:
    """Give the value's tokens up to a word or sign that ends it; empty where it is longer than `most`."""
    found: list[Token] = []
    for token in piece.tokens[begin:end]:
        if found and token.kind is TokenKind.WORD and token.text in piece.language.words["value_stops"]:
            break
        found.append(token)
        if token.end in piece.sign_ends:
            break
    return tuple(found) if len(found) <= most else ()


def _without_article(tokens: tuple[Token, ...], language: Language) -> tuple[Token, ...]:
    if len(tokens) > 1 and tokens[0].text in language.words["articles"]:
        return tokens[1:]
    return tokens


def _named(tokens: tuple[Token, ...], piece: Piece, may_be_small: bool) -> tuple[Token, ...]:
    """Give a name without its article, if it is one: capitals, or small letters throughout the clause."""
    language = piece.language
    bare = _without_article(tokens, language)
    if not bare or bare[0].kind not in (TokenKind.WORD, TokenKind.NAME):
        return ()
    if bare[0].text in language.words["not_places"] or bare[0].text in language.words["determiners"]:
        return ()
    if bare[0].is_capitalised or bare[0].kind is TokenKind.NAME or not bare[0].raw[:1].islower():
        return bare
    # The chat that writes no capitals at all writes none in names.
    is_small = all(not token.is_capitalised for token in piece.reading.says)
    return bare if may_be_small and is_small and len(bare) == len(tokens) and len(bare) <= 3 else ()


def _place(piece: Piece, begin: int, end: int) -> Checked | None:
    found = _named(_cut(piece, begin, end, _MOST_NAME), piece, may_be_small=True)
    return (found, canonical_of(found)) if found else None


def _new_place(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a move for a change of home where one person moved: a group moves to Kubernetes as well."""
    return None if piece.reading.is_we else _place(piece, begin, end)


def _stay(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a stay for a home only if it is bounded, "in Berlin this week", or goes on: "have been there since May"."""
    window = piece.reading.window
    since = window.valid_from is not None and piece.tokens[0].text in piece.language.words["perfect"]
    if window.valid_to is None and not since:
        return None
    found = _named(_cut(piece, begin, end, _MOST_NAME), piece, may_be_small=False)
    return (found, canonical_of(found)) if found else None


def _name(piece: Piece, begin: int, end: int) -> Checked | None:
    found = _named(_cut(piece, begin, end, _MOST_NAME), piece, may_be_small=False)
    return (found, canonical_of(found)) if found else None


def _any_name(piece: Piece, begin: int, end: int) -> Checked | None:
    found = _named(_cut(piece, begin, end, _MOST_NAME), piece, may_be_small=True)
    return (found, canonical_of(found)) if found else None


def _organisation(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a name, or what `the` points at: "the city council"."""
    if (named := _name(piece, begin, end)) is not None:
        return named
    found = _cut(piece, begin, end, _MOST_NAME)
    language = piece.language
    if len(found) < 2 or found[0].text not in language.words["definite_articles"]:
        return None
    if found[-1].text in language.words["vague_organisations"]:
        return None
    return found[1:], canonical_of(found[1:])


def _role(piece: Piece, begin: int, end: int) -> Checked | None:
    found = _without_article(_cut(piece, begin, end, _MOST_ROLE), piece.language)
    return (found, canonical_of(found)) if found and found[0].kind is not TokenKind.VALUE else None


def _job(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a noun for a job only if its head is listed as one."""
    words = piece.language.words
    found = _without_article(_cut(piece, begin, end, _MOST_ROLE), piece.language)
    head = next((at for at, token in enumerate(found) if token.text in words["prepositions"]), len(found)) - 1
    is_job = bool(found) and (_is_job(found[head], piece.language) or found[0].text in words["jobs"])
    return (found, canonical_of(found)) if is_job else None


def _is_job(token: Token, language: Language) -> bool:
    """Say whether a noun is a listed job, or ends as the names of those do who do something."""
    words = language.words
    word = token.text
    if word in words["jobs"]:
        return True
    if token.kind is not TokenKind.WORD or word in words["not_jobs"] or word in language.closed:
        return False
    is_noun = language.capitals or token.is_capitalised
    return is_noun and any(word.endswith(ending) and len(word) > len(ending) + 2 for ending in words["job_endings"])


def _date(piece: Piece, begin: int, end: int) -> Checked | None:
    dates = [token for token in piece.tokens[begin:end] if token.type == DATE and len(token.canonical) >= 7]
    return ((dates[0],), dates[0].canonical) if len(dates) == 1 and end - begin <= 4 else None


def _blood(piece: Piece, begin: int, end: int) -> Checked | None:
    start = piece.tokens[begin].start
    written = tuple(token for token in piece.reading.says if token.start >= start)
    group = blood_group(" ".join(token.raw for token in written))
    return (written, group) if group is not None else None


def _object(piece: Piece, begin: int, end: int) -> Checked | None:
    words = piece.language.words
    first = piece.tokens[begin]
    if first.text in words["infinitive"] and end - begin == 1:
        return None
    had = piece.tokens[begin - 1].text in words["perfect"] and is_perfect(piece.tokens[begin:end], piece.language)
    if had or is_blank_object(piece, begin):
        return None
    # "The way you explain it" and "seeing them" speak of what only the talk knows, and last as long as it does.
    pointing = words["you"] | words["pointing"]
    is_pointing = any(token.text in pointing for token in piece.tokens[begin:end])
    return None if is_pointing or _is_choice(piece, begin, end) else (piece.tokens[begin:end], "")


def _is_choice(piece: Piece, begin: int, end: int) -> bool:
    """Say whether one of several things in this talk is picked: "the second one", "option B", "the shorter better"."""
    words = piece.language.words
    while begin < end - 1 and piece.tokens[begin].text in words["comparing"]:
        begin += 1
    found = piece.tokens[begin:end]
    head = next((at for at, token in enumerate(found) if at and token.text in words["prepositions"]), len(found))
    points = found[0].text in words["definite_articles"]
    for at, token in enumerate(found[:head]):
        is_marked = at + 1 < len(found) and found[at + 1].kind is not TokenKind.WORD
        if token.text in words["turn_nouns"] and (points or is_marked):
            return True
    return points and found[-1].text in words["comparing"]


def _thing(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what is used, kept or had; not what is to be done ("have to go"), nor what passes ("have a question")."""
    words = piece.language.words
    found = piece.tokens[begin:end]
    if found[0].text in words["infinitive"]:
        # "I have to go" is to be done; "I listen to podcasts" is not.
        is_done = end - begin > 1 and found[1].text not in piece.language.verbs and not _has(piece)
        return (found, "") if is_done and not is_blank_object(piece, begin + 1) else None
    stops = words["prepositions"] | words["and"]
    head = next((at for at, token in enumerate(found) if token.text in stops), len(found))
    head = next((at + 1 for at, token in enumerate(found[:head]) if token.end in piece.sign_ends), head)
    is_passing = any(token.text in words["passing_things"] for token in found[:head])
    if _has(piece) and tells_of(found, piece.language):
        return None
    is_going_on = found[0].text in piece.language.ing and piece.tokens[begin - 1].text in words["going_on"]
    return None if is_passing or is_going_on else _object(piece, begin, end)


def _has(piece: Piece) -> bool:
    return piece.tokens[0].text in piece.language.words["perfect"]


def _liked(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what is liked; an article that could be a pronoun as well ("je l'aime") is one before the noun."""
    is_article = piece.tokens[begin].text in piece.language.words["articles"] and end - begin > 1
    is_plain = is_article and not _is_choice(piece, begin, end)
    return (piece.tokens[begin:end], "") if is_plain else _object(piece, begin, end)


def _event_date(piece: Piece, begin: int, end: int) -> Checked | None:
    tokens = piece.tokens[begin:end]
    is_event = any(token.text in piece.language.words["events"] for token in tokens)
    is_dated = any(token.type in (DATE, WEEKDAY, TIME) for token in tokens) or piece.reading.window.valid_to is not None
    return (tokens, "") if is_event and is_dated else None


def _instruction(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take an instruction that is marked as standing, or one that says how to answer."""
    words = piece.language.words
    tokens = piece.tokens[begin:end]
    is_marked = phrase_at(piece.tokens, 0, piece.language.phrases["standing"]) > 0
    is_to_us = tokens[0].text in words["answering"] or (
        tokens[0].text in piece.language.verbs
        and any(token.text in words["addressing"] | words["my"] for token in tokens[1:])
    )
    # "From now on he lived in Rome" tells a story.
    is_relative = tokens[0].text in words["relative"]
    is_told = (
        tokens[0].text in words["others"]
        and not is_relative
        and len(tokens) > 1
        and tokens[1].text not in words["copula"]
    )
    return (
        (tokens, "")
        if ((is_marked and not is_told) or is_to_us) and not is_happening(piece.reading, piece.language)
        else None
    )


def _ours(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a decision that a group has made, not what one person has made up their mind to."""
    return None if piece.reading.person is not None and not piece.reading.is_we else (piece.tokens[begin:end], "")


def _ban(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a request for standing only where it forbids: "use tabs" is for now, "don't use emojis" for good."""
    words = piece.language.words
    marks = words["please"] | words["never"] | words["addressing"]
    is_lasting = piece.tokens[0].text in words["lasting_bans"] and not _is_definite(piece, begin)
    is_ban = piece.reading.is_negated and (is_lasting or any(token.text in marks for token in piece.reading.says))
    return (piece.tokens[begin:end], "") if is_ban and not is_blank_object(piece, begin) else None


def _is_definite(piece: Piece, at: int) -> bool:
    words = piece.language.words
    return piece.tokens[at].text in words["definite"] or piece.tokens[at].text in words["others"]


def _post(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what somebody is on for a post if it is named or listed: "on Payments", "on the night shift team"."""
    found = piece.tokens[begin:end]
    posts = piece.language.words["posts"]
    named = found[1:2] if found[0].text in piece.language.words["articles"] else found[:1]
    is_post = any(token.is_capitalised for token in named) or any(token.text in posts for token in found)
    return (found, "") if is_post and not is_blank_object(piece, begin) else None


def _gift(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a thing given by somebody, not hope or a hug."""
    words = piece.language.words
    found = piece.tokens[begin:end]
    is_thing = found[0].text in words["determiners"] or found[0].kind is TokenKind.VALUE
    is_passing = any(token.text in words["passing_things"] for token in found)
    return (found, "") if is_thing and not is_passing and piece.tokens[0].text not in words["others"] else None


def _gift_given(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take a thing that somebody was given, however little is said of it; no chance, hug or headache."""
    words = piece.language.words
    return (
        None if any(token.text in words["passing_things"] for token in piece.tokens) else (piece.tokens[begin:end], "")
    )


def _person(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take who somebody is or what they are called; not how they are just now, nor what they are about to do."""
    language = piece.language
    words = language.words
    first = piece.tokens[begin]
    is_doing = first.text in language.ing and first.text not in words["lasting"] | words["ongoing"]
    is_remark = phrase_at(piece.tokens, begin, language.phrases["evaluating"]) > 0
    is_mood = first.text in words["transient"] and end - begin <= _MOST_MOOD
    return None if is_doing or is_remark or is_mood else (piece.tokens[begin:end], "")


def _project(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what takes months to make: a novel, an app."""
    found = piece.tokens[begin:end]
    return (found, "") if any(token.text in piece.language.words["projects"] for token in found) else None


def _anything(piece: Piece, begin: int, end: int) -> Checked | None:
    return piece.tokens[begin:end], ""


def _specific(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what holds a value or a name: "everything runs on Debian 12", but not "everything is fine"."""
    found = piece.tokens[begin:end]
    is_specific = any(token.kind is not TokenKind.WORD or token.is_capitalised for token in found)
    return (found, "") if is_specific else None


def _changed(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what something was changed to, if it stays so: no talk of the moment, nothing that only points."""
    found = piece.tokens[begin:end]
    words = piece.language.words
    pointing = words["you"] | words["pointing"] | words["yours"]
    is_empty = (
        found[-1].text in words["prepositions"]
        or is_blank_object(piece, begin)
        or any(token.text in pointing for token in found)
    )
    is_passing = found[0].text in words["transient"] or any(
        token.text in words["passing_things"] for token in found[:3]
    )
    return None if is_empty or is_passing or _is_choice(piece, begin, end) else (found, "")


def _ours_changed(piece: Piece, begin: int, end: int) -> Checked | None:
    return _changed(piece, begin, end) if piece.reading.is_we else None


def _schedule(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take hours and days for a habit: "nights, 22 to 6", "three days a week"."""
    words = piece.language.words
    found = piece.tokens[begin:end]
    timely = any(token.text in words["shifts"] or token.type in (DATE, TIME, WEEKDAY, "duration") for token in found)
    return (found, "") if timely else None


def _toward(piece: Piece, begin: int, end: int) -> Checked | None:
    """Take what may follow "I trust you", but no verb: "I trust you slept well" only greets."""
    language = piece.language
    first = piece.tokens[begin].text
    closed = language.words["copula"] | language.words["past_copula"] | language.words["perfect"]
    is_verb = first in language.verbs or first in closed or first in language.words["fact_modal"]
    is_past = first in language.words["participles"] or (bool(language.verbs) and first.endswith("ed"))
    return None if is_verb or is_past else (piece.tokens[begin:end], "")


CHECKS: Mapping[str, Callable[[Piece, int, int], Checked | None]] = {
    "any": _anything,
    "event": _anything,
    "person": _person,
    "ours": _ours,
    "ban": _ban,
    "post": _post,
    "gift": _gift,
    "object": _object,
    "thing": _thing,
    "liked": _liked,
    "place": _place,
    "new_place": _new_place,
    "stay": _stay,
    "name": _name,
    "any_name": _any_name,
    "role": _role,
    "organisation": _organisation,
    "job": _job,
    "date": _date,
    "blood_group": _blood,
    "event_date": _event_date,
    "instruction": _instruction,
    "specific": _specific,
    "changed": _changed,
    "ours_changed": _ours_changed,
    "schedule": _schedule,
    "toward": _toward,
    "gift_given": _gift_given,
    "project": _project,
}
