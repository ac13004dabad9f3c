"""The bytes of a request body: held under a limit, and refused where they say they are no JSON."""

from __future__ import annotations

from email.message import Message
from typing import Final

from starlette.requests import Request

from stemma.door_errors import UnsupportedMediaType
from stemma.errors import BodyTooLarge, InvalidInput

_JSON: Final = "application/json"
_UTF_8: Final = frozenset({"utf-8", "utf8"})


async def read_body(request: Request, limit: int) -> bytes:
    """Read the whole body, or raise BodyTooLarge before more than `limit` bytes are held.

    Raises UnsupportedMediaType, with nothing read, for what says of itself that it is no JSON.
    """
    _require_json(request)
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise _too_large(limit)
        parts.append(part)
    return b"".join(parts)


def require_no_body(request: Request) -> None:
    """Refuse a body where none is read: what stands in it would be dropped without a word."""
    if _has_body(request):
        raise InvalidInput(f"{request.method} takes no body here; give its fields in the query")


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _require_json(request: Request) -> None:
    said = request.headers.get("content-type")
    if said is None or not _has_body(request):
        return
    header = Message()
    header["content-type"] = said
    kind, charset = header.get_content_type(), str(header.get_param("charset", "utf-8")).lower()
    if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise UnsupportedMediaType(f"the body is read as JSON; send it with `Content-Type: {_JSON}`")
    if charset not in _UTF_8:
        raise UnsupportedMediaType("the body is read as UTF-8, the one encoding of JSON; leave charset out")


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body is over {limit} bytes; send smaller batches")
