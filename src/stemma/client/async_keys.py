"""The keys' part of the async client: a method for each row of the table that speaks of them."""

# `scripts/async-client` wrote this from app/stemma_keys.py; edit that one.

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stemma.app import models_keys as wire
from stemma.app.fields import Page, When
from stemma.client.async_asking import AsyncAsking


class AsyncKeysFace(AsyncAsking):
    """Who may ask over HTTP for this tenant, and what."""

    async def create_key(
        self,
        scopes: Sequence[Literal["read", "write", "admin"]],
        *,
        name: str | None = None,
        rate_limit: int | None = None,
        expires_at: When | None = None,
    ) -> wire.CreatedKey:
        """Make a key; its secret is in this answer and nowhere else. `rate_limit` is in requests a minute."""
        fields = {"scopes": list(scopes), "name": name, "rate_limit": rate_limit, "expires_at": expires_at}
        return await self._run("create_key", wire.CreatedKey, fields)

    async def list_keys(self, **page: Unpack[Page]) -> wire.KeyPage:
        """List the keys, those that do not work any more among them."""
        return await self._run("list_keys", wire.KeyPage, page)

    async def revoke_key(self, key_id: str) -> wire.KeyEntry:
        """Let a key work no more, for ever."""
        return await self._run("revoke_key", wire.KeyEntry, {"key_id": key_id})
