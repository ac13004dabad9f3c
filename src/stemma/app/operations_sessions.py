"""The rows of the operation table for conversations."""

from __future__ import annotations

from typing import Final

from stemma.app import models_sessions, sessions
from stemma.app.operation import Command, Operation, Scope

SESSIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="reset_session",
        method="POST",
        path="/v1/sessions/{session_id:path}/reset",
        request=models_sessions.ResetSession,
        answer=models_sessions.SessionReset,
        function=sessions.reset_session,
        scope=Scope.WRITE,
        example={"session_id": "chat-17"},
        command=Command("reset-session", ("session_id",), "stemma reset-session chat-17"),
    ),
)
