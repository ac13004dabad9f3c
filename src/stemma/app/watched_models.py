"""Models whose calls are watched, with the facts that the GenAI conventions name. No prompt, no answer."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from stemma.app.observing import CHAT, EMBEDDINGS, Observers, Step
from stemma.models.chat import Chat, Piece, Turn
from stemma.models.embedder import Embedder

OPERATION: Final = "gen_ai.operation.name"
MODEL: Final = "gen_ai.request.model"
PROVIDER: Final = "gen_ai.provider.name"
# What speaks OpenAI's protocol is named so by the conventions, whoever runs it.
_COMPATIBLE: Final = "openai"
_HERE: Final = "local"


class WatchedChat:
    """A chat model each of whose calls is a step."""

    def __init__(self, chat: Chat, observers: Observers) -> None:
        """Take the model and who listens."""
        self._chat = chat
        self._observers = observers

    @property
    def id(self) -> str:
        """Name the model and where it runs."""
        return self._chat.id

    def reply(self, turns: Sequence[Turn]) -> Piece:
        """Answer at once, whole."""
        with self._step(is_apart=False) as step:
            reply = self._chat.reply(turns)
            _tell_end(step, reply)
            return reply

    def stream(self, turns: Sequence[Turn]) -> Iterator[Piece]:
        """Answer in pieces as they come."""
        # Each piece may be taken by another thread, so the step cannot be the present one of any.
        with self._step(is_apart=True) as step:
            pieces = self._chat.stream(turns)
            try:
                for piece in pieces:
                    if piece.usage is not None:
                        _tell_end(step, piece)
                    yield piece
            finally:
                if isinstance(pieces, Generator):
                    pieces.close()

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()

    @contextmanager
    def _step(self, *, is_apart: bool) -> Iterator[Step]:
        with self._observers.step(CHAT, is_apart=is_apart) as step:
            model, _, host = self._chat.id.rpartition("@")
            step.tell(**{OPERATION: "chat", PROVIDER: _COMPATIBLE, MODEL: model, "server.address": host})
            step.tell(**{"gen_ai.request.temperature": 0.0})
            yield step


class WatchedEmbedder:
    """An embedder each of whose calls is a step."""

    def __init__(self, embedder: Embedder, observers: Observers) -> None:
        """Take the embedder and who listens."""
        self._embedder = embedder
        self._observers = observers

    @property
    def id(self) -> str:
        """Name the vector space."""
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        """Give the length of every vector; may load the model."""
        return self._embedder.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        with self._step(len(texts)) as step:
            vectors = self._embedder.passages(texts)
            if vectors:
                step.tell(**{"gen_ai.embeddings.dimension.count": len(vectors[0])})
            return vectors

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        with self._step(1) as step:
            vector = self._embedder.query(text)
            step.tell(**{"gen_ai.embeddings.dimension.count": len(vector)})
            return vector

    @contextmanager
    def _step(self, texts: int) -> Iterator[Step]:
        name = self._embedder.id
        is_far = name.startswith("endpoint:")
        model, _, place = name.removeprefix("endpoint:").rpartition("@")
        with self._observers.step(EMBEDDINGS) as step:
            step.tell(**{OPERATION: "embeddings", PROVIDER: _COMPATIBLE if is_far else _HERE, "stemma.texts": texts})
            # The version of a model that runs here is part of which model it is.
            step.tell(**({MODEL: model, "server.address": place} if is_far else {MODEL: name}))
            yield step


def _tell_end(step: Step, piece: Piece) -> None:
    step.tell(**{"gen_ai.response.finish_reason": "length" if piece.is_cut else "stop"})
    if piece.usage is not None and piece.usage.prompt_tokens is not None:
        step.tell(**{"gen_ai.usage.input_tokens": piece.usage.prompt_tokens})
    if piece.usage is not None and piece.usage.completion_tokens is not None:
        step.tell(**{"gen_ai.usage.output_tokens": piece.usage.completion_tokens})
