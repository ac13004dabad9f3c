"""The records that every floor shares: what the log holds and what `derive` yields. Frozen, without behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class KeyPolicy(StrEnum):
    """How a source's records are told apart (SPEC R-20)."""

    IDENTITY = "identity"
    CONTENT = "content"
    REVISION = "revision"


class Outcome(StrEnum):
    """What became of one item of an ingested batch."""

    CREATED = "created"
    DUPLICATE = "duplicate"
    RESTATED = "restated"
    REVISED = "revised"
    STALE_REVISION = "stale_revision"
    ERASED = "erased"
    REJECTED = "rejected"


class SaidBy(StrEnum):
    """On whose behalf an episode speaks."""

    USER = "user"
    AGENT = "agent"


class Polarity(StrEnum):
    """Whether a claim says that something holds or that it does not."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"


class Act(StrEnum):
    """What a statement does to the value it names (design: D-18, D-19)."""

    SAY = "say"
    END = "end"
    WRONG = "wrong"
    WRONG_LAST = "wrong_last"


class Policy(StrEnum):
    """How statements with other values of one unit are ruled on (SPEC R-36)."""

    LATEST = "latest"
    AUTHORITY = "authority"
    CORROBORATED = "corroborated"
    KEEP_ALL = "keep_all"
    FLAG = "flag"


class Cardinality(StrEnum):
    """Whether one or several values of a claim key may hold at one time."""

    SINGLE = "single"
    MULTI = "multi"


class Injection(StrEnum):
    """How a memory may reach a prompt, from the widest to the narrowest."""

    CORE = "core"
    GATED = "gated"
    ON_REQUEST = "on_request"
    NEVER = "never"


class Status(StrEnum):
    """Where a memory stands at one moment."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    TOMBSTONED = "tombstoned"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat turn of an episode; its time stands with the saying."""

    role: str
    content: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedClaim:
    """One structured claim as it came in an episode."""

    key: str
    value: str
    kind: str | None = None
    text: str | None = None
    polarity: Polarity = Polarity.AFFIRMED
    confidence: float = 1.0
    importance: float = 0.5
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Remember:
    """The wish that the whole text become exactly one memory; a None is read from the text."""

    kind: str | None = None
    importance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One content of an episode: what the content hash covers beside the document.

    `source`, `speaker` and `said_by` are set where the log holds a content, since two revisions of one key may come
    from two sources; None means the episode's own. `metadata` is what a later revision brought along, as on an episode.
    """

    text: str | None = None
    messages: tuple[Message, ...] = ()
    claims: tuple[StatedClaim, ...] = ()
    remember: Remember | None = None
    source: str | None = None
    speaker: str | None = None
    said_by: SaidBy | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPin:
    """The revision of a document that an episode was learned from."""

    corpus: str
    external_id: str
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One occasion on which a content was said.

    `occurred_at` keeps the offset it came with, since "this week" is read in that zone. `sound` is false where the
    stamp was ahead of receipt by more than the tolerance: decided once, at the door. `recorded_at` is never read by
    a derivation.
    """

    content_hash: str
    occurred_at: datetime
    sound: bool
    recorded_at: datetime
    session_id: str | None = None
    message_times: tuple[datetime | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEpisode:
    """One accepted episode with every revision and saying the log holds of it.

    `revisions` maps content hash to content; `identity` and `content` keys have exactly one. `metadata` is JSON text
    as it came; it is evidence and is read by nothing.
    """

    subject_id: str
    key: str
    episode_id: str
    policy: KeyPolicy
    source: str
    revisions: dict[str, Content]
    sayings: tuple[Saying, ...]
    recorded_at: datetime
    speaker: str | None = None
    said_by: SaidBy = SaidBy.USER
    business_key: str | None = None
    document: DocumentPin | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement without a claim key, values masked (design: D-4, D-5, D-24).

    `words` are the ordered stems after aliases, with the frame's function words left out and a mask for each value;
    `identities` the ordered tokens that name something (names, labelling numbers); `types` the ordered value types.
    """

    words: tuple[str, ...]
    identities: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One statement found in a content, before it is known when it was said.

    `voice` is `own`, `assistant` or `name:<folded name>`. Exactly one of `claim_key` and `frame` is set (neither for
    `wrong_last`). `value` is the canonical form that is compared, `shown` the words as said. `valid_from` and
    `valid_to` are symbolic moments (`core.times`), resolved against each saying. `holds_when_said` marks a statement
    in words about the present, which counts at its saying as well as at `valid_from` (D-10). `message` is the index
    of the message it stands in, None for the text or a structured claim. `start` and `end` are code points in that
    message or text. `suspect` names why the text may have to be quarantined (R-39), judged with the source later.
    """

    place: int
    act: Act
    voice: str
    kind: str
    value: str
    shown: str
    text: str
    start: int
    end: int
    claim_key: str | None = None
    scope: str = ""
    frame: Frame | None = None
    polarity: Polarity = Polarity.AFFIRMED
    valid_from: str | None = None
    valid_to: str | None = None
    holds_when_said: bool = True
    message: int | None = None
    confidence: float = 1.0
    importance: float | None = None
    suspect: str | None = None


@dataclass(frozen=True, slots=True)
class GateRecord:
    """Why a clause became a candidate or did not: one closed reason, its span, and the figures it was judged by."""

    gate: str
    passed: bool
    reason: str
    start: int
    end: int
    message: int | None = None
    kind: str | None = None
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """The cached output of one extractor version on one content."""

    extractor: str
    candidates: tuple[Candidate, ...]
    gates: tuple[GateRecord, ...]


class ActKind(StrEnum):
    """What a person did; every one is a log entry that names evidence (SPEC R-37)."""

    CHOOSE = "choose"
    THIRD_VALUE = "third_value"
    KEEP_BOTH = "keep_both"
    FORGET = "forget"
    QUARANTINE = "quarantine"
    RELEASE = "release"
    RETYPE = "retype"
    INJECTION = "injection"
    IMPORTANCE = "importance"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class NamedSaying:
    """One saying that an act saw, with the span it rests on, in `message` or in the text."""

    key: str
    content_hash: str
    occurred_at: datetime
    place: int
    start: int
    end: int
    message: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMemory:
    """A memory named by its evidence: unit and id are hashes of what it says, never row numbers."""

    unit: str
    memory_id: str
    kind: str
    text: str
    value: str
    polarity: Polarity = Polarity.AFFIRMED
    claim_key: str | None = None
    sayings: tuple[NamedSaying, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAct:
    """One human act. `at` is its own time h (D-20, D-21); `id` the hash of everything but `recorded_at`.

    `memories` are the named sides: the chosen one first, both that stand together, the one forgotten, the merged one
    and then its target; a third value first and then the sides that it settles. `argument` is the new kind, injection
    class, importance or, for a third value, its text. `place` is its place among its subject's acts of that instant.
    """

    id: str
    kind: ActKind
    subject_id: str
    at: datetime
    memories: tuple[NamedMemory, ...]
    recorded_at: datetime
    conflict_id: str | None = None
    argument: str | None = None
    by: str | None = None
    note: str | None = None
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One registered kind of memory (SPEC R-33 and appendix)."""

    name: str
    policy: Policy
    half_life_days: float | None
    injection: Injection
    corroboration: int = 2
    overlap: float = 0.6
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimKey:
    """One registered claim key; a None falls back to the kind."""

    name: str
    cardinality: Cardinality
    kind: str = "fact"
    policy: Policy | None = None
    corroboration: int | None = None
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One registered source."""

    name: str
    key_policy: KeyPolicy | None = None
    authority: int = 50


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything registered that a derivation reads.

    `thresholds`, by embedder and kind, say from which similarity an ambiguous word counts (SPEC R-32).
    """

    kinds: dict[str, Kind]
    claim_keys: dict[str, ClaimKey]
    sources: dict[str, Source]
    thresholds: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What a cited document is now; `revision` None means it is gone. `folded_text` is its current text, folded.

    `origin` is the root it shares with its copies; "" makes the document its own origin. `earlier` are the texts
    that it had before, folded.
    """

    corpus: str
    external_id: str
    revision: str | None
    folded_text: str
    origin: str = ""
    earlier: tuple[str, ...] = ()
