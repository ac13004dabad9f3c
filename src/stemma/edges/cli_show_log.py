"""How episodes of the log and passages of documents read on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_episodes import (
    EpisodeDetail,
    EpisodePage,
    EpisodeSummary,
    StoredGate,
    StoredRevision,
    StoredStatement,
)
from stemma.app.models_search import Citation, SearchResult

_MINUTE: Final = "%Y-%m-%d %H:%MZ"
_INDENT: Final = "    "


def show_episodes(page: EpisodePage) -> RenderableType:
    """Show a page of episodes: what was said, then what it is looked up by."""
    shown = [line for one in page.items for line in (*_said(one), Text(f"{_INDENT}{_about(one)}", style="dim"))]
    more = [Text(f"more: --cursor {page.next_cursor}", style="dim")] if page.next_cursor else []
    return Group(*(shown or [Text("no episodes")]), *more)


def show_episode(episode: EpisodeDetail) -> RenderableType:
    """Show an episode, what was read of its clauses, and why no memory came of the others."""
    contents = {one.content_hash: one for one in episode.revisions}
    read = [_statement(one) for one in episode.statements]
    refused = [_gate(one, contents) for one in episode.gates if not one.passed]
    unread = [] if episode.gates or read else [Text(f"{_INDENT}nothing was read of it yet: stemma compile")]
    return Group(Text(_about(episode)), *_said(episode), *read, *refused, *unread)


def show_found(result: SearchResult) -> RenderableType:
    """Show the documents that were found, each passage below its document."""
    lines = [line for one in result.citations for line in _cited(one)]
    origins = f"{result.independent_origins} independent origins among {len(result.citations)} documents"
    degraded = [] if result.index_state.degraded is None else [Text(f"by words alone: {result.index_state.degraded}")]
    return Group(*(lines or [Text("nothing found")]), *([Text(origins, style="dim")] if lines else []), *degraded)


def cited_at(one: Citation) -> str:
    """Name a cited document under its number: where its passages stand, and whose copy it is."""
    places = dict.fromkeys(
        " ".join(filter(None, (passage.heading, "" if passage.page is None else f"p. {passage.page}")))
        for passage in one.passages
    )
    at = ", ".join(filter(None, places))
    copy = "" if one.copy_of is None else f" · copy of [{one.copy_of}]"
    named = f"[{one.number}] {one.title} · {one.corpus}/{one.external_id}"
    return f"{named}{f' · {at}' if at else ''}{copy}"


def _cited(one: Citation) -> Iterator[RenderableType]:
    yield Text(cited_at(one))
    for passage in one.passages:
        yield Text(f"{_INDENT}{passage.score:.3f} {' '.join(passage.text.split())}")


def _about(one: EpisodeSummary) -> str:
    names = [f"episode {one.episode_id}", f"key {one.key}", one.source, f"subject {one.subject_id}"]
    said = max((each.occurred_at for each in one.sayings), default=one.recorded_at)
    return " · ".join([*names, f"said {said:{_MINUTE}}"])


def _said(one: EpisodeSummary) -> Iterator[RenderableType]:
    for revision in one.revisions:
        if revision.text:
            yield Text(" ".join(revision.text.split()))
        for message in revision.messages:
            yield Text(f"{message['role']}: {' '.join(str(message['content']).split())}")
        for claim in revision.claims:
            yield Text(f"claim {claim.get('key')} = {claim.get('value')}")


def _statement(one: StoredStatement) -> RenderableType:
    return Text(f"{_INDENT}{one.act} {one.kind}: {' '.join(one.text.split())!r}")


def _gate(one: StoredGate, contents: dict[str, StoredRevision]) -> RenderableType:
    clause = _clause(one, contents.get(one.content_hash))
    miss = "" if one.score is None or one.threshold is None else f" ({one.score:g}, {one.threshold:g} needed)"
    return Text(f"{_INDENT}no memory: {one.reason}{miss}, {clause!r}")


def _clause(one: StoredGate, revision: StoredRevision | None) -> str:
    if revision is None:
        return ""
    whole = revision.text or "" if one.message is None else str(revision.messages[one.message]["content"])
    return " ".join(whole[one.start : one.end].split())
