"""What a client can fail with beside the errors that a server answers, which are those of `stemma.errors`."""

from __future__ import annotations

from stemma.errors import StemmaError


class ServerUnreachable(StemmaError, code="server_unreachable", status=503, retryable=True):
    """No answer came from the server: no connection, silence, or a gateway that answered in its place."""


class OutcomeUnknown(ServerUnreachable, code="outcome_unknown", retryable=False):
    """The request was sent and no answer came; doing it twice is not doing it once, so it was not sent again."""


class AnswerUnreadable(StemmaError, code="answer_unreadable", status=502):
    """What answered is no Stemma server, or one whose answers this version cannot read."""


class Refused(StemmaError, code="refused"):
    """A refusal that this version does not know; `code` and `status` are the server's."""

    def __init__(self, detail: str, *, code: str, status: int, fields: tuple[str, ...] = ()) -> None:
        """Take what the server said."""
        super().__init__(detail, fields=fields)
        vars(self).update(code=code, status=status, retryable=status in {429, 502, 503, 504})
