"""`stemma keys list` and `revoke`, run by who holds the store: over all tenants where asked, or by a key's id alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from stemma.app.keys import every_tenant, tenant_of_key
from stemma.app.models_keys import KeyEntry, KeyPage, ListKeys, RevokeKey
from stemma.app.operations import BY_NAME
from stemma.app.problems import ask
from stemma.app.runtime import Runtime
from stemma.edges.cli_output import write_json, write_shown
from stemma.edges.cli_show import show
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened


def list_keys(
    all_tenants: Annotated[bool, typer.Option("--all-tenants", help="The keys of every tenant of the store")] = False,
    limit: Annotated[int | None, typer.Option(help="Most keys of one page")] = None,
    cursor: Annotated[str | None, typer.Option(help="`next_cursor` as it came")] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the keys of a tenant with what each may do and when it was last used. Secrets are kept nowhere.

    Example: stemma keys list --tenant acme
    """
    page = {name: value for name, value in (("limit", limit), ("cursor", cursor)) if value is not None}
    if all_tenants and (page or tenant is not None):
        raise typer.BadParameter("--all-tenants lists every key; leave --tenant, --limit and --cursor out")
    ask(ListKeys, page)
    with opened(store, tenant) as session:
        if all_tenants:
            owners = every_tenant(session.runtime)
            found = KeyPage(items=tuple(key for owner in owners for key in _every_key(session.runtime, owner)))
        else:
            found = _page(session.runtime, session.tenant, page)
    _write(found, as_json=as_json)


def revoke_key(
    key_id: Annotated[str, typer.Argument(help="The id of a key, which is no secret", metavar="KEY_ID")],
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a key work no more, for ever. A server that is running refuses it from the next request on.

    Example: stemma keys revoke 91c0b2d4e6f80123
    """
    named = ask(RevokeKey, {"key_id": key_id}).key_id
    with opened(store, tenant) as session:
        # The id names the key in the whole store; a tenant that is named narrows it.
        owner = tenant_of_key(session.runtime, named) if tenant is None else session.tenant
        found = BY_NAME["revoke_key"].run(session.runtime, owner, {"key_id": named})
    _write(found, as_json=as_json)


def _every_key(runtime: Runtime, tenant: str) -> Iterator[KeyEntry]:
    found = _page(runtime, tenant, {})
    yield from found.items
    while found.next_cursor is not None:
        found = _page(runtime, tenant, {"cursor": found.next_cursor})
        yield from found.items


def _page(runtime: Runtime, tenant: str, fields: dict[str, Any]) -> KeyPage:
    found = BY_NAME["list_keys"].run(runtime, tenant, fields)
    assert isinstance(found, KeyPage)
    return found


def _write(answer: Any, *, as_json: bool) -> None:
    if as_json:
        write_json(answer.model_dump_json(by_alias=True, indent=2))
    else:
        write_shown(answer, show)
