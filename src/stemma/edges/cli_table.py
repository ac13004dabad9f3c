"""A command whose options stand in a table: the callable with the signature that typer reads."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from stemma.edges.cli_options import JsonOption

EXAMPLE: Final[Mapping[str, Any]] = {
    "example": Annotated[bool, typer.Option("--example", help="Run the shipped probes on the shipped fixture")]
}
NO_FLAGS: Final[Mapping[str, Any]] = {}


class TableCommand:
    """Takes each option by its name, None where it was not given; a flag is False then, `as_json` among them."""

    def __init__(self, name: str, told: str, options: Mapping[str, Any], flags: Mapping[str, Any] = NO_FLAGS) -> None:
        """Make the signature from the tables; `told` is what --help prints."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        made = [inspect.Parameter(each, keyword, default=None, annotation=of) for each, of in options.items()]
        all_flags = {**flags, "as_json": JsonOption}
        made += [inspect.Parameter(each, keyword, default=False, annotation=of) for each, of in all_flags.items()]
        self.__signature__ = inspect.Signature(made)
        self.__annotations__ = {one.name: one.annotation for one in made}
        self.__doc__ = told
        self.__name__ = name
