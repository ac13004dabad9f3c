"""What a clause says of the speaker's own world in words that no form lists: our things and kin, our ways, dated plans.

Its keyword is the own subject or owner; what is only of the moment, over, or wished for is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.declaration import Declaration
from stemma.core.language_table import Language
from stemma.core.nominal import NOT_DURABLE, is_perfect
from stemma.core.objects import CHECKS, is_blank
from stemma.core.piece import Piece
from stemma.core.sentences import holds_phrase, phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, WEEKDAY

# What these find is left where the clause says that it is only so for now.
OF_OUR_WORLD = frozenset({"way", "ours", "never"})
_MOST_LEAD = 12
_MOST_SUBJECT = 14
_FEWEST_LETTERS = 3
_MOST_BESIDE = 6


def own_world(piece: Piece, refused: str) -> Declaration | None:
    """Find what a clause without a listed form says of the speaker's own world; None if nothing that lasts.

    `refused` is why it was no plain statement: what does not last counts only as a plan.
    """
    reading, language = piece.reading, piece.language
    if reading.is_order:
        return None
    if reading.person is not None and len(reading.tokens) > 1 and _is_project(reading.tokens, language):
        return _declared("project", "project_note", piece)
    if holds_phrase(reading.says, language.phrases["moment"]):
        return None
    if reading.person is not None:
        return _own(piece, reading.tokens)
    if (rest := _behind_a_turn(reading.tokens, language)) is not None:
        return _own(piece, rest) or _cannot(piece, rest)
    if (rest := _behind_a_time(reading.tokens, language)) is not None:
        # "When we cut a release we tag main": the way in which we do it, with when.
        return _way(piece, rest)
    return _of_ours(piece, refused == NOT_DURABLE)


def _own(piece: Piece, tokens: Sequence[Token]) -> Declaration | None:
    """Take a present verb of ours with its object, and any verb with a date to come."""
    reading, language = piece.reading, piece.language
    words = language.words
    verb, rest = tokens[0], tokens[1:]
    if not rest or _is_past(verb, language):
        return _past_of_ours(piece, tokens)
    if verb.text in words["wishing"] or is_blank(rest, language):
        return None
    is_dated = _is_dated(piece)
    if verb.text in words["copula"]:
        is_going = rest[0].text in language.ing and rest[0].text not in words["wishing_ing"]
        is_there = is_going or rest[0].text in words["prepositions"]
        if is_there and len(rest) > 1 and holds_phrase(reading.says, language.phrases["lastly"]):
            return _declared("way", "fact", piece)
        return _declared("plan", "event", piece) if is_dated and is_going else None
    if verb.text in words["fact_modal"] and holds_phrase(reading.says, language.phrases["lastly"]):
        # "Since the fall I can only use one hand".
        is_limited = reading.is_negated or _holds(rest, words["focus"])
        return _declared("way", "health", piece) if is_limited else None
    if not _may_be_verb(verb, piece):
        return None
    if is_dated and not reading.is_negated:
        return _declared("plan", "event", piece)
    if verb.text in words["perfect"]:
        is_never = reading.is_negated and _holds(reading.says, words["never"]) and len(rest) > 1
        is_never = is_never and rest[0].text not in words["seen"] and not is_blank(rest[1:], language)
        return _declared("way", "fact", piece) if is_never or _is_for_long(piece) else None
    if reading.is_future or not words["passing_verbs"]:
        return None
    is_lasting = holds_phrase(reading.says, language.phrases["lastly"]) or _holds(reading.says, words["focus"])
    if verb.text in words["passing_verbs"]:
        is_way = reading.is_frequent or is_lasting or _is_at_ours(piece)
        return _declared("way", "habit", piece) if is_way else None
    is_thing = CHECKS["thing"](piece, len(reading.tokens) - len(rest), len(reading.tokens)) is not None
    return _declared("way", "fact", piece) if is_thing else None


def _is_for_long(piece: Piece) -> bool:
    """Say whether a perfect tells of what has gone on for days or years: "have lived abroad since I was nineteen"."""
    words = piece.language.words
    if _holds(piece.tokens[1:3], words["wishing"] | words["wishing_ing"]):
        return False
    spans = [token for token in piece.tokens if token.type == "duration"]
    is_long = any(not token.canonical.endswith(" ms") for token in spans)
    return is_long or (not spans and holds_phrase(piece.reading.says, piece.language.phrases["lastly"]))


def _past_of_ours(piece: Piece, tokens: Sequence[Token]) -> Declaration | None:
    """Take what we did once and for all: won, finished, sold; anything else that is past is a tale."""
    words = piece.language.words
    is_never = piece.reading.is_negated and any(token.text in words["never"] for token in piece.reading.says)
    if (
        is_never
        and len(tokens) > 1
        and tokens[0].text not in words["wishing"]
        and not is_blank(tokens[1:], piece.language)
    ):
        return _declared("never", "fact", piece)
    is_feat = tokens[0].text in words["feats"] and _holds(tokens[1:], words["feat_things"])
    return _declared("feat", "achievement", piece, "none") if is_feat else None


def _way(piece: Piece, tokens: Sequence[Token]) -> Declaration | None:
    language = piece.language
    verb, rest = tokens[0], tokens[1:]
    is_passing = verb.text in language.words["happening"] or verb.text in language.words["wishing"]
    if not rest or is_passing or _is_past(verb, language) or verb.text in language.closed or is_blank(rest, language):
        return None
    return _declared("way", "habit", piece)


def _of_ours(piece: Piece, is_passing: bool) -> Declaration | None:
    """Take a statement whose subject is ours, and one that names something of ours or the place where we are."""
    reading, language = piece.reading, piece.language
    words = language.words
    tokens = reading.tokens
    is_mine = starts_own(tokens, language)
    doer = _doer_at(tokens, language)
    own = words["my"] | words["mine_alone"]
    is_anchored = is_mine or doer or _is_at_ours(piece) or _holds(tokens[1:], own)
    if is_passing and not is_anchored and tokens[0].text in words["definite_articles"]:
        return _coming(piece)
    if not is_anchored or tokens[0].text in words["you"] or tokens[0].text in words["yours"]:
        return None
    is_other = tokens[0].text in words["others"] and tokens[0].text not in words["nobody"]
    is_led = phrase_at(tokens, 0, language.phrases["at_ours"]) > 0
    if not is_mine and not is_led and (is_other or not _may_be_subject(tokens[0], language)):
        return None
    if any(token.text in words["wh"] or token.text in words["you"] for token in tokens[:2]):
        return None
    at = _verb_of(piece, is_mine, doer)
    if at is None and reading.is_frequent and _is_at_ours(piece) and tokens[0].text in language.third:
        # "Bei uns wird freitags aufgeräumt": nobody is named who does it.
        return _declared("way", "habit", piece)
    if at is None or ((is_passing or _is_of_the_moment(tokens, at, language)) and not _is_to_come(piece, at)):
        return None
    is_kin = any(holds_phrase(tokens[:at], language.phrases[name]) for name in ("relatives", "bare_kin"))
    is_event = _is_dated(piece) and any(token.text in words["events"] for token in tokens[:at])
    kind = "event" if is_event else "relationship" if is_kin else "fact"
    return _declared("ours", kind, piece, "to" if is_event else "both", at)


def _coming(piece: Piece) -> Declaration | None:
    """Take what somebody known is about to do on a day: "the plumber is coming on Tuesday"."""
    tokens = piece.tokens
    copula = piece.language.words["copula"]
    at = next((at for at, token in enumerate(tokens[:_MOST_BESIDE]) if at > 1 and token.text in copula), 0)
    has_day = any(token.type in (DATE, WEEKDAY) for token in tokens)
    return _declared("plan", "event", piece, "to", at) if at and has_day and _is_to_come(piece, at) else None


def starts_own(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a clause begins with something of the speaker's: my, ours, or kin that need no "my": mum, Oma."""
    words = language.words
    first = tokens[0].text
    if first in words["my"] or first in words["mine_alone"]:
        return True
    at = int(first in words["definite_articles"])
    return at < len(tokens) and phrase_at(tokens, at, language.phrases["bare_kin"]) > 0


