"""How memories read on a terminal: each with its id, and the episodes that it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_memories import Memory, MemoryEpisode, RememberResult
from stemma.app.models_recall import BundleItem, BundleResult, Provenance, RecallItem, RecallResult

_DAY: Final = "%Y-%m-%d"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_INDENT: Final = "    "


def show_memory(memory: Memory, before: str = "") -> RenderableType:
    """Show a memory with the last of its sayings that counts."""
    counted = [one for one in memory.episodes if one.effect == "support" and one.dead is None] or memory.episodes
    last = max(counted, key=lambda one: one.occurred_at, default=None)
    rests = [] if last is None else [_saying(last)]
    about = " · ".join([f"memory {memory.id}", *rests, _times(memory), *_facts(memory)])
    return Group(Text(f"{before}{' '.join(memory.text.split())}"), Text(f"{_INDENT}{about}", style="dim"))


def show_whole(memory: Memory) -> RenderableType:
    """Show a memory with each of its sayings, and why one counts for nothing."""
    about = " · ".join([f"memory {memory.id}", _times(memory), *_facts(memory)])
    sayings = [Text(f"{_INDENT}{one.effect}: {_saying(one)}{_dead(one)}", style="dim") for one in memory.episodes]
    return Group(Text(" ".join(memory.text.split())), Text(f"{_INDENT}{about}", style="dim"), *sayings)


def show_remembered(result: RememberResult) -> RenderableType:
    """Show what became of a text, with its memories."""
    head = Text(f"{result.episode.outcome} episode {result.episode.episode_id}")
    return Group(head, *(show_memory(one) for one in result.memories))


def show_recalled(result: RecallResult) -> RenderableType:
    """Show what was found, best first, and the trace that says why."""
    found: list[RenderableType] = []
    for one in result.items:
        if isinstance(one, RecallItem):
            found.append(show_memory(one.memory, f"{one.score:.3f} "))
        else:
            said = one.episode
            about = episode_words(said.episode_id, said.key, None, said.occurred_at)
            text = f"{one.score:.3f} {' '.join(said.text.split())}"
            found.append(Group(Text(text), Text(f"{_INDENT}{about}", style="dim")))
    return Group(*(found or [Text("nothing found")]), *_uncompiled(result.uncompiled), *_trace(result.trace_id))


def beside_bundle(result: BundleResult) -> RenderableType:
    """Show what the text of a bundle rests on, line by line: no part of the text, which is piped into a prompt."""
    lines = [Text(line, style="dim") for section in result.sections for one in section.items for line in _rests(one)]
    return Group(*lines, *_uncompiled(result.uncompiled), *_trace(result.trace_id))


def episode_words(name: str, key: str, source: str | None, at: datetime) -> str:
    """Name an episode by what a reader may look it up with; a key that is a digest of the content says nothing."""
    known = ["" if _DIGEST.fullmatch(key) else key, source or "", f"said {at:{_DAY}}"]
    return f"episode {name} ({', '.join(filter(None, known))})"


def _rests(item: BundleItem) -> list[str]:
    about = []
    for one in item.provenance:
        if isinstance(one, Provenance):
            about.append(episode_words(one.episode_id, one.key, one.source, one.occurred_at))
        else:
            about.append(f"document {one.corpus}/{one.external_id} [{one.number}]")
    return [f"{' '.join(item.text.split())}", f"{_INDENT}{' · '.join([item.id, *about])}"]


def _saying(one: MemoryEpisode) -> str:
    return episode_words(one.episode_id, one.key, one.source, one.occurred_at)


def _dead(one: MemoryEpisode) -> str:
    return f" · counts for nothing: {one.dead}" if one.dead else ""


def _times(memory: Memory) -> str:
    said = "once" if memory.times_said == 1 else f"{memory.times_said} times"
    origins = memory.independent_origins
    return f"said {said} by {origins} {'origin' if origins == 1 else 'origins'}"


def _facts(memory: Memory) -> Sequence[str]:
    facts = [memory.kind, str(memory.status)]
    if memory.held:
        facts.append(f"held: {memory.held.reason}")
    if memory.stale:
        facts.append(f"stale: {memory.stale.reason}")
    return facts


def _uncompiled(count: int) -> list[RenderableType]:
    return [Text(f"{count} episodes are not compiled yet: stemma compile", style="dim")] if count else []


def _trace(name: str | None) -> list[RenderableType]:
    return [] if name is None else [Text(f"trace {name}", style="dim")]
