"""The `Idempotency-Key` of a request, as the key of what it brings: one, in UTF-8, and not blank."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from stemma.errors import InvalidInput, InvalidUnicode

HEADER: Final = "Idempotency-Key"


def idempotency_key(request: Request) -> str | None:
    """Return the key that came with a request, if one did.

    Raises InvalidInput for a blank one (everybody's blank key would be one key, and all but the first thing sent under
    it a duplicate) and for two that differ, InvalidUnicode for what is no UTF-8.
    """
    found = {value.strip() for name, value in request.headers.raw if name == HEADER.lower().encode()}
    if len(found) > 1:
        raise InvalidInput(f"two different {HEADER} headers came with one request; send one", field=HEADER)
    for key in found:
        try:
            said = key.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidUnicode(f"{HEADER} is not UTF-8", field=HEADER) from error
        if not said.strip():
            raise InvalidInput(f"{HEADER} is blank; give one, or leave the header out", field=HEADER)
        return said
    return None
