"""The rows of the operation table for keys."""

from __future__ import annotations

from typing import Final

from stemma.app import keys, models_keys
from stemma.app.operation import Command, Operation, Scope

KEYS: Final[tuple[Operation, ...]] = (
    Operation(
        name="create_key",
        method="POST",
        path="/v1/keys",
        request=models_keys.CreateKey,
        answer=models_keys.CreatedKey,
        function=keys.create_key,
        scope=Scope.ADMIN,
        example={"scopes": ["read", "write"], "name": "crawler", "rate_limit": 600},
        command=Command("keys create", (), "stemma keys create --tenant acme --scopes read,write --name crawler"),
    ),
    Operation(
        name="list_keys",
        method="GET",
        path="/v1/keys",
        request=models_keys.ListKeys,
        answer=models_keys.KeyPage,
        function=keys.list_keys,
        scope=Scope.ADMIN,
        example={},
        command=Command("keys list", (), "stemma keys list --tenant acme"),
    ),
    Operation(
        name="revoke_key",
        method="DELETE",
        path="/v1/keys/{key_id}",
        request=models_keys.RevokeKey,
        answer=models_keys.KeyEntry,
        function=keys.revoke_key,
        scope=Scope.ADMIN,
        example={"key_id": "91c0"},
        command=Command("keys revoke", ("key_id",), "stemma keys revoke 91c0…"),
    ),
)
