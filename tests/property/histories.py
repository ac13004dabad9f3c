"""Random histories over small alphabets: records of every kind, by a `pick` that may be a drawn or a seeded choice.

Builds its own records; of the package it calls only what a derivation is asked by.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeVar

from stemma.core.claims import memory_id
from stemma.core.derive import Log, points_of_log
from stemma.records import (
    Act,
    ActKind,
    Candidate,
    Cardinality,
    ClaimKey,
    Content,
    DocumentPin,
    DocumentState,
    Extraction,
    Frame,
    HumanAct,
    Injection,
    KeyPolicy,
    Kind,
    LogEpisode,
    NamedMemory,
    NamedSaying,
    Polarity,
    Policy,
    Registry,
    SaidBy,
    Saying,
    Source,
)
from stemma.state import Point

T = TypeVar("T")

TENANT, SUBJECT = "tenant", "subject"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
VALUES = ("lisbon", "porto", "rome")
INSTANTS = tuple(range(7))
WORDS = ("stripe", "charge", "limit", "request", "retry", "night")
SOURCES = {"low": 10, "mid": 50, "high": 90}
POLICIES = tuple(Policy)


def pick_by(generator: random.Random) -> Pick:
    """Make a pick of a seeded generator."""

    def pick(options: Sequence[T]) -> T:
        return options[generator.randrange(len(options))]

    return pick


def day(number: float) -> datetime:
    """Give an instant of the histories' calendar."""
    return START + timedelta(days=number)


@dataclass(frozen=True)
class KeyForm:
    """What the log fixes for a key: its policy and who speaks under it."""

    policy: KeyPolicy
    source: str
    said_by: SaidBy = SaidBy.USER
    business: str | None = None
    document: str | None = None


KEYS = {
    "i1": KeyForm(KeyPolicy.IDENTITY, "high"),
    "i2": KeyForm(KeyPolicy.IDENTITY, "low"),
    "i3": KeyForm(KeyPolicy.IDENTITY, "mid"),
    "b1": KeyForm(KeyPolicy.IDENTITY, "mid", business="B"),
    "b2": KeyForm(KeyPolicy.IDENTITY, "low", business="B"),
    "r1": KeyForm(KeyPolicy.REVISION, "mid"),
    "r2": KeyForm(KeyPolicy.REVISION, "high"),
    "c1": KeyForm(KeyPolicy.CONTENT, "mid"),
    "c2": KeyForm(KeyPolicy.CONTENT, "low"),
    "c1x": KeyForm(KeyPolicy.CONTENT, "mid"),
    "a1": KeyForm(KeyPolicy.IDENTITY, "high", said_by=SaidBy.AGENT),
    "d1": KeyForm(KeyPolicy.IDENTITY, "mid", document="doc"),
}


@dataclass(frozen=True)
class Said:
    """One saying of one content under one key."""

    key: str
    candidates: tuple[Candidate, ...]
    at: float
    sound: bool = True
    session: str | None = None


@dataclass(frozen=True)
class Document:
    """What the cited document is now; no revision means that it is gone."""

    revision: str | None
    text: str


Record = Said | Document | HumanAct
Found = tuple[Candidate, ...]
Reader = Callable[[Found], Found]
Pick = Callable[[Sequence[T]], T]


def registry() -> Registry:
    """Give a registry with a kind and a claim key for each policy."""
    kinds = {
        policy.value: Kind(name=policy.value, policy=policy, half_life_days=30, injection=Injection.GATED)
        for policy in POLICIES
    }
    keys = {
        f"k_{policy.value}": ClaimKey(name=f"k_{policy.value}", cardinality=Cardinality.SINGLE, kind=policy.value)
        for policy in POLICIES
    }
    return Registry(kinds=kinds, claim_keys=keys, sources={n: Source(name=n, authority=a) for n, a in SOURCES.items()})


def log_of(records: Iterable[Record], reader: Reader | None = None) -> Log:
    """Build the log that holds some records: a set, so neither order nor repetition shows.

    `reader` says what another extractor version finds where the first found the candidates of a record.
    """
    records = set(records)
    episodes: dict[str, list[Said]] = {}
    for record in records:
        if isinstance(record, Said):
            episodes.setdefault(record.key, []).append(record)
    extractions: dict[tuple[str, str], Extraction] = {}
    built = []
    for key, said in episodes.items():
        built.append(_episode(key, said))
        for each in said:
            found = each.candidates if reader is None else reader(each.candidates)
            extractions[key, content_hash(each)] = Extraction("x1", found, ())
    documents: dict[tuple[str, str], DocumentState] = {}
    for record in records:
        if isinstance(record, Document):
            documents["corpus", "doc"] = DocumentState("corpus", "doc", record.revision, record.text)
    acts = [record for record in records if isinstance(record, HumanAct)]
    return Log(tenant=TENANT, subject=SUBJECT, episodes=built, extractions=extractions, acts=acts, documents=documents)


