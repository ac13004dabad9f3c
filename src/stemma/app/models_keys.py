"""What is asked of keys and what is answered (SPEC R-93)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from stemma.app.caller import Scope
from stemma.app.models_base import AnswerModel, Moment, Name, PageRequest, RequestModel, fault

KeyId = Annotated[Name, Field(description="The id of a key, which is no secret")]


def _in_order(scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
    if not scopes:
        raise fault("scopes", "name one of read, write and admin at least")
    return tuple(scope for scope in Scope if scope in scopes)


class CreateKey(RequestModel):
    """Make a key of the tenant. What it may do is always said: nothing stands for everything."""

    scopes: Annotated[
        tuple[Scope, ...],
        AfterValidator(_in_order),
        Field(json_schema_extra={"minItems": 1}, description="What it may do; none contains another"),
    ]
    name: Annotated[Name, Field(description="Whom its acts are signed by (default: its id)")] | None = None
    rate_limit: Annotated[int, Field(ge=1, le=1_000_000, strict=True, description="Most requests a minute")] | None = (
        None
    )
    expires_at: Annotated[Moment, Field(description="Until when it works, RFC 3339 with a zone")] | None = None


class ListKeys(PageRequest):
    """List the keys of the tenant, those that do not work any more among them."""


class RevokeKey(RequestModel):
    """Let a key work no more, for ever."""

    key_id: KeyId


class CreatedKey(AnswerModel):
    """A new key. `key` is shown this once and kept nowhere."""

    id: str
    key: Annotated[str, Field(repr=False)]
    tenant: str
    scopes: tuple[Scope, ...]
    name: str
    rate_limit: int | None
    expires_at: datetime | None


class KeyEntry(AnswerModel):
    """What is known of a key; its secret is not. `last_used_at` may lag some seconds behind."""

    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    status: Literal["active", "expired", "revoked"]
    rate_limit: int | None
    recorded_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class KeyPage(AnswerModel):
    """Keys in order of id."""

    items: tuple[KeyEntry, ...]
    next_cursor: str | None = None
