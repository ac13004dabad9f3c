"""The choice of a chat model by its address."""

from __future__ import annotations

from typing import Final

from stemma.errors import InvalidSettings
from stemma.models.chat import Bounds, Chat

__all__ = ["NO_CHAT", "open_chat"]

NO_CHAT: Final = "none"


def open_chat(address: str, *, api_key: str | None = None, bounds: Bounds | None = None) -> Chat | None:
    """Open `https://host/v1#model`, an OpenAI-compatible endpoint; `none` gives None. Nothing is sent yet.

    Raises InvalidSettings for any other address, and for a key that no header can hold; neither is repeated.
    """
    if address == NO_CHAT:
        return None
    if not address.startswith(("http://", "https://")):
        raise InvalidSettings("a chat model is named none, or https://host/v1#model", field="chat")
    # It brings an HTTP client, which half of a second of every start would go to.
    from stemma.models.chat_endpoint import ChatEndpoint

    return ChatEndpoint.at(address, api_key=api_key, bounds=bounds or Bounds())