def content_hash(said: Said) -> str:
    """Name a content by what was found in it."""
    return _hash_of(said.candidates)


@lru_cache(maxsize=4096)
def _hash_of(found: tuple[Candidate, ...]) -> str:
    return hashlib.sha256(repr(found).encode()).hexdigest()


def _episode(key: str, said: Sequence[Said]) -> LogEpisode:
    form = KEYS[key]
    contents = {content_hash(each): Content(text=" ".join(c.text for c in each.candidates)) for each in said}
    sayings = tuple(
        Saying(
            content_hash=content_hash(each),
            occurred_at=day(each.at),
            sound=each.sound,
            recorded_at=day(0),
            session_id=each.session,
        )
        for each in said
    )
    return LogEpisode(
        subject_id=SUBJECT,
        key=key,
        episode_id=f"id:{key}",
        policy=form.policy,
        source=form.source,
        said_by=form.said_by,
        business_key=form.business,
        document=DocumentPin("corpus", form.document, "v1") if form.document else None,
        revisions=contents,
        sayings=sayings,
        recorded_at=day(0),
    )


def claim(value: str, policy: Policy = Policy.LATEST, **changes: object) -> Candidate:
    """Make a candidate for the claim key of a policy."""
    made = Candidate(
        place=0,
        act=Act.SAY,
        voice="own",
        kind=policy.value,
        value=value,
        shown=value.title(),
        text=f"it is {value}",
        start=0,
        end=6 + len(value),
        claim_key=f"k_{policy.value}",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def statement(words: Sequence[str], values: Sequence[tuple[str, str]], policy: Policy, **changes: object) -> Candidate:
    """Make a candidate with a frame: words with a mask for each value, given as (type, canonical)."""
    masked = (*words, *("<n>" for _ in values))
    text = " ".join((*words, *(value for _, value in values)))
    made = Candidate(
        place=0,
        act=Act.SAY,
        voice="own",
        kind=policy.value,
        value=" | ".join(value for _, value in values),
        shown=text,
        text=text,
        start=0,
        end=len(text),
        frame=Frame(words=masked, identities=(), types=tuple(kind for kind, _ in values)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Theme:
    """What a history is about: few policies and forms, so that its statements meet."""

    policies: tuple[Policy, ...]
    framed: tuple[bool, ...]
    acts: tuple[Act, ...]
    windows: tuple[str, ...]


def theme(pick: Pick) -> Theme:
    """Choose what a history is about."""
    return Theme(
        policies=pick((*((policy,) for policy in POLICIES), POLICIES)),
        framed=pick(((False,), (False,), (True,), (True, False))),
        acts=pick(((Act.SAY,), (Act.SAY,) * 6 + (Act.END,), (Act.SAY,) * 7 + (Act.END, Act.WRONG, Act.WRONG_LAST))),
        windows=pick((("none",), ("none",) * 6 + ("from", "for", "until"), ("from", "for", "for", "until"))),
    )


def candidates(pick: Pick, about: Theme) -> tuple[Candidate, ...]:
    """Choose what one content says: one or two statements, rarely a correction."""
    count = pick((1, 1, 1, 2))
    return tuple(
        replace(candidate(pick, about), place=place, start=20 * place, end=20 * place + 9) for place in range(count)
    )


def candidate(pick: Pick, about: Theme) -> Candidate:
    """Choose one statement: of a claim or a frame, said, ended, denied, called wrong, with or without a window."""
    policy = pick(about.policies)
    made = framed(pick, policy) if pick(about.framed) else claim(pick(VALUES), policy)
    made = replace(
        made,
        act=pick(about.acts),
        polarity=pick((Polarity.AFFIRMED,) * 5 + (Polarity.NEGATED,)),
        voice=pick(("own",) * 9 + ("assistant",)),
        scope=pick(("",) * 9 + ("work",)) if made.claim_key else "",
        suspect=pick((None,) * 19 + ("instruction",)),
        importance=pick((None, None, 0.25, 0.9)),
    )
    if made.act is Act.WRONG_LAST:
        return replace(made, claim_key=None, frame=None, scope="", value=pick(("", "", VALUES[1])))
    return windowed(pick, made, about.windows)


def framed(pick: Pick, policy: Policy) -> Candidate:
    """Choose a statement without a claim key; frames of equal words in another order share a block."""
    turned, loose = (WORDS[1], WORDS[0]), (*WORDS[:2], "<f>about")
    words = pick((WORDS[:2], WORDS[:2], turned, loose, (*loose, "<f>at", "<f>each"), WORDS[2:4], WORDS[2:5]))
    five, six, euros, two = ("number", "5"), ("number", "6"), ("money", "3 eur"), ("money", "2 eur")
    return statement(words, pick(((five,), (five,), (six,), (six,), (), (euros,), (five, euros), (five, two))), policy)


def windowed(pick: Pick, made: Candidate, windows: Sequence[str]) -> Candidate:
    """Choose whether a statement names when it holds: from a day, for some days, or neither."""
    start = f"abs:{day(pick(INSTANTS)).isoformat()}"
    end = f"abs:{day(pick(INSTANTS)).isoformat()}"
    match pick(windows):
        case "from":
            return replace(made, valid_from=start, holds_when_said=pick((True, False)))
        case "for":
            return replace(made, valid_from=start, valid_to=end, holds_when_said=pick((True, False)))
        case "until":
            return replace(made, valid_to=end)
        case _:
            return made


def history(pick: Pick, sayings: int = 8, acts: int = 2) -> list[Record]:
    """Choose a whole history: sayings first, then what people did about what they saw, then a document's state."""
    about = theme(pick)
    contents: dict[str, tuple[Candidate, ...]] = {}
    records: list[Record] = []
    for _ in range(sayings):
        key = pick(tuple(key for key in KEYS if key != "c1x"))
        content = candidates(pick, about)
        if KEYS[key].policy is not KeyPolicy.REVISION:
            # The door keeps the first content of a key; no derivation can decide that (D-1).
            content = contents.setdefault(key, content)
        session = pick((None, None, "s1"))
        records.append(Said(key, content, pick(INSTANTS), pick((True,) * 6 + (False,)), session))
    records = list(_one_saying_a_time(records))
    points = sorted((point for point in points_of_log(log_of(records), registry()) if point.unit), key=repr)
    for _ in range(acts):
        if points:
            records.append(human_act(pick, points))
    if pick((True, True, False)):
        records.append(Document(pick((None, "v1", "v1", "v2")), pick(("it is lisbon", "other"))))
    return records


def human_act(pick: Pick, points: Sequence[Point]) -> HumanAct:
    """Choose what a person did about memories that are there."""
    kind = pick(tuple(ActKind))
    first = pick(points)
    others = [point for point in points if point.unit == first.unit and point.memory_id != first.memory_id]
    named = [first]
    if kind in (ActKind.KEEP_BOTH, ActKind.THIRD_VALUE, ActKind.CHOOSE) and others:
        named.append(pick(others))
    if kind is ActKind.MERGE:
        named.append(pick(points))
    arguments = {
        ActKind.RETYPE: ("flag", "keep_all"),
        ActKind.INJECTION: ("core", "never"),
        ActKind.IMPORTANCE: ("0.1", "0.8"),
    }
    at = day(pick(INSTANTS) + 0.5)
    argument = pick(arguments[kind]) if kind in arguments else None
    memories = tuple(named_memory(point, points) for point in named)
    if kind is ActKind.THIRD_VALUE and pick((True, False)):
        argument = "it is vienna"
        memories = (third_value(memories[0], argument), *memories)
    name = hashlib.sha256(repr((kind, at, memories, argument)).encode()).hexdigest()
    return HumanAct(
        id=name, kind=kind, subject_id=SUBJECT, at=at, memories=memories, recorded_at=day(9), argument=argument
    )


def third_value(side: NamedMemory, text: str) -> NamedMemory:
    """Name a memory that nobody has said yet, beside a side of a conflict."""
    name = memory_id(TENANT, SUBJECT, side.unit, "vienna", Polarity.AFFIRMED, "")
    return replace(side, memory_id=name, value="vienna", polarity=Polarity.AFFIRMED, text=text, sayings=())


def named_memory(point: Point, points: Iterable[Point]) -> NamedMemory:
    """Name a memory by its evidence, as a door does."""
    sayings = {
        NamedSaying(p.key, p.content_hash, p.occurred_at, p.place, p.start, p.end, p.message)
        for p in points
        if p.memory_id == point.memory_id and p.act is Act.SAY
    }
    return NamedMemory(
        unit=point.unit,
        memory_id=point.memory_id,
        kind=point.kind,
        text=point.text,
        value=point.value,
        polarity=point.polarity,
        claim_key=point.claim_key,
        sayings=tuple(sorted(sayings, key=repr)),
    )


def _one_saying_a_time(records: Iterable[Record]) -> Iterable[Record]:
    """Keep the first of two sayings of one content at one time, as the store's key does."""
    seen: set[tuple[str, str, float]] = set()
    for record in records:
        if isinstance(record, Said):
            name = (record.key, content_hash(record), record.at)
            if name in seen:
                continue
            seen.add(name)
        yield record
