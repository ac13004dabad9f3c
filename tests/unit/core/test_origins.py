"""Origins of documents as connected components, whatever came first (R-65)."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from stemma.core.origins import DERIVED, IDENTICAL, NEAR, Link, origins, text_node
from stemma.document_records import Head

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def head(name: str, day: int, revision: str | None = "r") -> Head:
    """Write one document."""
    at = START + day * DAY
    return Head(
        document_id=name,
        corpus="c",
        external_id=name,
        revision=revision,
        recorded_at=at,
        changed_at=at,
        revised_at=at,
    )


def test_copies_meet_in_their_text_and_the_eldest_is_the_origin() -> None:
    """R-65: a and b say the same, c nearly; d something else."""
    heads = {"a": head("a", 2), "b": head("b", 1), "c": head("c", 3), "d": head("d", 0)}
    links = [
        Link("a", text_node("x"), IDENTICAL),
        Link("b", text_node("x"), IDENTICAL),
        Link("c", text_node("y"), IDENTICAL),
        Link("c", text_node("x"), NEAR),
        Link("d", text_node("z"), IDENTICAL),
    ]
    assert origins(heads, links) == {"a": "b", "b": "b", "c": "b", "d": "d"}


def test_a_derivative_is_no_root_however_old_and_an_absent_root_still_joins() -> None:
    """R-65: what is declared to be derived is not what others descend from; two derived from one unseen share it."""
    heads = {"old": head("old", 0), "root": head("root", 5), "x": head("x", 1), "y": head("y", 2)}
    links = [Link("old", "root", DERIVED), Link("x", "never seen", DERIVED), Link("y", "never seen", DERIVED)]
    assert origins(heads, links) == {"old": "root", "root": "root", "x": "x", "y": "x"}


def test_what_is_gone_is_its_own_origin_and_joins_what_derives_from_it() -> None:
    """R-65: a deleted ancestor keeps its derivatives together and is none of their origins."""
    heads = {"gone": head("gone", 0, None), "x": head("x", 1), "y": head("y", 2)}
    links = [Link("x", "gone", DERIVED), Link("y", "gone", DERIVED)]
    assert origins(heads, links) == {"gone": "gone", "x": "x", "y": "x"}


def test_no_order_of_documents_or_links_changes_an_origin() -> None:
    """R-2: a function of the set."""
    draw = random.Random(5)
    for _ in range(100):
        names = [f"d{n}" for n in range(8)]
        heads = {name: head(name, draw.randint(0, 3), draw.choice(["r", "r", None])) for name in names}
        nodes = [*names, text_node("x"), text_node("y"), "unseen"]
        links = [Link(draw.choice(names), draw.choice(nodes), draw.choice([IDENTICAL, DERIVED])) for _ in range(7)]
        wanted = origins(heads, links)
        for _ in range(3):
            shuffled = {name: heads[name] for name in draw.sample(names, len(names))}
            assert origins(shuffled, draw.sample(links, len(links))) == wanted
