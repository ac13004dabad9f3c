"""An error as an HTTP answer: its problem document, and the headers that say what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from stemma.app.problems import problem
from stemma.errors import StemmaError
from stemma.key_errors import KeyMissing, RateLimited, Unauthorized

MEDIA_TYPE: Final = "application/problem+json"
_RETRY_AFTER_SECONDS: Final = 1
_CHALLENGE: Final = 'Bearer realm="stemma"'


def refuse(error: StemmaError, headers: Mapping[str, str] | None = None) -> Response:
    """Answer what was refused."""
    found = problem(error)
    return Response(found.model_dump_json(), found.status, {**_advice(error), **(headers or {})}, media_type=MEDIA_TYPE)


def _advice(error: StemmaError) -> dict[str, str]:
    match error:
        case KeyMissing():
            return {"WWW-Authenticate": _CHALLENGE}
        case Unauthorized():
            return {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
        case RateLimited():
            return {"Retry-After": str(error.retry_after_seconds)}
    return {"Retry-After": str(_RETRY_AFTER_SECONDS)} if error.retryable else {}
