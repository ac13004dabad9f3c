"""What the parts of the Python faces stand on: one way to ask for a row of the table. How is each face's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from stemma.app.models_base import AnswerModel

Answer = TypeVar("Answer", bound=AnswerModel)


class Asking:
    """Asks for rows of the operation table by name."""

    def _run(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        """Ask for a row; a field that is None was not given."""
        return self._run_as_given(name, answer, given(fields))

    def _run_as_given(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        raise NotImplementedError

    def _stream(self, name: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        raise NotImplementedError


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is None: an argument that was not named."""
    return {name: value for name, value in fields.items() if value is not None}
