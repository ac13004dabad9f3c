"""How a fault is told: which kinds there are, which of them lie in the log itself, and what differs in a row.

The words name fields, instants, ids and counts; what somebody said is never among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import Enum
from typing import Any, Final

from stemma.app.models_base import AnswerModel
from stemma.state import Transition
from stemma.text import stamp

ADVICE: Final = (
    "The log itself is damaged and nothing can compute it again, so what rests on it is left as it is. Restore a "
    "backup of before the damage, or `stemma import` an export that holds the records; or erase the damaged record "
    "(`stemma erase --subject S --key K`). Then repair what is derived."
)

# What was said, by whom it was said, and what only arrival could decide: no derivation brings these back.
IN_LOG: Final[Mapping[str, str]] = {
    "act_altered": "this human act is not the one that was recorded",
    "act_missing": "the log does not hold this human act any more",
    "act_unreadable": "this human act cannot be read",
    "content_altered": "this content is not the one that its hash names: it was altered after it was recorded",
    "content_unreadable": "this content or the times of its messages cannot be read",
    "document_revision_altered": "this content of a document is not the one that its revision names",
    "document_revision_missing": "the log does not hold the content that this document has now",
    "episode_altered": "this episode contradicts its own content",
    "episode_group_differs": "this episode is not in the group of its key and business key: one of these was altered",
    "episode_id_differs": "this episode's id is not that of its subject and key: one of these was altered",
    "episode_missing": "the log does not hold this episode any more",
    "revision_missing": "the log does not hold this content any more",
    "saying_missing": "the log does not hold a saying of this content any more",
    "tombstone_altered": "this tombstone does not cover what it covered when it was made",
    "tombstone_missing": "this tombstone is gone: what it names could come back",
    "tombstone_secret_missing": "the secret of some tombstones is gone: what they name could come back",
}

_PRIVATE: Final = frozenset({"text", "value", "shown", "speaker", "scope", "frame", "voice"})
_MOST_NAMED: Final = 6


class Fault(AnswerModel):
    """One thing that is not as it should be: in which subject, of what kind, which row, and in words.

    `in_log` says that it lies in the log itself: it is named and left, since it can be computed from nothing.
    """

    subject_id: str | None
    kind: str
    id: str
    detail: str
    in_log: bool


@dataclass(slots=True)
class Found:
    """What was looked at in one subject, and its faults."""

    subject: str | None = None
    episodes: int = 0
    memories: int = 0
    uncompiled: int = 0
    faults: list[Fault] = field(default_factory=list)
    _named: set[tuple[str, str]] = field(default_factory=set)

    def add(self, kind: str, name: str, detail: str | None = None) -> None:
        """Name a fault; of one kind and id the first stands."""
        if (kind, name) not in self._named:
            self._named.add((kind, name))
            words = detail or IN_LOG.get(kind) or kind.replace("_", " ")
            self.faults.append(Fault(subject_id=self.subject, kind=kind, id=name, detail=words, in_log=kind in IN_LOG))


def compare(
    found: Found, part: str, wanted: Mapping[Any, Any], stored: Mapping[Any, Any], unreadable: Iterable[Any] = ()
) -> None:
    """Name what is missing, what is stored without being derived, and in what the rest differs."""
    passed = set(unreadable)
    for name in sorted((wanted.keys() | stored.keys()) - passed):
        if name not in stored:
            found.add(f"{part}_missing", shown(name), f"the log yields this {part} and it is not stored")
        elif name not in wanted:
            found.add(f"{part}_not_derived", shown(name), f"this {part} is stored and the log does not yield it")
        elif wanted[name] != stored[name]:
            found.add(f"{part}_differs", shown(name), difference(wanted[name], stored[name]))


def difference(wanted: Any, stored: Any) -> str:
    """Say in which fields a stored record is not the derived one; the words of private fields stay unsaid."""
    told = []
    for each in fields(wanted):
        new, old = getattr(wanted, each.name), getattr(stored, each.name, None)
        if new != old:
            told.append(_told(each.name, new, old))
    return "; ".join(told)


def columns(pairs: Mapping[str, tuple[object, object]]) -> str | None:
    """Say which columns (name to wanted and stored) are not what they should be; None where all are."""
    told = [_told(name, new, old) for name, (new, old) in pairs.items() if new != old]
    return "; ".join(told) or None


def shown(value: Any) -> str:
    """Write a value of a record for a reader."""
    match value:
        case None:
            return "none"
        case datetime():
            return stamp(value) if value.tzinfo else value.isoformat()
        case Enum():
            return str(value.value)
        case bytes():
            return value.hex()[:16]
        case Transition():
            because = f" ({value.reason})" if value.reason else ""
            return f"{value.status}{because} from {shown(value.at) if value.at else 'the beginning'}"
        case tuple() if len(value) == 2 and all(isinstance(part, str) for part in value):
            return "/".join(value)
        case tuple():
            return f"[{', '.join(_first(value, shown))}]"
    return str(value)


def _first(values: tuple[Any, ...], show: Callable[[Any], str]) -> Iterator[str]:
    yield from (show(each) for each in values[:_MOST_NAMED])
    if len(values) > _MOST_NAMED:
        yield f"{len(values) - _MOST_NAMED} more"


def _told(name: str, wanted: object, stored: object) -> str:
    if name in _PRIVATE:
        return f"{name} is not the derived one"
    return f"{name} is {shown(stored)}, derived is {shown(wanted)}"
