"""Vectors of benchmark texts, kept in a file outside the tree so that a second run costs no embedding."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stemma.models.embedder import Embedder

Matrix = NDArray[np.float32]
_BATCH = 16


class VectorCache:
    """An embedder that remembers; rows are unit vectors."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.embedder = embedder
        self._rows = sqlite3.connect(folder / "vectors.sqlite", timeout=60)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed stored texts, in order; shape (texts, dimensions)."""
        keys = [self._key("passage", text) for text in texts]
        missing = [(key, text) for key, text in zip(keys, texts, strict=True) if self._read(key) is None]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._write([key for key, _ in batch], self.embedder.passages([text for _, text in batch]))
        return np.stack([self._required(key) for key in keys])

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions, in order; shape (texts, dimensions)."""
        keys = [self._key("query", text) for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if self._read(key) is None:
                self._write([key], [self.embedder.query(text)])
        return np.stack([self._required(key) for key in keys])

    def _key(self, role: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.embedder.id}\0{role}\0{text}".encode()).digest()

    def _read(self, key: bytes) -> Matrix | None:
        row = self._rows.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def _required(self, key: bytes) -> Matrix:
        vector = self._read(key)
        assert vector is not None
        return vector

    def _write(self, keys: Sequence[bytes], vectors: Sequence[Sequence[float]]) -> None:
        rows = [(key, np.asarray(v, dtype=np.float32).tobytes()) for key, v in zip(keys, vectors, strict=True)]
        with self._rows:
            self._rows.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)


class Remembering:
    """The cache in an embedder's place, so that the product's own indexing and search read from it."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache

    @property
    def id(self) -> str:
        """Name the vector space."""
        return self._cache.embedder.id

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return self._cache.embedder.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        rows: list[list[float]] = self._cache.passages(texts).tolist() if texts else []
        return rows

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        row: list[float] = self._cache.queries([text])[0].tolist()
        return row
