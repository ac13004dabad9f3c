"""What is registered: validation of kinds and claim keys, and every lookup that a derivation makes. Reads no file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from stemma.errors import InvalidKind
from stemma.records import Cardinality, ClaimKey, Injection, Kind, Policy, Registry, SaidBy

DEFAULT_KIND = "fact"
REMEMBER_KIND = "note"
SLOT_PREFIX = "slot:"
DEFAULT_AUTHORITY = 50
AGENT_AUTHORITY = 30
DEFAULT_CORROBORATION = 2
DEFAULT_OVERLAP = 0.6

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_KIND_FIELDS = {"policy", "half_life_days", "injection", "corroboration", "overlap", "description"}
_KEY_FIELDS = {"cardinality", "kind", "policy", "corroboration", "half_life_days"}
_UNKNOWN_KIND = Kind(name=DEFAULT_KIND, policy=Policy.LATEST, half_life_days=30.0, injection=Injection.GATED)

E = TypeVar("E", Policy, Injection, Cardinality)


def parse_kinds(mapping: Mapping[str, object]) -> dict[str, Kind]:
    """Validate a table of kinds (name to fields) and return it, or raise `InvalidKind` naming the field."""
    return {name: _parse_kind(name, fields) for name, fields in mapping.items()}


def parse_claim_keys(mapping: Mapping[str, object], kinds: Mapping[str, Kind]) -> dict[str, ClaimKey]:
    """Validate a table of claim keys against the kinds they name, or raise `InvalidKind` naming the field."""
    return {name: _parse_claim_key(name, fields, kinds) for name, fields in mapping.items()}


def parse_thresholds(mapping: Mapping[str, object], kinds: Mapping[str, Kind]) -> dict[str, dict[str, float]]:
    """Validate thresholds of similarity (embedder id to kind to 0..1), or raise `InvalidKind` naming the field."""
    found: dict[str, dict[str, float]] = {}
    for embedder, listed in mapping.items():
        where = f"thresholds.{embedder}"
        if not isinstance(listed, Mapping):
            raise InvalidKind(f"{where} must be a table of kinds", field=where)
        for kind, value in listed.items():
            if kind not in kinds:
                raise InvalidKind(f"{where} names {kind!r}, which is not registered", field=f"{where}.{kind}")
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InvalidKind(f"{where}.{kind} is {value!r}; a number from 0 to 1", field=f"{where}.{kind}")
            found.setdefault(embedder, {})[kind] = float(value)
    return found


def cardinality_of(registry: Registry, claim_key: str) -> Cardinality:
    """Say whether one or several values of a claim key may hold; an unregistered one is multi-valued, a slot single."""
    if (registered := registry.claim_keys.get(claim_key)) is not None:
        return registered.cardinality
    return Cardinality.SINGLE if claim_key.startswith(SLOT_PREFIX) else Cardinality.MULTI


def policy_of(registry: Registry, claim_key: str | None, kind: str) -> Policy:
    """Name the policy of a unit: `keep_all` where several values may hold, else the key's own, else its kind's."""
    if claim_key is not None:
        if cardinality_of(registry, claim_key) is Cardinality.MULTI:
            return Policy.KEEP_ALL
        registered = registry.claim_keys.get(claim_key)
        if registered is not None and registered.policy is not None:
            return registered.policy
    return _kind(registry, kind).policy


def half_life_of(registry: Registry, claim_key: str | None, kind: str) -> float | None:
    """Give the half-life in days, the key's before its kind's; None means that age does not count."""
    registered = registry.claim_keys.get(claim_key) if claim_key is not None else None
    if registered is not None and registered.half_life_days is not None:
        return registered.half_life_days
    return _kind(registry, kind).half_life_days


def corroboration_of(registry: Registry, claim_key: str | None, kind: str) -> int:
    """Give the number of independent origins that a challenger needs under `corroborated`."""
    registered = registry.claim_keys.get(claim_key) if claim_key is not None else None
    if registered is not None and registered.corroboration is not None:
        return registered.corroboration
    return _kind(registry, kind).corroboration


def overlap_of(registry: Registry, kind: str) -> float:
    """Give the word overlap (Jaccard) from which two frames of a kind are compared."""
    return _kind(registry, kind).overlap


def injection_of(registry: Registry, kind: str) -> Injection:
    """Give the injection class that memories of a kind start with."""
    return _kind(registry, kind).injection


def kind_of_claim(registry: Registry, claim_key: str) -> str:
    """Name the kind of a claim that states none: its key's, else `fact`."""
    registered = registry.claim_keys.get(claim_key)
    return registered.kind if registered is not None else DEFAULT_KIND


