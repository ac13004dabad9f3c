"""What is watched of the work: steps with their seconds, and stages, told to whoever listens. Names and counts alone.

With no listener a step costs two looks at a list. What the listeners make of it stands in their own modules.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from stemma.core.trace import STAGES, StageRecord
from stemma.errors import StemmaError

__all__ = ["CHAT", "COMPILE", "EMBEDDINGS", "FAULT", "STAGES", "Fact", "Listener", "Observers", "StageRecord", "Step"]

Fact = str | int | float | bool

COMPILE: Final = "compile_subject"
CHAT: Final = "chat"
EMBEDDINGS: Final = "embeddings"
# The error of a step whose code would say nothing: a fault of ours.
FAULT: Final = "fault"


@dataclass(slots=True)
class Step:
    """One piece of work: `facts` are names and counts, never a text, a subject or a tenant.

    `seconds` and `error` (a code) stand once it has ended. `carrier` are the headers of who asked, where it may say of
    which trace the step is part; `is_apart` is so of a step that ends in another thread than it began in.
    """

    name: str
    facts: dict[str, Fact] = field(default_factory=dict)
    carrier: Mapping[str, str] | None = None
    is_apart: bool = False
    seconds: float = 0.0
    error: str | None = None

    def tell(self, **facts: Fact) -> None:
        """Add what is known by now."""
        self.facts.update(facts)


class Listener(Protocol):
    """Who is told of the steps. Called from every thread; what it raises reaches the request, so it raises nothing."""

    def watch(self, step: Step) -> AbstractContextManager[None]:
        """Stand around a step; at its end `seconds`, `error` and all facts are there."""
        ...

    def staged(self, stages: Sequence[StageRecord]) -> None:
        """Be told how long the stages of the recall or bundle took that is under way."""
        ...

    def close(self) -> None:
        """Send what waits to be sent."""
        ...


class Observers:
    """Those who listen to one runtime."""

    def __init__(self, listeners: Sequence[Listener] = ()) -> None:
        """Begin with the listeners that are known; others join as doors open."""
        self._listeners: tuple[Listener, ...] = tuple(listeners)

    @property
    def are_there(self) -> bool:
        """Say whether anybody listens."""
        return bool(self._listeners)

    def add(self, listener: Listener) -> None:
        """Let one more listen."""
        self._listeners = (*self._listeners, listener)

    @contextmanager
    def step(self, name: str, *, carrier: Mapping[str, str] | None = None, is_apart: bool = False) -> Iterator[Step]:
        """Watch the block as one step; what it raises is noted by its code and passes."""
        made = Step(name, carrier=carrier, is_apart=is_apart)
        if not self._listeners:
            yield made
            return
        with ExitStack() as around:
            for one in self._listeners:
                around.enter_context(one.watch(made))
            began = time.perf_counter()
            try:
                yield made
            except GeneratorExit:
                # Whoever listened to a stream has gone: that is an end, and no error.
                raise
            except BaseException as error:
                made.error = error.code if isinstance(error, StemmaError) else FAULT
                raise
            finally:
                made.seconds = time.perf_counter() - began

    def staged(self, stages: Sequence[StageRecord]) -> None:
        """Tell how long the stages took of the request under way."""
        for one in self._listeners:
            one.staged(stages)

    def close(self) -> None:
        """Let every listener send what waits."""
        for one in self._listeners:
            one.close()
