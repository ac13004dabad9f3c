"""The bytes of a request body, held under a limit. What they say is `json_input`'s."""

from __future__ import annotations

from starlette.requests import Request

from stemma.errors import BodyTooLarge


async def read_body(request: Request, limit: int) -> bytes:
    """Read the whole body, or raise BodyTooLarge before more than `limit` bytes are held."""
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


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body is over {limit} bytes; send smaller batches")
