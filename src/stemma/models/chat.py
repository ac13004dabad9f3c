"""What every chat model is: the port, what it is sent and what it answers. Which one is used is `chatting`'s choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["system", "user"]
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens a call took, as the endpoint counted; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer as it comes; the last one has the usage and an empty text.

    `is_cut` says that the answer ended at its limit and not by itself.
    """

    text: str
    usage: Usage | None = None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call may take: seconds from question to last word, attempts after the first, tokens of the answer."""

    seconds: float = 60.0
    retries: int = 2
    answer_tokens: int = 800


class Chat(Protocol):
    """A model that answers one conversation. Safe to use from several threads."""

    @property
    def id(self) -> str:
        """Name the model and where it runs, without any secret."""
        ...

    def reply(self, turns: Sequence[Turn]) -> Piece:
        """Answer at once, whole. Raises ChatFailed, ChatBusy, ChatRefused."""
        ...

    def stream(self, turns: Sequence[Turn]) -> Iterator[Piece]:
        """Answer in pieces as they come; closing the iterator ends the call. Raises as `reply` does, also midway."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
