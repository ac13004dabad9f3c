"""What a caller's key is refused for. No detail quotes what was sent: a part of it may be a secret."""

from __future__ import annotations

from stemma.errors import Forbidden, StemmaError


class Unauthorized(StemmaError, code="unauthorized", status=401):
    """There is no key that could be worked for."""


class KeyMissing(Unauthorized, code="key_missing"):
    """No key came with the request, and the store has keys."""


class KeyUnknown(Unauthorized, code="key_unknown"):
    """What came is no key of this store."""


class KeyExpired(Unauthorized, code="key_expired"):
    """The key is over."""


class KeyRevoked(Unauthorized, code="key_revoked"):
    """The key was revoked."""


class ScopeMissing(Forbidden, code="scope_missing"):
    """The key may not do this."""


class RateLimited(StemmaError, code="rate_limited", status=429, retryable=True):
    """The key's minute is full; in `retry_after_seconds` a request is granted again."""

    def __init__(self, detail: str, *, retry_after_seconds: int) -> None:
        """Take the sentence and how long to wait."""
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds
