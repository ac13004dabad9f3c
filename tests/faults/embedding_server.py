"""An embedding endpoint of the familiar form, for tests that change the model: vectors are counts of hashed words, so a
text is nearest to itself. Each model has its own length and its own hash.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import sqrt
from threading import Thread
from typing import ClassVar


def vector(text: str, model: str, size: int) -> list[float]:
    """Return a unit vector of a text: every word in its place, as the model's name hashes it."""
    counts = [0.0] * size
    for word in ["", *text.lower().split()]:
        counts[zlib.crc32(f"{model}/{word}".encode()) % size] += 1.0
    length = sqrt(sum(one * one for one in counts))
    return [one / length for one in counts]


class _Answers(BaseHTTPRequestHandler):
    sizes: ClassVar[dict[str, int]] = {}
    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        """Answer `POST /v1/embeddings`."""
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = sent["model"]
        texts = [sent["input"]] if isinstance(sent["input"], str) else sent["input"]
        type(self).asked += texts
        rows = [
            {"object": "embedding", "index": place, "embedding": vector(text, model, self.sizes[model])}
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        body = json.dumps({"object": "list", "data": rows, "model": model, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def embedding_server(sizes: dict[str, int]) -> Iterator[str]:
    """Serve models of these sizes on a free port of this machine and give the address."""
    kind = type("_Models", (_Answers,), {"sizes": sizes, "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()
