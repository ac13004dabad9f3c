"""Which pages of other sites a browser may let ask this server: none, unless they are listed in the settings."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from stemma.edges.http_guard import REQUEST_ID
from stemma.edges.http_openapi import ANSWER_HEADER

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_SENT: Final = ("Authorization", "X-API-Key", "Content-Type", "Idempotency-Key", REQUEST_ID)
_SHOWN: Final = (REQUEST_ID, "Retry-After", ANSWER_HEADER)


def allow_pages(app: FastAPI, origins: tuple[str, ...]) -> None:
    """Let pages of these origins ask, each with a key of its own: no cookie or other credential is sent along."""
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=_SHOWN,
            allow_credentials=False,
        )
