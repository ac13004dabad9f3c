"""What the store's query finds among turns, computed over turns in memory: for a past state, which has no index.

A test holds the two equal. The parts: BM25 of words and of dates, the neighbours' shares, the sessions' scores.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stemma.core import lexical
from stemma.core.dialogue.newest import Scope
from stemma.core.dialogue.parameters import Dialogue, Shares
from stemma.core.dialogue.turns import Heard, Question, Turn


@dataclass(frozen=True, slots=True)
class Indexed:
    """One passage as it is indexed; `cosine` to the query, None without a vector."""

    owner: str
    item: str
    text_hash: bytes
    weights: Mapping[int, float]
    turn: Turn
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: the query's text, its hashed terms and those of its dates; `limit` is each leg's."""

    text: str
    words: frozenset[int]
    dates: frozenset[int]
    sample_size: int
    limit: int


Mixture = list[tuple[int, float, bytes]]


def moment_of(turn: Turn | Heard) -> str:
    """Name a turn as it was said at one time: of two revisions in a session each has its own neighbours."""
    is_alone = turn.session is None or turn.session == turn.unit
    return turn.unit if is_alone or turn.said_at is None else f"{turn.unit}@{turn.said_at.isoformat()}"


def _in_order(turn: Turn | Heard) -> tuple[bool, datetime | None, int, str]:
    return turn.said_at is None, turn.said_at, turn.place, turn.unit


def mixtures(passages: Sequence[Indexed], recipe: Dialogue) -> dict[str, Mixture]:
    """Name the vectors that each turn's is mixed of: a step from the turn, its share, and the text that it is of.

    Of a turn in several passages it is the nearest one's. Mixing is the store's: it holds the vectors.
    """
    nearest: dict[str, Indexed] = {}
    for each in sorted(passages, key=lambda each: (-_or_least(each.cosine), each.text_hash)):
        if each.cosine is not None:
            nearest.setdefault(moment_of(each.turn), each)
    sessions: dict[str, dict[str, Turn]] = defaultdict(dict)
    for each in passages:
        sessions[each.turn.session or each.turn.unit][moment_of(each.turn)] = each.turn
    found: dict[str, Mixture] = {}
    for session in sessions.values():
        ordered = sorted(session.values(), key=_in_order)
        for at, turn in enumerate(ordered):
            if moment_of(turn) in nearest:
                beside = ((0, 1.0), *_steps(recipe.mixed))
                near = [(step, share, nearest.get(_moment_at(ordered, at + step))) for step, share in beside]
                found[moment_of(turn)] = [(step, share, one.text_hash) for step, share, one in near if one is not None]
    return found


def _moment_at(ordered: Sequence[Turn], at: int) -> str:
    return moment_of(ordered[at]) if 0 <= at < len(ordered) else ""


def _steps(shares: Shares) -> tuple[tuple[int, float], ...]:
    return (-1, shares.before), (1, shares.after), (-2, shares.second)


def hear(
    passages: Sequence[Indexed], sought: Sought, recipe: Dialogue, mixed: Mapping[str, float]
) -> tuple[list[Heard], Question]:
    """Find the turns that share a term with what is sought, are near it, or stand in the best sessions.

    `mixed` are the cosines of the turns' mixed vectors, by `moment_of`.
    """
    holding = Counter(term for each in passages for term in (sought.words | sought.dates) & each.weights.keys())
    worth = {term: lexical.idf(len(passages), holding[term]) for term in sorted(sought.words | sought.dates)}
    named = {each.turn.speaker for each in passages if sought.words.intersection(each.turn.speaker)}
    names = frozenset(term for speaker in named for term in speaker)
    told = _sessions(passages, sought.words, recipe)
    units = _units(passages, sought, worth, names, told)
    heard = [each for session in _by_session(units).values() for each in _with_neighbours(session, recipe, mixed)]
    drawn = sorted(_drawn(passages, sought.sample_size))
    plain = {moment_of(each): each.cosine for each in units if each.cosine is not None}
    question = Question(
        text=sought.text,
        recipe=recipe,
        worth={term: idf for term, idf in worth.items() if term in sought.words},
        terms=sought.words,
        floor=min((mixed[name] for name in drawn), default=None),
        plain_floor=min((plain[name] for name in drawn), default=None),
        sampled=len(drawn),
        scope=scope_of(passages, sought.sample_size),
    )
    return sorted(_chosen(heard, told, sought, recipe), key=lambda each: each.unit), question


def scope_of(passages: Iterable[Indexed], size: int) -> Scope:
    """Count in how many of a sample of passages each term stands."""
    sample = sorted(passages, key=lambda each: (each.text_hash, each.item))[:size]
    return Scope(len(sample), Counter(term for each in sample for term in each.weights))


