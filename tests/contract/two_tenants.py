"""A tenant with something of everything, and a request of every operation that names what it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemma.app.caller import Caller, Scope
from stemma.app.keys import create_key
from stemma.app.models_keys import CreateKey
from stemma.app.operations import BY_NAME
from stemma.app.runtime import Runtime

Fields = dict[str, Any]
SUBJECT, CORPUS, SESSION = "subject-one", "corpus-one", "session-one"
DOCUMENT, KEY = "runbook.md", "visit:1"


@dataclass(frozen=True, slots=True)
class Named:
    """What a tenant has, by the names and ids that a request may give."""

    subject: str
    corpus: str
    session: str
    episode_id: str
    memory_id: str
    other_memory_id: str
    conflict_id: str
    trace_id: str
    other_trace_id: str
    key_id: str


def run(runtime: Runtime, tenant: str, name: str, fields: Mapping[str, Any]) -> Any:
    """Do one operation for a tenant."""
    return BY_NAME[name].run_for(runtime, Caller(tenant, frozenset(Scope)), fields)


def tell(runtime: Runtime, tenant: str, mark: str) -> Named:
    """Tell a tenant something of everything; `mark` stands in every text of it and nowhere else."""

    def do(name: str, /, **fields: Any) -> Any:
        return run(runtime, tenant, name, fields)

    key = create_key(runtime, tenant, CreateKey(scopes=(Scope.READ,), name=f"key of {mark}"))
    do("put_source", name="crawl", authority=60)
    do("put_claim_key", key="fee", cardinality="single", policy="flag")
    said = [
        {"subject_id": SUBJECT, "key": KEY, "text": f"I am allergic to {mark} peanuts. My bay is {mark} 7."},
        {"subject_id": SUBJECT, "key": "c1", "source": "crawl", "claims": [{"key": "fee", "value": f"{mark} 3.5%"}]},
        {"subject_id": SUBJECT, "key": "c2", "source": "mail", "claims": [{"key": "fee", "value": f"{mark} 2.9%"}]},
        {"subject_id": "ben", "key": "b", "text": f"I live in {mark} Lisbon."},
    ]
    episode_id = do("add_episodes", episodes=said).results[0].episode_id
    do("compile_memories")
    pump = f"Stop the {mark} pump first."
    do(
        "put_document",
        corpus=CORPUS,
        external_id=DOCUMENT,
        title=f"{mark} runbook",
        text=f"Stop the {mark} pump first.",
    )
    copied = f"{pump} Then call."
    do(
        "put_document",
        corpus=CORPUS,
        external_id="copy.md",
        text=copied,
        metadata={"team": mark},
        derived_from=DOCUMENT,
    )
    event = {
        "event_id": f"of {CORPUS}",
        "op": "upsert",
        "corpus": CORPUS,
        "external_id": "7",
        "text": f"Logs of {mark} last.",
    }
    do("add_events", events=[{**event, "text": f"Logs of {mark} last."}])
    learned = {"subject_id": SUBJECT, "text": pump, "key": "learned"}
    do("add_episodes", episodes=[{**learned, "document": {"corpus": CORPUS, "external_id": DOCUMENT}}])
    remembered = do("remember", subject_id=SUBJECT, text=f"Ana prefers {mark} oat milk.").memories[0].id
    do("patch_memory", memory_id=remembered, injection="core", by=mark)
    recalled = do("recall", subject_id=SUBJECT, query="What is Ana allergic to?")
    bundled = do("bundle", subject_id=SUBJECT, corpora=[CORPUS], query="Which pump?", session_id=SESSION)
    runtime.uses.write(runtime.store)
    runtime.traces.write(runtime.store)
    return Named(
        SUBJECT,
        CORPUS,
        SESSION,
        str(episode_id),
        remembered,
        recalled.items[0].memory.id,
        do("list_conflicts", subject_id=SUBJECT).items[0].id,
        str(recalled.trace_id),
        str(bundled.trace_id),
        key.id,
    )


def readings(it: Named) -> list[tuple[str, Fields]]:
    """Ask for everything that reads, of what a tenant has."""
    subject, corpora = {"subject_id": it.subject}, {"corpora": [it.corpus]}
    named = {"corpus": it.corpus, "external_id": DOCUMENT}
    return [
        ("find_episodes", subject),
        ("find_episodes", {**subject, "key": KEY}),
        ("get_episode", {"episode_id": it.episode_id}),
        ("list_sources", {}),
        ("list_claim_keys", {}),
        ("list_kinds", {}),
        ("list_subjects", {}),
        ("list_memories", {**subject, "status": "all"}),
        ("list_memories", {"claim_key": "fee"}),
        ("get_memory", {"memory_id": it.memory_id}),
        ("memory_history", {"memory_id": it.other_memory_id}),
        ("list_conflicts", {**subject, "status": "all"}),
        ("list_decisions", subject),
        ("recall", {**subject, "query": "peanuts pump fee"}),
        ("recall", {**subject, "query": "peanuts pump fee", "include": ["memories", "episodes"], "explain": True}),
        ("recall", {**subject, "query": "peanuts", "as_of": "2026-03-02T00:00:00Z"}),
        ("bundle", {**subject, **corpora, "query": "Which pump, and which fee?", "session_id": it.session}),
        ("figures", {}),
        ("figures", subject),
        ("get_trace", {"trace_id": it.trace_id}),
        ("why", {"trace_id": it.trace_id, "memory_id": it.other_memory_id}),
        ("diff_traces", {"trace_id": it.trace_id, "other": it.other_trace_id}),
        ("get_document", named),
        ("list_documents", {"corpus": it.corpus}),
        ("list_corpora", {}),
        ("search_documents", {**corpora, "query": "pump"}),
        ("search_documents", {**corpora, "query": "pump", "metadata": {"team": "acme"}}),
        ("answer_from_documents", {**corpora, "query": "How is the pump stopped?"}),
        ("list_events", {"corpus": it.corpus}),
        ("list_keys", {}),
    ]


def writings(it: Named) -> list[tuple[str, Fields]]:
    """Ask for everything that writes, to what a tenant has; what removes comes last."""
    named = {"corpus": it.corpus, "external_id": DOCUMENT}
    event = {"event_id": f"of {it.corpus}", "op": "delete"}
    episode = {"subject_id": it.subject, "key": KEY, "text": "I like tea.", "key_policy": "revision"}
    return [
        ("add_episodes", {"episodes": [episode, {**episode, "key": "pinned", "document": named}]}),
        ("resolve_conflict", {"conflict_id": it.conflict_id, "keep_both": True}),
        ("put_source", {"name": "crawl", "authority": 10}),
        ("put_claim_key", {"key": "fee", "cardinality": "multi", "policy": "keep_all"}),
        ("compile_memories", {"subject_id": it.subject}),
        ("compile_memories", {}),
        ("remember", {"subject_id": it.subject, "text": "I drive a van."}),
        ("patch_memory", {"memory_id": it.memory_id, "importance": 0.1}),
        ("patch_memory", {"memory_id": it.memory_id, "merge_into": it.other_memory_id}),
        ("reset_session", {"session_id": it.session}),
        ("put_document", {**named, "text": "Start the pump.", "derived_from": f"{it.corpus}/copy.md"}),
        ("add_events", {"events": [{**event, "corpus": it.corpus, "external_id": "7"}]}),
        ("forget_memory", {"memory_id": it.memory_id}),
        ("create_key", {"scopes": ["read"], "name": "another"}),
        ("revoke_key", {"key_id": it.key_id}),
        ("delete_document", named),
        ("delete_corpus", {"corpus": it.corpus}),
        ("erase", {**named}),
        ("erase", {"subject_id": it.subject, "episode_key": KEY}),
        ("erase", {"subject_id": it.subject}),
    ]
