"""What one row of the operation table is: a name with its route, models, function, rights and command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stemma.app.caller import Caller, Scope
from stemma.app.models_base import AnswerModel, RequestModel
from stemma.app.problems import ask
from stemma.app.runtime import Runtime
from stemma.app.summaries import SUMMARIES

__all__ = ["Command", "Operation", "Scope"]


@dataclass(frozen=True, slots=True)
class Command:
    """How an operation reads on the command line: `arguments` are the fields given by place, the others are options."""

    name: str
    arguments: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. A field of the request named in `path` comes from there, the others from the query or the body.

    `status` is that of success over HTTP; 204 has no body. `stream` answers the same in events, each a model with its
    name in `event`, where somebody wants to see it come.
    """

    name: str
    method: str
    path: str
    request: type[RequestModel]
    answer: type[AnswerModel]
    function: Callable[..., AnswerModel]
    scope: Scope
    example: Mapping[str, Any]
    command: Command
    takes_idempotency_key: bool = False
    status: int = 200
    stream: Callable[..., Iterator[AnswerModel]] | None = None

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""
        return SUMMARIES[self.name]

    def run(
        self, runtime: Runtime, tenant: str, fields: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> AnswerModel:
        """Check the fields and do it; raises the errors of our tree."""
        with runtime.observers.step(self.name):
            asked = ask(self.request, fields)
            if self.takes_idempotency_key and idempotency_key is not None:
                return self.function(runtime, tenant, asked, idempotency_key=idempotency_key)
            return self.function(runtime, tenant, asked)

    def run_stream(self, runtime: Runtime, tenant: str, fields: Mapping[str, Any]) -> Iterator[AnswerModel]:
        """Check the fields and answer in events; raises at once what `run` raises before there is an answer."""
        assert self.stream is not None
        return self.stream(runtime, tenant, ask(self.request, fields))

    def run_for(
        self, runtime: Runtime, caller: Caller, fields: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> AnswerModel:
        """Do it for a caller, as far as its key allows; what it does is signed by the key where nobody else is named.

        Raises ScopeMissing and what `run` raises.
        """
        caller.require(self.scope)
        return self.run(runtime, caller.tenant, self._signed(fields, caller), idempotency_key=idempotency_key)

    def run_stream_for(self, runtime: Runtime, caller: Caller, fields: Mapping[str, Any]) -> Iterator[AnswerModel]:
        """Answer a caller in events, as `run_for` would."""
        caller.require(self.scope)
        return self.run_stream(runtime, caller.tenant, self._signed(fields, caller))

    def _signed(self, fields: Mapping[str, Any], caller: Caller) -> Mapping[str, Any]:
        if caller.by is None or "by" not in self.request.model_fields or fields.get("by") is not None:
            return fields
        return {**fields, "by": caller.by}