def authority_of(registry: Registry, source: str, said_by: SaidBy) -> int:
    """Give the rank of a saying, 0 to 100: its source's (default 50), at most 30 where an agent said it."""
    registered = registry.sources.get(source)
    authority = DEFAULT_AUTHORITY if registered is None else registered.authority
    return min(authority, AGENT_AUTHORITY) if said_by is SaidBy.AGENT else authority


def _kind(registry: Registry, name: str) -> Kind:
    # A kind that was taken out of the registry must not stop a subject: its memories are plain facts from then on.
    return registry.kinds.get(name) or registry.kinds.get(DEFAULT_KIND) or _UNKNOWN_KIND


def _parse_kind(name: str, fields: object) -> Kind:
    table = _table(f"kinds.{name}", name, fields, _KIND_FIELDS)
    where = f"kinds.{name}"
    return Kind(
        name=name,
        policy=_member(Policy, table, "policy", where, Policy.LATEST),
        half_life_days=_half_life(table, where),
        injection=_member(Injection, table, "injection", where, Injection.GATED),
        corroboration=_count(table, where) or DEFAULT_CORROBORATION,
        overlap=_share(table, where),
        description=_text(table, "description", where) or "",
    )


def _parse_claim_key(name: str, fields: object, kinds: Mapping[str, Kind]) -> ClaimKey:
    where = f"claim_keys.{name}"
    table = _table(where, name, fields, _KEY_FIELDS)
    kind = _text(table, "kind", where) or DEFAULT_KIND
    if kind not in kinds:
        raise InvalidKind(f"{where}.kind names {kind!r}, which is not registered", field=f"{where}.kind")
    return ClaimKey(
        name=name,
        cardinality=_member(Cardinality, table, "cardinality", where, Cardinality.SINGLE),
        kind=kind,
        policy=_member(Policy, table, "policy", where, Policy.LATEST) if "policy" in table else None,
        corroboration=_count(table, where),
        half_life_days=_half_life(table, where),
    )


def _table(where: str, name: str, fields: object, allowed: set[str]) -> Mapping[str, object]:
    if not _NAME.fullmatch(name):
        raise InvalidKind(f"{where}: a name is a lower-case letter, then up to 63 of a-z, 0-9, _", field=where)
    if not isinstance(fields, Mapping):
        raise InvalidKind(f"{where} must be a table", field=where)
    if unknown := sorted(set(fields) - allowed):
        raise InvalidKind(f"{where} has the unknown field {unknown[0]!r}", field=f"{where}.{unknown[0]}")
    return fields


def _member(enum: type[E], table: Mapping[str, object], field: str, where: str, default: E) -> E:
    value = table.get(field, default.value)
    try:
        return enum(str(value))
    except ValueError as error:
        allowed = ", ".join(member.value for member in enum)
        raise InvalidKind(f"{where}.{field} is {value!r}; one of {allowed}", field=f"{where}.{field}") from error


def _half_life(table: Mapping[str, object], where: str) -> float | None:
    value = table.get("half_life_days")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 36_500:
        raise InvalidKind(
            f"{where}.half_life_days is {value!r}; a number of days over 0, at most 36500, or leave it out for none",
            field=f"{where}.half_life_days",
        )
    return float(value)


def _count(table: Mapping[str, object], where: str) -> int | None:
    value = table.get("corroboration")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100:
        raise InvalidKind(
            f"{where}.corroboration is {value!r}; a whole number, 1 to 100", field=f"{where}.corroboration"
        )
    return value


def _share(table: Mapping[str, object], where: str) -> float:
    value = table.get("overlap", DEFAULT_OVERLAP)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InvalidKind(f"{where}.overlap is {value!r}; a share over 0, at most 1", field=f"{where}.overlap")
    return float(value)


def _text(table: Mapping[str, object], field: str, where: str) -> str | None:
    value = table.get(field)
    if value is not None and not isinstance(value, str):
        raise InvalidKind(f"{where}.{field} is {value!r}; a text", field=f"{where}.{field}")
    return value
