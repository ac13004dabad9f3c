"""The keys' part of the Python faces: a method for each row of the table that speaks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stemma.app import models_keys as wire
from stemma.app.asking import Asking
from stemma.app.fields import Page, When


class KeysFace(Asking):
    """Who may ask over HTTP for this tenant, and what."""

    def create_key(
        self,
        scopes: Sequence[Literal["read", "write", "admin"]],
        *,
        name: str | None = None,
        rate_limit: int | None = None,
        expires_at: When | None = None,
    ) -> wire.CreatedKey:
        """Make a key; its secret is in this answer and nowhere else. `rate_limit` is in requests a minute."""
        fields = {"scopes": list(scopes), "name": name, "rate_limit": rate_limit, "expires_at": expires_at}
        return self._run("create_key", wire.CreatedKey, fields)

    def list_keys(self, **page: Unpack[Page]) -> wire.KeyPage:
        """List the keys, those that do not work any more among them."""
        return self._run("list_keys", wire.KeyPage, page)

    def revoke_key(self, key_id: str) -> wire.KeyEntry:
        """Let a key work no more, for ever."""
        return self._run("revoke_key", wire.KeyEntry, {"key_id": key_id})
