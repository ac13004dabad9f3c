"""Writing index rows of episodes again where an older version made them, once a store. The log is not touched."""

from __future__ import annotations

from functools import partial
from typing import Final

from stemma.app.episode_index import FORM, lexical_rows, said_of
from stemma.record_json import decode
from stemma.records import Content, Saying
from stemma.store import episodes, index, log, settings
from stemma.store.connection import NO_TENANT, Store
from stemma.store.index import LexicalRow
from stemma.store.transaction import Transaction

# Which form all of a store's rows have; one look at it is all that an opening costs.
SETTING: Final = "episode_index"
_AT_ONCE: Final = 200


def bring_up_to_date(store: Store) -> int:
    """Write every row of another form again, and say how many episodes; an interrupted run goes on where it stopped.

    Until it is through, old rows are found as before: by their words and vectors, without what stands around them.
    """
    if store.run(NO_TENANT, partial(settings.value, name=SETTING), read_only=True) == FORM:
        return 0
    done = 0
    for tenant in store.run(NO_TENANT, log.tenants, read_only=True):
        after = ""
        while owners := store.run(tenant, partial(_rewrite, after=after)):
            done, after = done + len(owners), owners[-1]
    store.run(NO_TENANT, partial(settings.put, name=SETTING, value=FORM))
    return done


def _rewrite(t: Transaction, after: str) -> list[str]:
    """Write the rows of the next so many episodes; none of them can be erased meanwhile."""
    episodes.share_log(t)
    owners = index.owners_of_other_form(t, FORM, after=after, limit=_AT_ONCE)
    heads = {row["episode_id"]: row for row in episodes.by_id(t, owners)}
    first: dict[tuple[str, str], Saying] = {}
    for row in sorted(episodes.sayings_of(t, owners), key=lambda each: (each["recorded_at"], each["occurred_at"])):
        first.setdefault((row["episode_id"], row["content_hash"]), log.saying_of(row))
    rows: list[LexicalRow] = []
    for row in episodes.revisions_of(t, owners):
        name, content_hash = row["episode_id"], row["content_hash"]
        if (name, content_hash) in first and name in heads:
            said = said_of(first[name, content_hash], heads[name]["source"])
            named = (t.tenant, heads[name]["subject_id"], name, content_hash)
            rows += lexical_rows(*named, decode(Content, row["content"]), said)
    index.replace(t, rows)
    return owners
