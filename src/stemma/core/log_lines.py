"""The form of an exported log: which records there are, in which order, and one record as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from stemma.core.merge import EpisodeRecord
from stemma.record_json import plain
from stemma.records import ClaimKey, HumanAct, Source

FORMAT: Final = "stemma-log/1"


def line(kind: str, fields: Mapping[str, Any]) -> str:
    """Write one record as one line, its fields in order of name."""
    text = json.dumps({"type": kind, **fields}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    # Many readers end a line at these two as well.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def header(tenant: str) -> str:
    """Write the first line. It names the tenant, because human acts name memories by ids of that tenant."""
    return json.dumps({"format": FORMAT, "tenant": tenant}, ensure_ascii=False, separators=(",", ":")) + "\n"


def source_line(source: Source, set_at: object) -> str:
    """Write a registered source."""
    return line("source", {**plain(source), "set_at": plain(set_at)})


def claim_key_line(claim_key: ClaimKey, set_at: object) -> str:
    """Write a registered claim key."""
    return line("claim_key", {**plain(claim_key), "set_at": plain(set_at)})


def episode_line(record: EpisodeRecord) -> str:
    """Write an episode with every content and saying."""
    fields = plain(record)
    fields["revisions"] = [
        {"content_hash": name, "content": json.loads(found.content), "recorded_at": plain(found.recorded_at)}
        for name, found in sorted(record.revisions.items())
    ]
    fields["sayings"] = [
        {"content_hash": name[0], **plain(said)}
        for name, said in sorted(record.sayings.items(), key=lambda item: item[0])
    ]
    return line("episode", fields)


def act_line(act: HumanAct) -> str:
    """Write a human act."""
    return line("act", {"act": plain(act)})
