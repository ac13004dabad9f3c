"""What a check looks at in a store that answers: role, schema, vectors, what waits, clock, keys. Nothing is changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from stemma.app import embed
from stemma.app.backlog import waiting
from stemma.app.calibration import calibration_of
from stemma.app.key_door import asks_for_keys, role_of
from stemma.app.keys import every_tenant, list_keys
from stemma.app.loopback import is_loopback
from stemma.app.models_doctor import Finding, fail, ok, warn
from stemma.app.models_keys import KeyEntry, ListKeys
from stemma.app.paging import pages
from stemma.app.registry_files import load_registry, load_rules
from stemma.app.runtime import Runtime, system_clock
from stemma.config import Settings
from stemma.errors import MigrationError
from stemma.models.embedding import Embedder
from stemma.store import doctor, migrate
from stemma.store.connection import NO_TENANT, Store
from stemma.store.doctor import ServerFacts

# From five minutes on what is said now counts as said in the future.
_SKEW_FAILS: Final = timedelta(minutes=5)
_SKEW_WARNS: Final = timedelta(seconds=5)
_KEY_ENDS: Final = timedelta(days=7)
# What a busy store has waiting between two compiles.
_USUAL_BACKLOG: Final = 1_000


def examine_store(store: Store, shown: str, settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    """Look at everything in a store. Raises StoreError where it stops answering."""
    sent = time.monotonic()
    facts = store.run(NO_TENANT, doctor.facts, read_only=True)
    took = timedelta(seconds=time.monotonic() - sent)
    yield from _server(facts, shown)
    yield _clock(facts.now, took)
    schema = _schema(store)
    yield schema
    runtime = Runtime(
        store=store,
        settings=settings,
        clock=system_clock,
        shipped=load_registry(),
        rules=load_rules(),
        embedder=embedder,
        calibration=calibration_of(embedder.id if embedder else None),
        prototypes=None,
    )
    yield _role(runtime, facts)
    if schema.verdict != "ok":
        # The rest is read from tables that may not be there, or not as they are known here.
        return
    yield from _vectors(runtime)
    yield from _backlog(runtime)
    yield from _keys(runtime)


def _server(facts: ServerFacts, shown: str) -> Iterator[Finding]:
    told = f"PostgreSQL {facts.version} in {shown}, {facts.bytes / 2**20:.0f} MiB"
    if facts.takes_no_writes:
        yield fail("store", f"{told}, takes no writes", "name the primary and not a standby, or open it for writes")
    else:
        yield ok("store", told)
    # Opening a store refuses one without it, or with one that is too old.
    yield ok("pgvector", str(facts.vector))


def _clock(there: datetime, took: timedelta) -> Finding:
    # Some moment of the look; what it took is no skew.
    skew = max(abs(system_clock() - there) - took, timedelta(0))
    told = f"{skew.total_seconds():.1f} s apart from the server's"
    if skew >= _SKEW_FAILS:
        return fail("clock", told, "set this machine's clock (NTP): what is said now would count as said in the future")
    if skew >= _SKEW_WARNS:
        return warn("clock", told, "let both machines keep time (NTP), before it grows to minutes")
    return ok("clock", told)


def _schema(store: Store) -> Finding:
    try:
        found = migrate.status(store)
    except MigrationError as error:
        return fail("migrations", f"{error.code}: {error.detail}", "use the version that migrated it, or a newer one")
    if found.pending:
        lacking = f"{len(found.pending)} of {len(found.applied) + len(found.pending)} are missing"
        return warn("migrations", lacking, "run `stemma migrate`; every command but this one does so as it starts")
    return ok("migrations", f"all {len(found.applied)}")


def _role(runtime: Runtime, facts: ServerFacts) -> Finding:
    role = role_of(runtime)
    if facts.unusable:
        told = f"{role.name} may not use {', '.join(facts.unusable)}"
        return fail("role", told, "grant it SELECT, INSERT, UPDATE and DELETE, or let it own the database")
    if role.passes_row_security:
        told = f"{role.name} is a superuser or has BYPASSRLS, so row security does not hold for it"
        return warn("role", told, "use a plain role that owns the database: it is the second lock between tenants")
    if facts.foreign or not facts.may_create:
        told = f"{role.name} can use the tables, and not migrate them: it neither owns them nor may create any"
        return warn("role", told, "run `stemma migrate` as the owner before a newer version is used")
    return ok("role", f"{role.name}: a plain role, under row security")


def _vectors(runtime: Runtime) -> Iterator[Finding]:
    tenants = every_tenant(runtime)
    other: list[str] = []
    for tenant in tenants:
        found = runtime.store.run(tenant, partial(embed.space_mismatch, runtime), read_only=True)
        if found is not None:
            other.append(tenant)
    if other:
        told = f"those of {len(other)} of {len(tenants)} tenants are another model's than {_name(runtime)}"
        yield warn("vectors", told, "the words answer until then: name the embedder that made them, or embed anew")
    else:
        yield ok("vectors", f"of {len(tenants)} tenants, none of another model than {_name(runtime)}")


def _name(runtime: Runtime) -> str:
    return runtime.embedder.id if runtime.embedder else "none"


def _backlog(runtime: Runtime) -> Iterator[Finding]:
    found = waiting(runtime)
    told = f"{found.uncompiled} episodes wait for a compile, {found.outstanding} texts for a vector"
    if max(found.uncompiled, found.outstanding) > _USUAL_BACKLOG:
        yield warn("backlog", told, "let `stemma serve --compile-every 5` run, or `stemma compile`")
    else:
        yield ok("backlog", told)


def _keys(runtime: Runtime) -> Iterator[Finding]:
    host = runtime.settings.host
    if not asks_for_keys(runtime):
        if is_loopback(host):
            yield ok("keys", f"none: `stemma serve` answers this machine alone, on {host}")
        else:
            told = f"none, and `stemma serve` is to answer on {host}, which the network reaches: it refuses to"
            yield fail("keys", told, "make a key first (`stemma keys create`), or set STEMMA_HOST=127.0.0.1")
        return
    entries = [one for tenant in every_tenant(runtime) for one in _keys_of(runtime, tenant)]
    active = [one for one in entries if one.status == "active"]
    told = f"{len(active)} of {len(entries)} in force"
    ending = [one for one in active if _ends_soon(one)]
    if not active:
        yield fail("keys", f"{told}: nobody is served", "make one: stemma keys create")
    elif ending:
        names = ", ".join(one.name for one in ending[:5])
        yield warn("keys", f"{told}; {len(ending)} end within 7 days: {names}", "make others, and hand them on")
    else:
        yield ok("keys", told)


def _keys_of(runtime: Runtime, tenant: str) -> Iterator[KeyEntry]:
    return pages(lambda **narrow: list_keys(runtime, tenant, ListKeys(**narrow)))


def _ends_soon(key: KeyEntry) -> bool:
    return key.expires_at is not None and key.expires_at - system_clock() < _KEY_ENDS
