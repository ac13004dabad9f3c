"""What the parts of the asynchronous client stand on: one way to ask for a row of the table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from stemma.app.asking import Answer, given


class AsyncAsking:
    """Asks for rows of the operation table by name."""

    async def _run(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        """Ask for a row; a field that is None was not given."""
        return await self._run_as_given(name, answer, given(fields))

    async def _run_as_given(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        raise NotImplementedError

    def _stream(self, name: str, fields: Mapping[str, Any]) -> AsyncIterator[Any]:
        raise NotImplementedError
