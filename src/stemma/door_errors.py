"""What the HTTP door refuses of a request before anybody looks at what it says."""

from __future__ import annotations

from stemma.errors import InvalidInput, StemmaError


class UnsupportedMediaType(StemmaError, code="unsupported_media_type", status=415):
    """A body that says of itself that it is no JSON, or not in UTF-8."""


class MalformedRequest(InvalidInput, code="malformed_request", status=400):
    """Bytes that are no request of HTTP/1.1."""
