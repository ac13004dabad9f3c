"""Short histories told day by day, for tests of the derivation: `Story().say(…).say(…)`, then rows by what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from stemma.core.derive import Log, points_of_log, state
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
from stemma.state import Conflict, Decision, Evidence, MemoryRow, Point, UnitState

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    """Give a day of the story: 1 is 2 January 2026."""
    return BEGIN + timedelta(days=number)


def claim(value: str, **changes: object) -> Candidate:
    """Make a statement under the claim key `home`."""
    made = Candidate(
        place=0,
        act=Act.SAY,
        voice="own",
        kind="profile",
        value=value,
        shown=value,
        text=f"home: {value}",
        start=0,
        end=6 + len(value),
        claim_key="home",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def sentence(words: str, values: Sequence[tuple[str, str]] = (), **changes: object) -> Candidate:
    """Make a statement without a claim key: words, with `<n>` where a value, given as (type, canonical), stands."""
    named = tuple(word for word in words.split() if word[0].isupper() or word.isdigit())
    made = Candidate(
        place=0,
        act=Act.SAY,
        voice="own",
        kind="fact",
        value=" | ".join(value for _, value in values),
        shown=words,
        text=words,
        start=0,
        end=len(words),
        frame=Frame(words=tuple(words.split()), identities=named, types=tuple(kind for kind, _ in values)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def document(name: str, text: str = "", revision: str | None = "v1", origin: str = "root") -> DocumentState:
    """Give the present state of a document; episodes are pinned to its revision `v1`."""
    return DocumentState("c", name, revision, text, origin)


@dataclass
class Story:
    """A subject's log as it grows. Sources get their authority by name: `src90` has 90."""

    policy: Policy = Policy.LATEST
    corroboration: int = 2
    sayings: list[tuple[str, str, Candidate | Sequence[Candidate], Saying, Mapping[str, object]]] = field(
        default_factory=list
    )
    acts: list[HumanAct] = field(default_factory=list)
    documents: dict[tuple[str, str], DocumentState] = field(default_factory=dict)

    def say(
        self,
        at: float,
        what: str | Candidate | Sequence[Candidate],
        *,
        key: str = "",
        source: str = "src50",
        sound: bool = True,
        **episode: object,
    ) -> Story:
        """Add one saying; a word alone is a value of `home`. The same key again is another saying or revision."""
        found = claim(what) if isinstance(what, str) else what
        listed = (found,) if isinstance(found, Candidate) else tuple(found)
        placed = tuple(replace(each, place=place) for place, each in enumerate(listed))
        name = hashlib.sha256(repr(placed).encode()).hexdigest()[:12]
        saying = Saying(
            content_hash=name,
            occurred_at=day(at),
            sound=sound,
            recorded_at=day(0),
            session_id=str(episode.pop("session")) if "session" in episode else None,
        )
        self.sayings.append((key or f"k{len(self.sayings):02}", source, placed, saying, episode))
        return self

    def act(self, at: float, kind: ActKind, *values: str, argument: str | None = None) -> Story:
        """Add what a person did about memories, each named by its value."""
        rows = self.rows()
        memories = tuple(self._named(rows[value]) for value in values)
        name = hashlib.sha256(repr((at, kind, values, argument)).encode()).hexdigest()
        self.acts.append(
            HumanAct(
                id=name,
                kind=kind,
                subject_id="s",
                at=day(at),
                memories=memories,
                recorded_at=day(0),
                argument=argument,
            )
        )
        return self

    def _named(self, row: MemoryRow) -> NamedMemory:
        said = [
            NamedSaying(one.key, one.content_hash, one.occurred_at, one.place, one.start, one.end, one.message)
            for one in self.evidence(row)
            if one.role == "support"
        ]
        return NamedMemory(
            unit=row.unit,
            memory_id=row.id,
            kind=row.kind,
            text=row.text,
            value=row.value,
            polarity=row.polarity,
            claim_key=row.claim_key,
            sayings=tuple(said),
        )

    def log(self) -> Log:
        """Build the log, sayings of one key gathered into one episode."""
        episodes: dict[str, LogEpisode] = {}
        extractions: dict[tuple[str, str], Extraction] = {}
        for key, source, found, saying, more in self.sayings:
            known = episodes.get(key)
            extractions[key, saying.content_hash] = Extraction("x", tuple(_listed(found)), ())
            text = " ".join(each.text for each in _listed(found))
            episodes[key] = LogEpisode(
                subject_id="s",
                key=key,
                episode_id=f"id:{key}",
                policy=KeyPolicy(str(more.get("policy", "identity"))),
                source=source,
                speaker=None,
                said_by=SaidBy(str(more.get("said_by", "user"))),
                business_key=str(more["business"]) if "business" in more else None,
                document=DocumentPin("c", str(more["document"]), "v1") if "document" in more else None,
                revisions={**(known.revisions if known else {}), saying.content_hash: Content(text=text)},
                sayings=(*(known.sayings if known else ()), saying),
                recorded_at=day(0),
            )
        return Log(
            tenant="t",
            subject="s",
            episodes=list(episodes.values()),
            extractions=extractions,
            acts=self.acts,
            documents=self.documents,
        )

    def registry(self) -> Registry:
        """Give the registry: the policy under test rules `home` and the kind `fact`."""
        kinds = {
            name: Kind(
                name=name,
                policy=policy,
                half_life_days=None,
                injection=injection,
                corroboration=self.corroboration,
            )
            for name, policy, injection in (
                ("profile", self.policy, Injection.GATED),
                ("fact", self.policy, Injection.GATED),
                ("health", Policy.FLAG, Injection.ON_REQUEST),
            )
        }
        home = ClaimKey(name="home", cardinality=Cardinality.SINGLE, kind="profile")
        names = {source for _, source, _, _, _ in self.sayings}
        sources = {name: Source(name=name, authority=int(name[3:])) for name in names}
        return Registry(kinds=kinds, claim_keys={"home": home}, sources=sources)

    def states(self) -> dict[str, UnitState]:
        """Derive the whole state."""
        return state(self.log(), self.registry())

    def rows(self) -> dict[str, MemoryRow]:
        """Return the rows by value, a denial as `not value`; a frame without a value by its text."""
        found: dict[str, MemoryRow] = {}
        for each in self.states().values():
            for row in each.rows:
                name = row.value or row.text
                found[f"not {name}" if row.polarity is Polarity.NEGATED else name] = row
        return found

    def ends(self) -> dict[str, str]:
        """Say where each memory stands in the end, with its reason where there is one."""
        last = {name: row.transitions[-1] for name, row in self.rows().items()}
        return {
            name: f"{turn.status.value}: {turn.reason}" if turn.reason else turn.status.value
            for name, turn in last.items()
        }

    def evidence(self, row: MemoryRow) -> list[Evidence]:
        """Return the evidence under a row."""
        return [one for each in self.states().values() for one in each.evidence if one.memory_id == row.id]

    def decisions(self) -> list[Decision]:
        """Return all decisions in order of their instant."""
        return sorted((one for each in self.states().values() for one in each.decisions), key=lambda one: one.at)

    def conflicts(self) -> list[Conflict]:
        """Return all conflicts in order of their opening."""
        found = (one for each in self.states().values() for one in each.conflicts)
        return sorted(found, key=lambda one: (one.opened_at, one.id))

    def points(self) -> list[Point]:
        """Return every point of the log."""
        return list(points_of_log(self.log(), self.registry()))


def _listed(found: Candidate | Sequence[Candidate]) -> Sequence[Candidate]:
    return (found,) if isinstance(found, Candidate) else found
