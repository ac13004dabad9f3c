"""Reading a list to its end, page by page. What a page holds is its operation's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item", covariant=True)


class PageOf(Protocol[Item]):
    """One page of a list."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Give what the page holds."""

    @property
    def next_cursor(self) -> str | None:
        """Name the next page, if there is one."""


def pages(ask: Callable[..., PageOf[Item]], *named: Any, **narrow: Any) -> Iterator[Item]:
    """Give each item of a list, and ask for the next page when the last one is used up."""
    while True:
        page = ask(*named, **narrow)
        yield from page.items
        if page.next_cursor is None:
            return
        narrow["cursor"] = page.next_cursor