def _doer_at(tokens: Sequence[Token], language: Language) -> int:
    """Give the place behind what we do with a thing that a clause begins with: "the thesis I'm writing …"; else 0."""
    words = language.words
    if tokens[0].text not in words["definite_articles"]:
        return 0
    own = words["me"] | words["we"]
    at = next((at for at, token in enumerate(tokens[:_MOST_BESIDE]) if at > 1 and token.text in own), 0)
    if not at or at + 2 >= len(tokens) or tokens[at + 1].text in words["wishing"]:
        return 0
    verbs = words["copula"] | words["perfect"] | words["fact_modal"]
    return at + 2 + (tokens[at + 1].text in verbs)


def _verb_of(piece: Piece, is_mine: bool, begin: int) -> int | None:
    """Give the place of the verb that says something of what stands before it, None where none that lasts does."""
    reading, language = piece.reading, piece.language
    words = language.words
    tokens = reading.tokens
    begin = phrase_at(tokens, 0, language.phrases["bare_kin"]) if is_mine else begin
    for at in range(max(begin, 1), min(len(tokens), _MOST_SUBJECT)):
        token, before = tokens[at], tokens[at - 1]
        rest = tokens[at + 1 :]
        if (
            token.kind is not TokenKind.WORD
            or before.text in words["determiners"]
            or before.text in words["possessive"]
        ):
            continue
        word = token.text
        if word in words["copula"]:
            return at if rest else None
        if word in words["past_copula"] or word in words["perfect"]:
            is_turn = bool(rest) and (_turns(rest, language) or _was_somebody(tokens, at, language))
            is_had = word in words["perfect"] and bool(rest) and not is_perfect(rest, language)
            return at if is_turn or is_had else None
        if word in words["modal"] and not token.is_capitalised:
            return None
        if word in words["future"]:
            is_refused = reading.is_negated and bool(rest)
            return at if is_refused or _is_dated(piece) else None
        if word in words["turns"] and (is_mine or rest):
            return at
        if _is_present(piece, at, is_mine):
            return at
    return None


