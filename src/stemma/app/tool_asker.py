"""Who asks through a tool: a caller, and the one subject it is kept to where it is kept to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from stemma.app.caller import Caller
from stemma.app.models_base import AnswerModel
from stemma.app.models_memories import Memory
from stemma.app.models_traces import TraceView
from stemma.app.operations import BY_NAME
from stemma.app.runtime import Runtime
from stemma.errors import NotFound

Answer = TypeVar("Answer", bound=AnswerModel)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks for operations on behalf of a caller; `reply_bytes` bounds what it is told at once."""

    runtime: Runtime
    caller: Caller
    subject: str | None
    reply_bytes: int

    def ask(self, name: str, answer: type[Answer], **fields: Any) -> Answer:
        """Ask for a row of the operation table; a field that is None was not given."""
        found = BY_NAME[name].run_for(self.runtime, self.caller, _given(fields))
        assert isinstance(found, answer)
        return found

    def memory(self, memory_id: str) -> Memory:
        """Read a memory; NotFound where it is another subject's than the one this caller is kept to."""
        found = self.ask("get_memory", Memory, memory_id=memory_id)
        self.require(found.subject_id, f"there is no memory {memory_id!r}")
        return found

    def trace(self, trace_id: str) -> TraceView:
        """Read a trace; NotFound as for a memory."""
        found = self.ask("get_trace", TraceView, trace_id=trace_id)
        if found.request.subject_id is not None:
            self.require(found.request.subject_id, f"there is no trace {trace_id!r}")
        return found

    def require(self, subject: str, otherwise: str) -> None:
        """Refuse another subject than the one this caller is kept to, as if it were not there."""
        if self.subject is not None and subject != self.subject:
            raise NotFound(otherwise)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
