"""Where each operation is asked for over HTTP, and what may not be asked for twice. Checked against the table by test.

The table itself names the functions that do the work, and with them the store; a client needs neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Route:
    """One row: `once` says why a request that was sent is not sent again (empty: sending it twice is harmless).

    With `once_with` that holds of requests alone that have this field.
    """

    method: str
    path: str
    once: str = ""
    once_with: str | None = None

    def may_repeat(self, fields: Mapping[str, object]) -> bool:
        """Say whether a request may be sent again when it is not known what became of it."""
        return not self.once or (self.once_with is not None and fields.get(self.once_with) is None)


_ACT: Final = "each is an entry in the log of its own, and the later one also covers what was said in between"

ROUTES: Final[Mapping[str, Route]] = {
    "add_episodes": Route("POST", "/v1/episodes"),
    "find_episodes": Route("GET", "/v1/episodes"),
    "get_episode": Route("GET", "/v1/episodes/{episode_id}"),
    "put_source": Route("PUT", "/v1/sources/{name:path}"),
    "list_sources": Route("GET", "/v1/sources"),
    "put_claim_key": Route("PUT", "/v1/claim-keys/{key:path}"),
    "list_claim_keys": Route("GET", "/v1/claim-keys"),
    "list_kinds": Route("GET", "/v1/kinds"),
    "list_subjects": Route("GET", "/v1/subjects"),
    "compile_memories": Route("POST", "/v1/memories/compile"),
    "remember": Route("POST", "/v1/memories"),
    "list_memories": Route("GET", "/v1/memories"),
    "get_memory": Route("GET", "/v1/memories/{memory_id}"),
    "memory_history": Route("GET", "/v1/memories/{memory_id}/history"),
    "patch_memory": Route("PATCH", "/v1/memories/{memory_id}", once=_ACT),
    "forget_memory": Route("DELETE", "/v1/memories/{memory_id}", once=_ACT),
    "list_conflicts": Route("GET", "/v1/conflicts"),
    "resolve_conflict": Route(
        "POST",
        "/v1/conflicts/{conflict_id}/resolve",
        once="the second one finds the conflict settled and would report a failure of what was done",
    ),
    "list_decisions": Route("GET", "/v1/decisions"),
    "recall": Route("POST", "/v1/recall"),
    "bundle": Route(
        "POST",
        "/v1/bundle",
        once="what the lost answer gave counts as given to the conversation and would be left out of the second",
        once_with="session_id",
    ),
    "reset_session": Route(
        "POST",
        "/v1/sessions/{session_id:path}/reset",
        once="the second one finds the conversation closed, and the id that it goes on under was in the lost answer",
    ),
    "get_trace": Route("GET", "/v1/traces/{trace_id}"),
    "why": Route("GET", "/v1/traces/{trace_id}/why"),
    "diff_traces": Route("GET", "/v1/traces/{trace_id}/diff"),
    "figures": Route("GET", "/v1/figures"),
    "put_document": Route("PUT", "/v1/corpora/{corpus}/documents/{external_id:path}"),
    "get_document": Route("GET", "/v1/corpora/{corpus}/documents/{external_id:path}"),
    "delete_document": Route("DELETE", "/v1/corpora/{corpus}/documents/{external_id:path}"),
    "list_documents": Route("GET", "/v1/corpora/{corpus}/documents"),
    "list_corpora": Route("GET", "/v1/corpora"),
    "delete_corpus": Route("DELETE", "/v1/corpora/{corpus}"),
    "search_documents": Route("POST", "/v1/search"),
    "answer_from_documents": Route("POST", "/v1/answer"),
    "add_events": Route("POST", "/v1/events"),
    "list_events": Route("GET", "/v1/events"),
    "create_key": Route("POST", "/v1/keys", once="each makes a key, and the first one's secret was in the lost answer"),
    "list_keys": Route("GET", "/v1/keys"),
    "revoke_key": Route("DELETE", "/v1/keys/{key_id}"),
    "erase": Route(
        "POST",
        "/v1/erase",
        once="the second one would erase what came in between, and its receipt would not count what the first took out",
    ),
}
