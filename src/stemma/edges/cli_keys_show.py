"""How keys read on a terminal."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_keys import CreatedKey, KeyEntry, KeyPage

_MINUTE = "%Y-%m-%d %H:%MZ"


def show_created(made: CreatedKey) -> RenderableType:
    """Show a new key, its secret on a line of its own."""
    about = [f"tenant {made.tenant}", ", ".join(made.scopes), f"name {made.name}", *_bounds(made)]
    return Group(
        Text(f"key {made.id}: {' · '.join(about)}"),
        Text(made.key),
        Text("Keep it now: it is shown this once and kept nowhere.", style="dim"),
    )


def show_keys(page: KeyPage) -> RenderableType:
    """Show keys, two lines each."""
    more = [Text(f"more: --cursor {page.next_cursor}", style="dim")] if page.next_cursor else []
    return Group(*([show_key(one) for one in page.items] or [Text("no keys")]), *more)


def show_key(key: KeyEntry) -> RenderableType:
    """Show what is known of a key."""
    used = f"last used {_at(key.last_used_at)}" if key.last_used_at else "never used"
    about = [f"tenant {key.tenant}", ", ".join(key.scopes), *_bounds(key), used]
    if key.revoked_at is not None:
        about.append(f"revoked {_at(key.revoked_at)}")
    return Group(Text(f"{key.id} {key.status} {key.name}"), Text(f"    {' · '.join(about)}", style="dim"))


def _bounds(key: CreatedKey | KeyEntry) -> list[str]:
    limit = [f"{key.rate_limit} requests a minute"] if key.rate_limit is not None else []
    return [*limit, *([f"until {_at(key.expires_at)}"] if key.expires_at is not None else [])]


def _at(moment: datetime) -> str:
    return f"{moment:{_MINUTE}}"
