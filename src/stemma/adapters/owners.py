"""Whose a memory is: from `user_id`, `agent_id` and `run_id` to a subject and to what is noted beside a saying."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from stemma.errors import InvalidInput

NAMES: Final = ("user_id", "agent_id", "run_id")
_PREFIXES: Final = {"agent_id": "agent:", "run_id": "run:"}


@dataclass(frozen=True, slots=True)
class Owner:
    """The ids that were given, one at least."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    def __post_init__(self) -> None:
        """Refuse what names nobody, or somebody else."""
        if not self.ids:
            raise InvalidInput("name whose memories these are: give user_id, agent_id or run_id", field="user_id")
        for name, value in self.ids.items():
            if not _is_name(value):
                raise InvalidInput(f"{name} is blank or no text; give one", field=name)
        if self.user_id is not None and self.user_id.startswith(tuple(_PREFIXES.values())):
            raise InvalidInput("a user_id does not begin with agent: or run:, as other subjects do", field="user_id")

    @classmethod
    def of(cls, ids: Mapping[str, str | None], filters: Mapping[str, Any] | None = None) -> Self:
        """Take ids that were given by name or in a filter. Raises InvalidInput where the two differ."""
        found = {name: value for name, value in ids.items() if value is not None}
        for name, value in _named_in(filters or {}):
            if found.setdefault(name, value) != value:
                raise InvalidInput(f"{name} is given twice and differs", field=name)
        return cls(**found)

    @property
    def ids(self) -> dict[str, str]:
        """The ids by name."""
        return {name: value for name in NAMES if (value := getattr(self, name)) is not None}

    @property
    def subject_id(self) -> str:
        """The subject: the user, else the agent, else the run."""
        name, value = next(iter(self.ids.items()))
        return f"{_PREFIXES.get(name, '')}{value}"

    @property
    def narrowing(self) -> dict[str, str]:
        """The ids beside the subject's, which narrow it."""
        return dict(list(self.ids.items())[1:])


def ids_of_subject(subject_id: str) -> dict[str, str]:
    """Give the id that a subject is named by."""
    for name, prefix in _PREFIXES.items():
        if subject_id.startswith(prefix):
            return {name: subject_id.removeprefix(prefix)}
    return {"user_id": subject_id}


def without_ids(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the ids that `Owner.of` took."""
    kept = {name: wanted for name, wanted in filters.items() if name not in NAMES}
    for name, parts in kept.items():
        if name.upper() == "AND" and isinstance(parts, list):
            kept[name] = [without_ids(one) if isinstance(one, Mapping) else one for one in parts]
    return kept


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _named_in(filters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, wanted in filters.items():
        if name in NAMES:
            if not isinstance(wanted, str):
                raise InvalidInput(f"{name} in a filter names one id", field=name)
            yield name, wanted
        elif isinstance(wanted, list):
            inner = [found for one in wanted if isinstance(one, Mapping) for found in _named_in(one)]
            if name.upper() == "AND":
                yield from inner
            elif inner:
                raise InvalidInput(f"{inner[0][0]} stands under {name}; ask once for each", field=inner[0][0])
