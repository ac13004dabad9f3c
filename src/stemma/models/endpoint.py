"""Any OpenAI-compatible embeddings endpoint as an embedder. No retries: the backlog is tried again as a whole."""

import math
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Final, Self
from urllib.parse import urldefrag, urlsplit

import httpx
from pydantic import BaseModel, Field, ValidationError

from stemma.errors import EmbedderFailed, EmbedderMissing, EmbedderRefused
from stemma.models.embedder import require_no_nul

# Limits differ and some servers cut silently, so no text is sent longer than the smallest usual one (512 tokens).
_WINDOW_CHARACTERS: Final = 1500
_BATCH: Final = 32
_TIMEOUT_SECONDS: Final = 30.0


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    items: list[_Item] = Field(alias="data")


class Endpoint:
    """Vectors from `POST {base}/embeddings`.

    A text of over 1,500 characters is cut into windows without overlap, and the windows' vectors are averaged by their
    length before normalising. `dimensions` is what the first answer had; a later answer of another size is refused.
    """

    def __init__(self, client: httpx.Client, model: str) -> None:
        self._client = client
        self._model = model
        self._asking = Lock()
        self._dimensions: int | None = None

    @classmethod
    def at(cls, address: str, *, api_key: str | None = None) -> Self:
        """Name an endpoint by `https://host/v1#model`; nothing is sent yet."""
        base, model = urldefrag(address)
        if not model or not urlsplit(base).hostname:
            raise EmbedderMissing(f"{base!r} names no model; write https://host/v1#model")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        return cls(httpx.Client(base_url=base, headers=headers, timeout=_TIMEOUT_SECONDS), model)

    @property
    def id(self) -> str:
        """Name the vector space: the model at its host (what runs there, only its operator knows)."""
        return f"endpoint:{self._model}@{self._client.base_url.netloc.decode('ascii')}"

    @property
    def dimensions(self) -> int:
        """Give the length of every vector; asks the endpoint once."""
        if self._dimensions is None:
            self.query("dimensions")
        assert self._dimensions is not None
        return self._dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        require_no_nul(texts)
        pieces = [(number, piece) for number, text in enumerate(texts) for piece in _windows(text)]
        sums: list[list[float]] = [[] for _ in texts]
        for start in range(0, len(pieces), _BATCH):
            batch = pieces[start : start + _BATCH]
            for (number, piece), vector in zip(batch, self._ask([piece for _, piece in batch]), strict=True):
                weighted = [max(len(piece), 1) * part for part in vector]
                sums[number] = (
                    [a + b for a, b in zip(sums[number], weighted, strict=True)] if sums[number] else weighted
                )
        return [_unit(vector) for vector in sums]

    def query(self, text: str) -> list[float]:
        """Embed what is searched for; the protocol makes no difference."""
        return self.passages([text])[0]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, texts: list[str]) -> list[list[float]]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            answer = self._client.post("embeddings", json=body)
        except httpx.HTTPError as error:
            raise EmbedderFailed(f"{self.id} did not answer: {type(error).__name__}") from error
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS or answer.is_server_error:
            raise EmbedderFailed(f"{self.id} answered {answer.status_code}; try again later")
        if not answer.is_success:
            raise EmbedderRefused(f"{self.id} answered {answer.status_code}: check address, model and key")
        try:
            items = sorted(_Reply.model_validate_json(answer.content).items, key=lambda item: item.index)
        except ValidationError as error:
            raise EmbedderFailed(f"{self.id} answered without embeddings") from error
        if [item.index for item in items] != list(range(len(texts))):
            raise EmbedderFailed(f"{self.id} answered {len(items)} vectors to {len(texts)} texts")
        return [self._checked(item.embedding) for item in items]

    def _checked(self, vector: list[float]) -> list[float]:
        with self._asking:
            self._dimensions = self._dimensions or len(vector)
        if len(vector) != self._dimensions or not vector:
            raise EmbedderFailed(f"{self.id} answered {len(vector)} dimensions after {self._dimensions}")
        return _unit(vector)


def _unit(vector: list[float]) -> list[float]:
    length = math.hypot(*vector)
    if not length or not math.isfinite(length):
        raise EmbedderFailed("the endpoint answered a vector without a direction")
    return [part / length for part in vector]


def _windows(text: str) -> Iterator[str]:
    """Cut at the last space in the second half of each window, so that few words are cut."""
    rest = text
    while len(rest) > _WINDOW_CHARACTERS:
        at = rest.rfind(" ", _WINDOW_CHARACTERS // 2, _WINDOW_CHARACTERS)
        cut = at if at > 0 else _WINDOW_CHARACTERS
        yield rest[:cut]
        rest = rest[cut:]
    yield rest
