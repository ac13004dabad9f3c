"""What a chat model can fail with, below `ChatError`. No door shows one: the answer is then made without."""

from __future__ import annotations

from stemma.errors import StemmaError


class ChatError(StemmaError, code="chat_error", status=503):
    """A chat model did not answer."""


class ChatFailed(ChatError, code="chat_failed", retryable=True):
    """The model was silent, broke off, went over its limits, or did not answer in its protocol's form."""


class ChatBusy(ChatFailed, code="chat_busy"):
    """The endpoint answered 429 or a fault of its own as long as it was asked."""


class ChatRefused(ChatError, code="chat_refused"):
    """The endpoint refused the request: its key, its model or its size."""
