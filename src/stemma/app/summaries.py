"""One sentence for each operation, for every door. Nothing is imported: the command line's help loads only this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SUMMARIES: Final[Mapping[str, str]] = {
    "add_episodes": "Ingest episodes, 1 to 1,000 at once; sending them again changes nothing.",
    "find_episodes": "List a subject's episodes, or find the one with a key.",
    "get_episode": "Read one episode with its sayings, revisions and gate records.",
    "put_source": "Register how a source's records are told apart and how far it is trusted.",
    "list_sources": "List the registered sources.",
    "put_claim_key": "Register a claim key: whether several values hold at once, and who wins.",
    "list_claim_keys": "List the registered claim keys.",
    "list_kinds": "List the kinds of memory with their policy, half-life and class.",
    "list_subjects": "List the subjects with what is known of them.",
    "compile_memories": "Derive memories from what was said; again changes nothing.",
    "remember": "Keep one text as exactly one memory.",
    "list_memories": "List a subject's memories, or look a typed fact up.",
    "get_memory": "Read one memory with every saying it rests on.",
    "memory_history": "Show the decisions that a memory took part in.",
    "patch_memory": "Change a memory's class, kind or importance, quarantine it or merge it; recorded.",
    "forget_memory": "Retract a memory; recorded, so that a rebuild keeps it.",
    "recall": "Find what is known of a subject that answers a query.",
    "bundle": "Build the text for a model's prompt, under a token budget.",
    "reset_session": "End a conversation and give the id that it goes on under.",
    "get_trace": "Show how an answer came about, stage by stage.",
    "why": "Say why something is in an answer, or why not.",
    "diff_traces": "Say what differs between two answers.",
    "figures": "Show day by day how memories came to be, what the gates let pass, and what prompts were given.",
    "list_conflicts": "List the pairs that policy leaves to a person.",
    "resolve_conflict": "Rule on a conflict: one side, a third value, or both.",
    "list_decisions": "List the rulings of a subject with both sides' evidence.",
    "put_document": "Make a document what is sent; its passages change at once, its old revisions stay.",
    "get_document": "Read a document as it is, or a revision that it once had.",
    "delete_document": "Let a document be gone; again changes nothing.",
    "list_documents": "List the documents of a corpus.",
    "list_corpora": "List the corpora with how many documents are in each.",
    "delete_corpus": "Let a corpus and every document in it be gone.",
    "search_documents": "Find passages of documents, cited by document, copies counted once.",
    "answer_from_documents": "Answer in the documents' own words with citations, or say that nothing answers.",
    "add_events": "Apply changes of documents, 1 to 1,000 at once; sending them again changes nothing.",
    "list_events": "List the events of a corpus in the order they came in.",
    "erase": "Remove an episode or a subject for ever, re-syncs included.",
    "create_key": "Make a key for callers over HTTP; its secret is shown once.",
    "list_keys": "List the keys of a tenant with what each may do and when it was last used.",
    "revoke_key": "Let a key work no more, for ever.",
}
