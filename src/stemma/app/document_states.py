"""What the documents that episodes were learned from say now: for a derivation, and for a reading at once (R-38)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.app import models_memories as wire
from stemma.core import codec, support
from stemma.core.documents import document_id
from stemma.core.folding import fold
from stemma.document_records import Head
from stemma.records import Candidate, DocumentPin, DocumentState, LogEpisode
from stemma.state import Evidence
from stemma.store import documents, log
from stemma.store.transaction import Transaction
from stemma.text import episode_id

States = dict[tuple[str, str], DocumentState]
_FAULTS = (support.SOURCE_GONE, support.SOURCE_CHANGED)


def of_episodes(t: Transaction, episodes: Iterable[LogEpisode]) -> States:
    """Return the documents that episodes are pinned to, as they are now; one never heard of is absent."""
    return of_pins(t, [each.document for each in episodes if each.document is not None])


def of_pins(t: Transaction, pins: Sequence[DocumentPin]) -> States:
    """Return pinned documents as they are now, with what they said before where a pin may owe its words to that."""
    if not pins:
        return {}
    heads = documents.heads(t, {document_id(t.tenant, pin.corpus, pin.external_id) for pin in pins})
    # A pin to the present revision may have been made when an earlier one had the words, only later.
    earlier = any(_head_of(t, heads, pin) == pin.revision for pin in pins)
    present: dict[str, str] = {}
    former: dict[str, list[str]] = {}
    for name, _, text, is_present in sorted(documents.texts(t, heads, earlier=earlier)):
        if is_present:
            present[name] = fold(text)
        else:
            former.setdefault(name, []).append(fold(text))
    return {
        (head.corpus, head.external_id): DocumentState(
            head.corpus,
            head.external_id,
            head.revision,
            present.get(name, ""),
            head.origin_id,
            tuple(former.get(name, ())),
        )
        for name, head in heads.items()
    }


def _head_of(t: Transaction, heads: Mapping[str, Head], pin: DocumentPin) -> str | None:
    head = heads.get(document_id(t.tenant, pin.corpus, pin.external_id))
    return head.revision if head else None


@dataclass(frozen=True, slots=True)
class Sources:
    """What a memory was learned from, and since when none of it says so any more."""

    documents: tuple[wire.MemoryDocument, ...] = ()
    stale: wire.StaleMark | None = None


@dataclass(frozen=True, slots=True)
class _Support:
    """One statement under a memory that was learned from a document; `fault` says why it does not stand there now."""

    pin: DocumentPin
    fault: str | None


def sources(
    t: Transaction,
    subjects: Mapping[str, str],
    extractor_of: Mapping[str, str],
    evidence: Mapping[str, Sequence[Evidence]],
) -> dict[str, Sources]:
    """Say of memories (by id, with their subject and extractor) which documents are under them and how these stand.

    It is read from the documents as they are, so that a change shows before any compile has seen it.
    """
    owners = {
        episode_id(t.tenant, subjects[name], each.key): each for name, found in evidence.items() for each in found
    }
    episodes = {each.episode_id: each for each in log.pinned_episodes(t, sorted(owners))} if owners else {}
    if not episodes:
        return {}
    states = of_episodes(t, episodes.values())
    heads = documents.heads(t, {document_id(t.tenant, *name) for name in states})
    revised = {(head.corpus, head.external_id): head.revised_at for head in heads.values()}
    candidates = _candidates(t, episodes, set(extractor_of.values()))
    found = {}
    for name, listed in evidence.items():
        supports, stands = [], False
        for each in listed:
            own = episode_id(t.tenant, subjects[name], each.key)
            if each.role != "support" or (each.dead is not None and each.dead not in _FAULTS):
                continue
            episode = episodes.get(own)
            if episode is None or episode.document is None:
                stands = True
                continue
            candidate = candidates.get((own, each.content_hash, extractor_of[name], each.place))
            content = episode.revisions.get(each.content_hash)
            fault = each.dead
            if candidate is not None and content is not None:
                fault = support.source_fault(episode.document, candidate, content, states)
            supports.append(_Support(episode.document, fault))
        if supports:
            found[name] = _sources(supports, states, revised, stands=stands)
    return found


def _candidates(
    t: Transaction, episodes: Mapping[str, LogEpisode], extractors: set[str]
) -> dict[tuple[str, str, str, int], Candidate]:
    found = {}
    for extractor in extractors:
        for (own, content_hash), body in log.extractions(t, list(episodes), extractor).items():
            for each in codec.from_json(body).candidates:
                found[own, content_hash, extractor, each.place] = each
    return found


def _sources(
    supports: Sequence[_Support], states: States, revised: Mapping[tuple[str, str], datetime], *, stands: bool
) -> Sources:
    by_document: dict[tuple[str, str], list[_Support]] = {}
    for each in supports:
        by_document.setdefault((each.pin.corpus, each.pin.external_id), []).append(each)
    listed = []
    for name, found in sorted(by_document.items()):
        state = states.get(name)
        holds = any(each.fault is None for each in found)
        stands = stands or holds
        present = state.revision if state else None
        # A statement that still stands is pinned to where it stands now.
        revision = present if holds and present else max(each.pin.revision for each in found)
        where = "gone" if present is None else "current" if holds else "changed"
        listed.append(
            wire.MemoryDocument.model_validate(
                {"corpus": name[0], "external_id": name[1], "revision": revision, "state": where}
            )
        )
    if stands:
        return Sources(tuple(listed))
    faults = sorted({each.fault for each in supports if each.fault})
    since = [revised[name] for name in by_document if name in revised]
    mark = wire.StaleMark(since=max(since), reason=faults[0]) if since and faults else None
    return Sources(tuple(listed), mark)