def _drawn(passages: Iterable[Indexed], size: int) -> set[str]:
    """Draw whole sessions until they hold so many vectors, by their names: hashes, so they tell nothing of the text."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for each in passages:
        if each.cosine is not None:
            sessions[(each.turn.session or each.turn.unit)[:32]].append(moment_of(each.turn))
    names: list[str] = []
    for _, held in sorted(sessions.items()):
        if len(names) >= size:
            break
        names += held
    return set(names)


def _units(
    passages: Iterable[Indexed],
    sought: Sought,
    worth: Mapping[int, float],
    names: frozenset[int],
    told: Mapping[str, float],
) -> list[Heard]:
    """Give each turn by its best passage; each of its scores is that of the passage with the highest."""
    found: dict[str, list[Heard]] = defaultdict(list)
    for each in passages:
        turn = each.turn
        shared = {term: each.weights[term] * worth[term] for term in sorted(worth.keys() & each.weights.keys())}
        bm25 = math.fsum(part for term, part in shared.items() if term in sought.words)
        found[moment_of(turn)].append(
            Heard(
                unit=turn.unit,
                owner=each.owner,
                item=each.item,
                session=turn.session or turn.unit,
                said_at=turn.said_at,
                place=turn.place,
                role=turn.role,
                speaker=turn.speaker,
                words=turn.words,
                asks=turn.asks,
                start=turn.start,
                end=turn.end,
                bm25=bm25,
                shared=bm25,
                preceding=0.0,
                dated=math.fsum(part for term, part in shared.items() if term in sought.dates),
                free=math.fsum(p for term, p in shared.items() if term in sought.words - names) if names else 0.0,
                told=told.get(turn.session or turn.unit, 0.0),
                cosine=each.cosine,
                mixed=None,
            )
        )
    units = []
    for parts in found.values():
        best = min(parts, key=lambda part: (-part.bm25, -_or_least(part.cosine), part.item))
        nearest = max((part.cosine for part in parts if part.cosine is not None), default=None)
        dated, free = max(part.dated for part in parts), max(part.free for part in parts)
        units.append(replace(best, cosine=nearest, dated=dated, free=free))
    return units


def _by_session(units: Iterable[Heard]) -> dict[str, list[Heard]]:
    sessions: dict[str, list[Heard]] = defaultdict(list)
    for each in units:
        sessions[each.session].append(each)
    return sessions


def _with_neighbours(session: list[Heard], recipe: Dialogue, mixed: Mapping[str, float]) -> list[Heard]:
    """Give each turn what stands beside it: an answer holds none of the words of its question."""
    ordered = sorted(session, key=_in_order)
    return [
        replace(
            each,
            shared=each.bm25
            + math.fsum(
                share * ordered[at + step].bm25
                for step, share in _steps(recipe.lexical)
                if 0 <= at + step < len(ordered)
            ),
            preceding=ordered[at - 1].bm25 if at > 0 else 0.0,
            mixed=mixed.get(moment_of(each)) if each.cosine is not None else None,
        )
        for at, each in enumerate(ordered)
    ]


def _sessions(passages: Sequence[Indexed], words: frozenset[int], recipe: Dialogue) -> dict[str, float]:
    """Give the BM25 of each session's whole text; how often it holds a term is read back from the weights."""
    lengths: Counter[str] = Counter()
    times: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for each in passages:
        session = each.turn.session or each.turn.unit
        lengths[session] += each.turn.length
        norm = lexical.K1 * (1 - lexical.B + lexical.B * each.turn.length / lexical.AVERAGE_LENGTH)
        for term in words & each.weights.keys():
            weight = each.weights[term]
            times[session][term] += weight * norm / max(lexical.K1 + 1 - weight, 1e-6)
    mean = max(lengths.total() / len(lengths), 1.0) if lengths else 1.0
    holding = Counter(term for held in times.values() for term in held)
    k1, b = recipe.session_k1, recipe.session_b
    return {
        session: math.fsum(
            lexical.idf(len(lengths), holding[term]) * n * (k1 + 1) / (n + k1 * (1 - b + b * lengths[session] / mean))
            for term, n in held.items()
        )
        for session, held in times.items()
    }


def _chosen(heard: Sequence[Heard], told: Mapping[str, float], sought: Sought, recipe: Dialogue) -> list[Heard]:
    """Keep what each leg gives with what stands beside it, and the best sessions whole."""
    best = frozenset(sorted(told, key=lambda session: (-told[session], session))[: recipe.sessions_whole])
    words = sorted((each for each in heard if each.bm25 > 0), key=lambda each: (-each.bm25, each.unit))
    dates = sorted((each for each in heard if each.dated > 0), key=lambda each: (-each.dated, -each.bm25, each.unit))
    near = sorted(
        (each for each in heard if each.cosine is not None), key=lambda each: (-(each.cosine or 0), each.unit)
    )
    leads = {moment_of(each) for leg in (words, near, dates) for each in leg[: sought.limit]}
    kept: dict[str, Heard] = {}
    for session in _by_session(heard).values():
        ordered = sorted(session, key=_in_order)
        for at, each in enumerate(ordered):
            if moment_of(each) in leads:
                kept |= {moment_of(other): other for other in ordered[max(0, at - 1) : at + 3]}
    whole = sorted((each for each in heard if each.session in best), key=lambda each: (each.session, _in_order(each)))
    return [*(kept | {moment_of(each): each for each in whole[: sought.limit]}).values()]


def _or_least(cosine: float | None) -> float:
    return -2.0 if cosine is None else cosine
