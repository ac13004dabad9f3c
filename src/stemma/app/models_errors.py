"""The problem document that a refusal is answered with (RFC 9457). Turning an error into one is in `app/problems`."""

from __future__ import annotations

from stemma.app.models_base import AnswerModel


class Problem(AnswerModel):
    """Why a request was not served: `code` is stable, `errors` are the paths of the faulty fields."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = ()
