"""What a conversation that is named by `session_id` can be refused for."""

from __future__ import annotations

from stemma.errors import StemmaError


class SessionClosed(StemmaError, code="session_closed", status=409):
    """A conversation that was reset: it goes on under the id that the reset gave."""
