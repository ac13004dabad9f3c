"""Reading a list to its end, page by page, without blocking. What a page holds is its operation's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from stemma.app.paging import Item, PageOf


async def pages(ask: Callable[..., Awaitable[PageOf[Item]]], *named: Any, **narrow: Any) -> AsyncIterator[Item]:
    """Give each item of a list, and ask for the next page when the last one is used up."""
    while True:
        page = await ask(*named, **narrow)
        for one in page.items:
            yield one
        if page.next_cursor is None:
            return
        narrow["cursor"] = page.next_cursor
