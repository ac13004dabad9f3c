"""Derived names of what is in the log: keys, ids, groups (R-20, R-21). Nothing is generated, so nothing expires."""

from __future__ import annotations

import hmac

from stemma.records import KeyPolicy
from stemma.text import hash_parts


def group_id(key: str, business_key: str | None) -> str:
    """Name the group of episodes that are one event: those of one business key, else the key alone."""
    return hash_parts("key", key) if business_key is None else event_id(business_key)


def event_id(business_key: str) -> str:
    """Name the group of a business key."""
    return hash_parts("business", business_key)


def key_of_request(idempotency_key: str, index: int, episodes: int) -> str:
    """Give the key that a request's own key stands for: itself for one episode, else with the place in the batch."""
    return idempotency_key if episodes == 1 else f"{idempotency_key}:{index}"


def default_policy(source_policy: KeyPolicy | None, *, keyed: bool) -> KeyPolicy:
    """Give the policy of an episode that names none: its source's, else by whether it has a key."""
    if source_policy is not None:
        return source_policy
    return KeyPolicy.IDENTITY if keyed else KeyPolicy.CONTENT


def key_digest(secret: bytes, subject: str, key: str) -> bytes:
    """Name an erased key so that nobody without the tenant's secret can guess it."""
    return hmac.digest(secret, hash_parts("key", subject, key).encode(), "sha256")


def business_digest(secret: bytes, subject: str, business_key: str) -> bytes:
    """Name an erased business key, apart from every key of the same spelling."""
    return hmac.digest(secret, hash_parts("business", subject, business_key).encode(), "sha256")


def act_digest(secret: bytes, subject: str, act_id: str) -> bytes:
    """Name an erased human act."""
    return hmac.digest(secret, hash_parts("act", subject, act_id).encode(), "sha256")
