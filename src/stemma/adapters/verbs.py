"""`Memory`: the verbs that users of memory libraries know, over `Stemma` or `StemmaClient`. docs/guides/python.md
says of each what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypedDict, Unpack

from stemma.adapters.filters import require_sound
from stemma.adapters.notes import Notes, Shown, asked_key, noted
from stemma.adapters.owners import NAMES, Owner, without_ids
from stemma.app.face import Face
from stemma.app.fields import RememberFields, When
from stemma.app.models_base import LIMIT_MOST
from stemma.app.models_memories import Decision
from stemma.app.models_memories import Memory as Derived
from stemma.app.models_recall import RecallItem
from stemma.errors import Erased, InvalidInput, NotFound, RememberRejected
from stemma.records import Outcome, Status

Said = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
# What a filter leaves out must not take the place of what it lets in, so a filtered search looks at so many.
_LOOKED_AT: Final = 100


class Ids(TypedDict, total=False):
    """Whose memories: the first that is given of user, agent and run names the subject, the others narrow it."""

    user_id: str | None
    agent_id: str | None
    run_id: str | None


class Memory:
    """What a program remembers of its users, with `add`, `search`, `get`, `get_all`, `update`, `delete` and `history`.

    Nothing is kept here, so that it may be made anew at any time. The face it stands on is the caller's to close.
    """

    def __init__(self, face: Face) -> None:
        """Stand on an opened `Stemma` or a `StemmaClient`."""
        self._face = face

    def add(
        self,
        messages: Said,
        *,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        occurred_at: When | None = None,
        **ids: Unpack[Ids],
    ) -> dict[str, list[dict[str, Any]]]:
        """Record what was said and derive memories from it; with `infer=False` keep each message as one memory.

        A text is said by the user. Answers `results`, one for each memory that this brought about: `ADD`, `UPDATE`
        where it took another's place (`previous_memory`), `NONE` where it was known. Said again it answers none.
        """
        owner = Owner.of(_checked(ids))
        turns = _turns(messages)
        about = _about(noted(metadata, owner), owner.run_id, occurred_at)
        if not infer:
            return {"results": [event for turn in turns for event in self._kept(owner.subject_id, turn, about)]}
        episode = {"subject_id": owner.subject_id, "messages": turns, "key": asked_key(turns, about), **about}
        (taken,) = self._face.add_episodes([episode]).results
        if taken.outcome is Outcome.ERASED:
            raise Erased("what was said here was erased; it is not taken in again")
        if taken.error is not None:
            raise RememberRejected(taken.error.detail, reason=taken.error.code)
        done = self._face.compile_memories(owner.subject_id)
        # A new saying may have been compiled by another program meanwhile, or in a try whose answer was lost.
        is_known = taken.outcome is Outcome.DUPLICATE
        if is_known and not done.memories_created + done.memories_restated + done.memories_reinstated:
            return {"results": []}
        return {"results": list(self._brought_about(owner.subject_id, str(taken.episode_id)))}

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        **ids: Unpack[Ids],
    ) -> dict[str, list[dict[str, Any]]]:
        """Find what answers a query, best first, at most `limit` (1 to 500); `score` is 0 to 1, higher is better.

        `filters` look at the metadata; ids may stand in them instead of beside them.
        """
        _require_limit(limit, LIMIT_MOST)
        owner, narrow = _narrowed(ids, filters)
        looked_at = max(limit, _LOOKED_AT) if narrow or owner.narrowing else limit
        found = self._face.recall(owner.subject_id, query, k=looked_at)
        items = [item for item in found.items if isinstance(item, RecallItem)]
        scores = {item.memory.id: item.score for item in items}
        shown = self._shown((item.memory for item in items), owner, narrow)
        return {"results": [{**one.fields, "score": scores[one.id]} for one in islice(shown, limit)]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Read one memory; None where there is none, or it was deleted. One that was replaced says by which."""
        try:
            memory = self._face.get_memory(memory_id)
        except NotFound:
            return None
        if memory.status is Status.TOMBSTONED:
            return None
        return Notes(self._face).latest(memory).fields

    def get_all(
        self,
        *,
        limit: int = 100,
        filters: Mapping[str, Any] | None = None,
        **ids: Unpack[Ids],
    ) -> dict[str, list[dict[str, Any]]]:
        """List the memories that stand, at most `limit`."""
        _require_limit(limit, None)
        owner, narrow = _narrowed(ids, filters)
        shown = self._shown(self._face.iter_memories(owner.subject_id, limit=min(limit, LIMIT_MOST)), owner, narrow)
        return {"results": [one.fields for one in islice(shown, limit)]}

    def update(self, memory_id: str, data: str, *, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Say a correction: `data` is remembered as said now, and the old memory stands no more. Both stay on record.

        The corrected memory has an id of its own, which is answered: an id names what it says. Metadata stays unless
        new is given.
        """
        old = self._standing(memory_id)
        before = Notes(self._face).latest(old).note
        ids = {name: value for name, value in before.items() if name in NAMES}
        about = _about({**noted(metadata, Owner(user_id="any")), **ids} if metadata is not None else before, None, None)
        said: RememberFields = {**about, "kind": old.kind, "key": asked_key([data, old.id], about)}
        done = self._face.remember(old.subject_id, data, **said)
        new = next((one for one in done.memories if one.status is Status.ACTIVE), None)
        if new is None:
            raise InvalidInput("the correction is held back and replaces nothing; word it otherwise", field="data")
        if new.id != old.id and self._face.get_memory(old.id).status is Status.ACTIVE:
            self._face.forget_memory(old.id, by="update", note=f"corrected: {new.id}")
        return {"message": "Corrected; the old memory stays on record.", "id": new.id, "previous_id": old.id}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget one memory: no answer has it any more, and no rebuild brings it back. Its words stay in the log.

        `Stemma.erase` takes words out for good. Deleting again changes nothing; raises NotFound for an unknown id.
        """
        if self._face.get_memory(memory_id).status is not Status.TOMBSTONED:
            self._face.forget_memory(memory_id, by="delete")
        return {"message": "Forgotten; its words stay in the log until they are erased."}

    def delete_all(self, *, erase: bool = False, **ids: Unpack[Ids]) -> dict[str, Any]:
        """Forget every memory that stands; with `erase` take all that was ever said of the subject out for good.

        `erase` takes a whole subject: naming a second id beside it is refused.
        """
        owner = Owner.of(_checked(ids))
        if erase:
            if owner.narrowing:
                raise InvalidInput("erase takes out a whole subject; name one id", field=next(iter(owner.narrowing)))
            receipt = self._face.erase(owner.subject_id)
            return {"message": "Erased for good.", "count": receipt.memories}
        # Read to the end first: forgetting while reading would move the pages.
        memories = list(self._face.iter_memories(owner.subject_id, limit=LIMIT_MOST))
        here = [one.id for one in self._shown(memories, owner, {})]
        for memory_id in here:
            self._face.forget_memory(memory_id, by="delete_all")
        return {"message": "Forgotten; the words stay in the log until they are erased.", "count": len(here)}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Say how one memory came about and what became of it, the earliest first."""
        memory = self._face.get_memory(memory_id)
        first = {"id": memory.id, "event": "ADD", "old_memory": None, "new_memory": memory.text}
        told = [{**first, "memory_id": memory.id, "created_at": memory.first_said_at, "is_deleted": False}]
        told += [_ruled(memory_id, one) for one in self._face.iter_memory_history(memory_id, limit=LIMIT_MOST)]
        return told

    def _kept(self, subject_id: str, turn: dict[str, Any], about: RememberFields) -> Iterator[dict[str, Any]]:
        said: RememberFields = {**about, "key": asked_key([turn, "kept"], about)}
        if "name" in turn:
            said["speaker"] = turn["name"]
        if turn["role"] == "assistant":
            said["said_by"] = "agent"
        done = self._face.remember(subject_id, turn["content"], **said)
        if done.episode.outcome is Outcome.CREATED:
            yield from (_event(memory, None) for memory in done.memories)

    def _brought_about(self, subject_id: str, episode_id: str) -> Iterator[dict[str, Any]]:
        everything = list(self._face.iter_memories(subject_id, status="all", limit=LIMIT_MOST))
        for memory in everything:
            said = [one.occurred_at for one in memory.episodes if one.episode_id == episode_id]
            if said and memory.status is Status.ACTIVE:
                yield _event(memory, _replaced(memory.id, min(said), everything))

    def _shown(
        self, memories: Iterator[Derived] | Sequence[Derived], owner: Owner, filters: Mapping[str, Any]
    ) -> Iterator[Shown]:
        notes = Notes(self._face)
        for memory in memories:
            if shown := notes.meeting(memory, {**filters, **owner.narrowing}):
                yield shown

    def _standing(self, memory_id: str) -> Derived:
        memory = self._face.get_memory(memory_id)
        if memory.status is not Status.ACTIVE:
            raise NotFound(f"the memory {memory_id!r} is {memory.status} and cannot be corrected", field="memory_id")
        return memory


def _replaced(memory_id: str, said_at: datetime, everything: Sequence[Derived]) -> Derived | None:
    """Give the memory whose place was taken by what was said at that moment, not by an earlier saying of the same."""
    ended = [
        (one.superseded_from, one.id, one)
        for one in everything
        if one.superseded_by == memory_id and one.superseded_from is not None and one.superseded_from >= said_at
    ]
    return max(ended)[-1] if ended else None


def _about(note: Mapping[str, Any], session_id: str | None, occurred_at: When | None) -> RememberFields:
    """Say of a saying what there is to be said beside its words."""
    about: RememberFields = {}
    if note:
        about["metadata"] = note
    if session_id is not None:
        about["session_id"] = session_id
    if occurred_at is not None:
        about["occurred_at"] = occurred_at
    return about


def _event(memory: Derived, before: Derived | None) -> dict[str, Any]:
    told = {"id": memory.id, "memory": memory.text}
    if before is not None:
        return {**told, "event": "UPDATE", "previous_memory": before.text, "previous_id": before.id}
    return {**told, "event": "ADD" if memory.times_said == 1 else "NONE"}


def _ruled(memory_id: str, ruling: Decision) -> dict[str, Any]:
    replaced = ruling.winner_id is not None
    return {
        "id": ruling.id,
        "memory_id": memory_id,
        "event": "UPDATE" if replaced else "DELETE",
        "old_memory": ruling.loser_text,
        "new_memory": ruling.winner_text,
        "created_at": ruling.at or ruling.decided_at,
        "is_deleted": not replaced,
        "rule": ruling.rule,
        "undone_at": ruling.undone_at,
    }


def _turns(messages: Said) -> list[dict[str, Any]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    listed: list[Any] = [messages] if isinstance(messages, Mapping) else list(messages)
    turns = []
    for index, one in enumerate(listed):
        if not isinstance(one, Mapping) or not isinstance(one.get("content"), str):
            raise InvalidInput("a message is an object with role and a text as content", field=f"messages.{index}")
        turns.append({"role": "user", **{name: one[name] for name in ("role", "content", "name", "at") if name in one}})
    if not turns:
        raise InvalidInput("there are no messages", field="messages")
    return turns


def _narrowed(ids: Ids, filters: Mapping[str, Any] | None) -> tuple[Owner, dict[str, Any]]:
    owner = Owner.of(_checked(ids), filters)
    narrow = without_ids(filters or {})
    require_sound(narrow)
    return owner, narrow


def _checked(ids: Ids) -> dict[str, Any]:
    if odd := sorted(ids.keys() - set(NAMES)):
        raise InvalidInput(f"{odd[0]} is nothing that this verb takes", field=odd[0])
    return dict(ids)


def _require_limit(limit: Any, most: int | None) -> None:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1 or (most is not None and limit > most):
        raise InvalidInput(f"limit is 1 {'or more' if most is None else f'to {most}'}", field="limit")
