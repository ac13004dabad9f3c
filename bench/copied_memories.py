"""A store filled by COPY: subjects of seeded memories with the rows that a compile would write, and drawn vectors.

Every tenth memory of a subject is superseded by the one after it. What recall never reads (contents, extractions,
points) is not there, so no compile may follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final

import numpy as np
import psycopg
from psycopg.sql import SQL, Identifier

from bench import synthetic_passages
from bench.spine_load import START
from bench.vector_cache import Matrix
from stemma import Stemma
from stemma.app.index_texts import lexical_rows
from stemma.record_json import encode
from stemma.records import Polarity, Status
from stemma.state import Evidence, MemoryRow, Transition
from stemma.store.index import bound, vector_text
from stemma.store.memories import columns, evidence_id, value_hash
from stemma.store.postmaster import SUPERUSER
from stemma.text import episode_id, hash_parts

# Texts are drawn by documents of 20, so sizes are multiples of it.
STEP: Final = synthetic_passages.PASSAGES_A_DOCUMENT
WORDS_A_MEMORY: Final = 12
RETIRED_EVERY: Final = 10
CENTRES: Final = 2_000
# A centre's distance from the direction that all share: cosines of unrelated texts are then about 0.7, as real ones.
_APART: Final = 0.6
_KINDS: Final = ("fact", "preference", "event", "profile", "procedure")
# Columns of memories by the name that `columns` gives them.
_COPIED: Final = {
    "ids": "id",
    "units": "unit",
    "kinds": "kind",
    "claim_keys": "claim_key",
    "value_hashes": "value_hash",
    "spells": "spells",
    "valids": "valid",
    "last_said_ats": "last_said_at",
    "statuses": "status",
    "turned_ats": "turned_at",
    "row_hashes": "row_hash",
}
_LEXICAL: Final = ("item_kind", "item_id", "owner_id", "subject_id", "stands", "text_hash", "analyser", "terms")


@dataclass(frozen=True, slots=True)
class Filled:
    """What one subject was given: a text and a row of `vectors` for each of `ids`."""

    subject: str
    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Matrix


def texts(count: int, seed: int) -> Iterator[str]:
    """Draw texts of twelve words; `count` is a multiple of `STEP`."""
    for one in synthetic_passages.drawn(count, seed):
        for words in one.passages:
            yield " ".join(words[:WORDS_A_MEMORY])


def centres(dimensions: int, seed: int) -> Matrix:
    """Draw the unit vectors that memories lie about."""
    draw = np.random.default_rng(seed)
    drawn = draw.standard_normal((CENTRES + 1, dimensions), dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    rows = drawn[0] + _APART * drawn[1:]
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def memory_rows(tenant: str, subject: str, said: Sequence[str]) -> list[MemoryRow]:
    """Make the rows of one subject, said a minute apart; ids are digests, as derived ones are."""
    ids = [hash_parts("bench memory", tenant, subject, str(number)) for number in range(len(said))]
    return [_row(subject, ids, number, text) for number, text in enumerate(said)]


def _row(subject: str, ids: Sequence[str], number: int, text: str) -> MemoryRow:
    at = START + timedelta(minutes=number)
    turned: tuple[Transition, ...] = ()
    until: datetime | None = None
    follower: str | None = None
    if number % RETIRED_EVERY == 0 and number + 1 < len(ids):
        until, follower = at + timedelta(minutes=1), ids[number + 1]
        turned = (Transition(until, Status.SUPERSEDED, "latest", follower),)
    kind = _KINDS[number % len(_KINDS)]
    return MemoryRow(
        id=ids[number],
        subject_id=subject,
        unit=hash_parts("bench unit", ids[number]),
        voice="own",
        kind=kind,
        original_kind=kind,
        claim_key=None,
        value=text,
        shown=text,
        polarity=Polarity.AFFIRMED,
        text=text,
        injection="gated",
        authority=50,
        importance=0.5,
        confidence=1.0,
        first_said_at=at,
        last_said_at=at,
        times_said=1,
        independent_origins=1,
        valid_from=None,
        valid_to=None,
        transitions=(Transition(None, Status.ACTIVE), *turned),
        spells=((None, until),),
        superseded_by=follower,
        superseded_from=until,
    )


class Filler:
    """Writes subjects as the store's superuser: row security lets nobody else COPY."""

    def __init__(self, memory: Stemma, model_id: str, middle: Matrix, seed: int) -> None:
        """Take a store in a folder, the model that the vectors are to be of, and what they lie about."""
        server = memory.runtime.store.server
        if server is None:
            raise AssertionError("only a store in a folder is filled")
        self.address = server.address(role=SUPERUSER)
        self._tenant, self._model_id, self._middle, self._seed = memory.tenant, model_id, middle, seed
        with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
            _, extractor = memory.runtime.registered(t)
        self._made_by: dict[str, Any] = {"extractor": extractor.version}
        self._at = memory.runtime.now()

    def fill(self, number: int, count: int) -> Filled:
        """Write the subject of a number with so many memories, a multiple of `STEP`."""
        subject, seed = f"subject-{number}", self._seed + number
        rows = memory_rows(self._tenant, subject, [*texts(count, seed)])
        vectors = synthetic_passages.vectors_about(self._middle, count, seed)
        lexical = [bound(each) for row in rows for each in lexical_rows(self._tenant, row)]
        # A text that is drawn twice has one vector.
        by_text = {each["text_hash"]: vector for each, vector in zip(lexical, vectors, strict=True)}
        with psycopg.connect(self.address) as connection, connection.cursor() as cursor:
            self._copy(cursor, "subjects", [{"subject_id": subject, "recorded_at": self._at, **self._made_by}])
            self._copy(cursor, "memories", self._memories(subject, rows))
            self._copy(cursor, "episodes", (self._episode(subject, row) for row in rows))
            self._copy(cursor, "evidence", (_evidence(self._tenant, row) for row in rows))
            self._copy(cursor, "lex", map(_lexical, lexical))
            drawn = ({"text_hash": digest, "emb": vector_text(each.tolist())} for digest, each in by_text.items())
            self._copy(cursor, "embeddings", ({"model_id": self._model_id, **each} for each in drawn))
        return Filled(subject, [row.id for row in rows], [row.text for row in rows], vectors)

    def settle(self) -> None:
        """Do what the server does by itself within minutes."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
            connection.execute("CHECKPOINT")

    def _copy(self, cursor: psycopg.Cursor[Any], table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        told = iter(rows)
        first = next(told)
        listed = SQL(", ").join(map(Identifier, ("tenant_id", *first)))
        with cursor.copy(SQL("COPY {} ({}) FROM STDIN").format(Identifier(table), listed)) as copy:
            for row in chain([first], told):
                copy.write_row([self._tenant, *row.values()])

    def _memories(self, subject: str, rows: Sequence[MemoryRow]) -> Iterator[dict[str, Any]]:
        bodies = [encode(row) for row in rows]
        hashed = columns([(row, value_hash(body)) for row, body in zip(rows, bodies, strict=True)])
        for place, body in enumerate(bodies):
            copied = {column: hashed[name][place] for name, column in _COPIED.items()}
            yield {"subject_id": subject, **copied, "body": body, "derived_at": self._at, **self._made_by}

    def _episode(self, subject: str, row: MemoryRow) -> dict[str, Any]:
        return {
            "episode_id": episode_id(self._tenant, subject, row.unit),
            "subject_id": subject,
            "key": row.unit,
            "policy": "content",
            "group_id": row.unit,
            "source": "api",
            "said_by": "user",
            "recorded_at": self._at,
        }


def _evidence(tenant: str, row: MemoryRow) -> dict[str, Any]:
    said = Evidence(
        memory_id=row.id,
        key=row.unit,
        content_hash=row.unit,
        place=0,
        occurred_at=row.first_said_at,
        time=row.first_said_at,
        source="api",
        speaker=None,
        message=None,
        start=0,
        end=len(row.text),
        role="support",
        dead=None,
    )
    own = episode_id(tenant, row.subject_id, row.unit)
    return {"memory_id": row.id, "evidence_id": evidence_id(said), "episode_id": own, "body": encode(said)}


def _lexical(each: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: each[name] for name in _LEXICAL}, "sv": each["weights"]}
