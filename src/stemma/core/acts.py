"""What names a human act in the log. What it does is `derive`'s."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from stemma.record_json import encode
from stemma.records import HumanAct
from stemma.state import Evidence
from stemma.text import episode_id, hash_parts

_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def identified(act: HumanAct) -> HumanAct:
    """Give an act its id: the hash of everything that it says but when it was recorded."""
    return replace(act, id=hash_parts("act", encode(replace(act, id="", recorded_at=_NEVER))))


def said_in(tenant: str, subject: str, key: str, content_hash: str) -> str:
    """Name where a statement stands: its episode, or the human act itself where a person worded it (a third value)."""
    return key if key == _key_of(content_hash) else episode_id(tenant, subject, key)


def is_worded(evidence: Evidence) -> bool:
    """Say whether a statement was worded by a human act and stands in no episode."""
    return evidence.key == _key_of(evidence.content_hash)


def _key_of(act_id: str) -> str:
    return f"act:{act_id}"
