"""How the server speaks HTTP/1.1, where that differs from uvicorn's own: what is no request gets a problem document."""

from __future__ import annotations

import uuid
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from stemma.app.problems import problem
from stemma.door_errors import MalformedRequest
from stemma.edges.http_problem import MEDIA_TYPE

_STATUS: Final = MalformedRequest.status


class Wire(H11Protocol):
    """uvicorn's protocol in pure Python, which is the one that is always installed."""

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be read as a request, in the form of every other refusal, and close."""
        found = problem(MalformedRequest("the bytes that came are no HTTP/1.1 request with a Host header"))
        headers = {
            "content-type": MEDIA_TYPE,
            "x-request-id": uuid.uuid4().hex,
            "connection": "close",
        }
        told = [(name.encode(), value.encode()) for name, value in headers.items()]
        answer = h11.Response(status_code=_STATUS, headers=told, reason=b"Bad Request")
        for part in (answer, h11.Data(data=found.model_dump_json().encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(part))
        self.transport.close()