def _turns(rest: Sequence[Token], language: Language) -> bool:
    """Say whether a change for good follows: "was diagnosed with", "has gone up"."""
    words = language.words
    left = [token for token in rest if token.text not in words["adverbs"]]
    return bool(left) and left[0].text in words["turned"]


def _was_somebody(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether kin are told of by a name or their work: "my parents were teachers", "her maiden name was …"."""
    words = language.words
    rest = [token for token in tokens[at + 1 :] if token.text not in words["articles"]]
    if not rest or tokens[at].text not in words["past_copula"]:
        return False
    if not any(holds_phrase(tokens[:at], language.phrases[name]) for name in ("relatives", "bare_kin")):
        return False
    is_named = language.capitals and all(token.is_capitalised for token in rest)
    job = rest[0].text
    return is_named or job in words["jobs"] or job.removesuffix("s") in words["jobs"]


def _is_present(piece: Piece, at: int, is_mine: bool) -> bool:
    """Say whether a word is a verb of the present in the third person, listed or by its ending."""
    language = piece.language
    words = language.words
    tokens = piece.tokens
    token, before = tokens[at], tokens[at - 1]
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    if follower is None or before.text in words["prepositions"] or token.text in language.closed:
        return False
    if (
        follower.text in words["copula"]
        or follower.text in words["past_copula"]
        or follower.text in words["possessive"]
    ):
        return False
    base = language.third_of.get(token.text)
    if base is not None:
        is_noun_too = base in words["more_noun"] and follower.text in language.third
        is_timed = piece.reading.is_frequent or any(each.kind is TokenKind.VALUE for each in tokens[at:])
        is_happening = not is_timed and (token.text in words["happening"] or base in words["happening"])
        return not is_noun_too and not is_happening
    if token.text in language.verbs:
        is_many = before.text.endswith("s") or before.text in words["plural_subjects"] or piece.reading.had_do
        is_many = is_many or (tokens[0].text.endswith("s") and tokens[1].text in words["prepositions"])
        return is_many and token.text not in words["happening"] and token.text not in words["noun_verbs"]
    looks = any(token.text.endswith(end) and len(token.text) > len(end) + 2 for end in words["verb_endings"])
    is_known = is_mine or (tokens[0].text in words["definite"] and at <= _FEWEST_LETTERS)
    if not looks or token.is_capitalised or not is_known or token.text in words["happening"]:
        return False
    has_object = follower.kind is TokenKind.VALUE or follower.text in words["determiners"]
    is_led = follower.text in words["prepositions"] and bool(language.verbs or language.third)
    return at > 1 and before.text not in language.closed and (has_object or is_led)


def _is_of_the_moment(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether what is said of a thing of ours holds no longer than the talk, or is only what we make of it."""
    words = language.words
    if any(token.text in words["vague_nouns"] for token in tokens[1:at][:2]):
        return True
    rest = [token for token in tokens[at + 1 :] if token.text not in words["adverbs"]]
    if not rest:
        return tokens[at].text not in words["turns"]
    if tokens[at].text in words["copula"]:
        first = rest[0].text
        is_soon = len(rest) > 1 and rest[1].type == "duration" and rest[1].canonical.endswith(" ms")
        if is_soon and rest[0].kind is TokenKind.WORD:
            return True
        if first in words["transient"] and len(rest) <= 2:
            return True
        if first in language.ing and first not in words["lasting"] and not _is_project(rest, language):
            return True
        if phrase_at(rest, 0, language.phrases["evaluating"]):
            return True
    if is_blank(rest, language):
        return True
    return any(token.text in words["you"] or token.text in words["yours"] for token in rest)


def _is_to_come(piece: Piece, at: int) -> bool:
    """Say whether what is going on is a plan with its date or a new part of a life: "is starting school"."""
    language = piece.language
    words = language.words
    tokens = piece.tokens
    rest = [token for token in tokens[at + 1 :] if token.text not in words["adverbs"]]
    is_going = tokens[at].text in words["copula"] and len(rest) > 1 and rest[0].text in language.ing
    return is_going and (_is_dated(piece) or rest[0].text in words["ongoing"])


def _behind_a_time(tokens: Sequence[Token], language: Language) -> Sequence[Token] | None:
    """Give what we do where a clause begins with when we do it: "once a ticket is closed we …"."""
    words = language.words
    if not phrase_at(tokens, 0, language.phrases["whens"]) or any(_is_past(token, language) for token in tokens):
        return None
    own = words["we"] | words["me"]
    places = [at for at, token in enumerate(tokens[:_MOST_LEAD]) if at > 1 and token.text in own]
    return tokens[places[-1] + 1 :] if places and places[-1] + 1 < len(tokens) else None


def _behind_a_turn(tokens: Sequence[Token], language: Language) -> Sequence[Token] | None:
    """Give what has been so since something happened: "since I moved I swim every day"."""
    words = language.words
    if not phrase_at(tokens, 0, language.phrases["turning"]):
        return None
    places = [at for at, token in enumerate(tokens[:_MOST_LEAD]) if at > 1 and token.text in words["we"] | words["me"]]
    return tokens[places[-1] + 1 :] if places and places[-1] + 2 < len(tokens) else None


def _cannot(piece: Piece, tokens: Sequence[Token]) -> Declaration | None:
    """Take what has not been possible since then."""
    is_unable = piece.reading.is_negated and tokens[0].text in piece.language.words["fact_modal"]
    return _declared("way", "health", piece) if is_unable and len(tokens) > 2 else None


def _is_project(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether something is at work on what takes months: a novel, an app, an exhibition."""
    words = language.words
    first, second = tokens[0].text, tokens[1].text if len(tokens) > 1 else ""
    is_going = first in language.ing or (first in words["copula"] and second in language.ing)
    is_at_it = is_going and first not in words["wishing_ing"] and second not in words["wishing_ing"]
    if not is_at_it and first not in words["making"]:
        return False
    head = next((at for at, token in enumerate(tokens) if at > 1 and token.text in words["prepositions"]), len(tokens))
    return _holds(tokens[:head][-_MOST_BESIDE:], words["projects"])


def _may_be_verb(verb: Token, piece: Piece) -> bool:
    """Say whether the word behind our subject can be its verb, known or not."""
    language = piece.language
    if verb.text in language.verbs or verb.text in language.own_verbs or verb.text in language.third:
        return True
    is_word = verb.kind is TokenKind.WORD and len(verb.text) >= _FEWEST_LETTERS and verb.text.isalpha()
    is_name = verb.is_capitalised and verb.start > piece.reading.says[0].start
    return is_word and not is_name and verb.text not in language.closed


def _may_be_subject(token: Token, language: Language) -> bool:
    words = language.words
    known = words["determiners"] | words["plural_subjects"] | words["nobody"]
    if token.kind is not TokenKind.WORD or token.text in known:
        return True
    is_verb = token.text in language.verbs and token.text not in words["noun_verbs"]
    return not is_verb and token.text not in language.closed


def _is_past(token: Token, language: Language) -> bool:
    words = language.words
    if token.text in words["past_verbs"] or token.text in words["past_copula"]:
        return True
    return bool(language.verbs) and token.text.endswith("ed") and token.text not in language.verbs


def _is_dated(piece: Piece) -> bool:
    """Say whether a clause names a day: a date, a weekday, not only an hour."""
    is_to_come = piece.reading.window.valid_from is not None and not piece.reading.is_frequent
    return is_to_come or any(token.type in (DATE, WEEKDAY) for token in piece.tokens)


def _is_at_ours(piece: Piece) -> bool:
    return holds_phrase(piece.reading.says, piece.language.phrases["at_ours"])


def _holds(tokens: Sequence[Token], listed: frozenset[str]) -> bool:
    return any(token.text in listed for token in tokens)


def _declared(name: str, kind: str, piece: Piece, window: str = "both", subject: int = 0) -> Declaration:
    reading = piece.reading
    we = [token for token in reading.says if token.text in piece.language.words["we"]][:1] if reading.is_we else []
    return Declaration(
        name,
        kind,
        reading.act,
        (),
        frame=(*we, *reading.tokens),
        subject=subject,
        window=window,
        is_ordered=not subject,
    )


__all__ = ["OF_OUR_WORLD", "own_world", "starts_own"]
