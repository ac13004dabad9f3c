"""What is asked of a conversation and what it answers (SPEC R-43)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stemma.app.models_base import AnswerModel, Name, RequestModel


class ResetSession(RequestModel):
    """End a conversation, so that nothing it was given counts any more."""

    session_id: Annotated[Name, Field(description="The conversation that ends; it answers session_closed from then on")]


class SessionReset(AnswerModel):
    """The id under which the conversation goes on."""

    session_id: str
