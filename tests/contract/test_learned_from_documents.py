"""Memories that were learned from documents: pinned, stale at once, retired by the next compile (R-38)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stemma import Stemma
from stemma.app.models_memories import Memory
from stemma.errors import RememberRejected
from tests.corpora import Ticking

SUBJECT = "acme"
OLD = "Logs are kept for 180 days.\n\nStripe charges 2.9% + 30c."
NEW = "Logs are kept for 90 days.\n\nStripe charges 2.9% + 30c."
LEARNED = {"corpus": "handbook", "external_id": "policy"}
SAID = datetime(2026, 2, 1, tzinfo=UTC)


def learn(memory: Stemma, text: str, *, key: str, document: dict[str, str] | None = None) -> str:
    """Take in an episode that was learned from a document and return its outcome or its error."""
    episode: dict[str, Any] = {"subject_id": SUBJECT, "key": key, "text": text, "occurred_at": SAID}
    [result] = memory.add_episodes([{**episode, "document": document or LEARNED}]).results
    return result.error.code if result.error else result.outcome.value


def listed(memory: Stemma, status: str = "active") -> list[Memory]:
    """Return the subject's memories of a status."""
    return list(memory.list_memories(SUBJECT, status=status).items)  # type: ignore[arg-type]


def put(memory: Stemma, text: str) -> str:
    """Put the document and return its revision."""
    return memory.put_document("handbook", "policy", text=text).revision


def state_hash(memory: Stemma) -> str | None:
    """Compile and return the subject's state hash."""
    return memory.compile_memories(SUBJECT).state_hash


def test_an_episode_is_pinned_to_the_present_revision(memory: Stemma) -> None:
    """R-38: the pin is part of the episode; an unknown document or revision is refused by name."""
    assert learn(memory, "Logs are kept for 180 days.", key="k") == "unknown_document"
    old = put(memory, OLD)
    assert learn(memory, "Logs are kept for 180 days.", key="k") == "created"
    [episode] = memory.find_episodes(SUBJECT, key="k").items
    assert episode.document is not None
    assert episode.document.revision == old
    assert learn(memory, "It rained.", key="x", document={**LEARNED, "revision": "no such"}) == "unknown_document"
    put(memory, NEW)
    assert learn(memory, "It rained.", key="y", document={**LEARNED, "revision": old}) == "created"
    memory.delete_document("handbook", "policy")
    assert learn(memory, "It snowed.", key="z") == "unknown_document"
    with pytest.raises(RememberRejected, match="policy"):
        memory.remember(SUBJECT, "It snowed.", document=LEARNED)


def test_a_changed_source_shows_at_once_and_is_retired_by_the_next_compile(memory: Stemma, clock: Ticking) -> None:
    """R-38: stale by reading, tombstoned by derivation; what still stands is silently pinned anew."""
    old = put(memory, OLD)
    learn(memory, "Logs are kept for 180 days.", key="logs")
    learn(memory, "Stripe charges 2.9% + 30c.", key="stripe")
    memory.compile_memories(SUBJECT)
    before = {each.text: each for each in listed(memory)}
    assert {each.stale for each in before.values()} == {None}
    assert {each.documents[0].revision for each in before.values()} == {old}
    clock.pass_days(1)
    new = put(memory, NEW)
    seen = {each.episodes[0].key: each for each in listed(memory)}
    stale = seen["logs"].stale
    assert stale is not None
    assert (stale.reason, stale.since) == ("source_changed", clock.at)
    assert (seen["logs"].documents[0].state, seen["logs"].documents[0].revision) == ("changed", old)
    assert (seen["stripe"].stale, seen["stripe"].documents[0].state) == (None, "current")
    assert seen["stripe"].documents[0].revision == new
    memory.compile_memories(SUBJECT)
    assert [each.episodes[0].key for each in listed(memory)] == ["stripe"]
    [gone] = listed(memory, "tombstoned")
    assert (gone.episodes[0].key, gone.episodes[0].dead) == ("logs", "source_changed")
    assert memory.compile_memories(SUBJECT).episodes_compiled == 0
    put(memory, OLD)
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 2
    assert {each.stale for each in listed(memory)} == {None}


def test_a_deleted_source_takes_what_was_learned_from_it_alone(memory: Stemma) -> None:
    """R-38: gone; what was said elsewhere too still stands."""
    put(memory, OLD)
    learn(memory, "Logs are kept for 180 days.", key="logs")
    learn(memory, "Stripe charges 2.9% + 30c.", key="stripe")
    memory.add_episodes([{"subject_id": SUBJECT, "text": "Stripe charges 2.9% + 30c.", "occurred_at": SAID}])
    memory.compile_memories(SUBJECT)
    memory.delete_document("handbook", "policy")
    seen = {each.episodes[0].key in ("logs",): each for each in listed(memory)}
    assert seen[True].stale is not None
    assert seen[True].stale.reason == "source_gone"
    assert (seen[False].stale, seen[False].documents[0].state) == (None, "gone")
    memory.compile_memories(SUBJECT)
    assert [each.text for each in listed(memory)] == [seen[False].text]
    put(memory, OLD)
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 2


@pytest.mark.parametrize("named", [True, False], ids=["revision named", "pinned at the door"])
def test_an_episode_before_a_change_and_one_after_it_end_alike(memory: Stemma, named: bool) -> None:
    """R-38: (D r1, E, D r2) and (D r1, D r2, E) give one state, for what changed and for what did not."""
    said = ("Logs are kept for 180 days.", "Stripe charges 2.9% + 30c.")
    hashes = []
    for order in ("r1 E r2", "r1 r2 E", "r1 E r2 E"):
        memory.erase(SUBJECT)
        memory.delete_corpus("handbook")
        revision = ""
        for number, step in enumerate(order.split()):
            if step == "E":
                document = {**LEARNED, "revision": revision} if named else LEARNED
                for text in said:
                    # An erased key is not taken in again, and keys are no part of what is said.
                    episode = {"subject_id": f"{SUBJECT} {order}", "key": text, "text": text, "occurred_at": SAID}
                    memory.add_episodes([{**episode, "document": document}])
            else:
                found = put(memory, OLD if step == "r1" else NEW)
                revision = found if number == 0 else revision
        memory.compile_memories(f"{SUBJECT} {order}")
        rows = memory.list_memories(f"{SUBJECT} {order}", status="all").items
        hashes.append(sorted((each.text, each.status, each.times_said) for each in rows))
    assert hashes[0] == hashes[1] == hashes[2]
    assert {status for _, status, _ in hashes[0]} == {"active", "tombstoned"}


def test_a_typo_fixed_elsewhere_retires_none_of_forty(memory: Stemma) -> None:
    """R-38: paragraph 9 of a document under 40 memories is mended; then one that a memory rests on is rewritten."""
    rules = [f"Pier {number} opens at {number % 12 + 1}:{number:02d} in the morning." for number in range(40)]
    document = "\n\n".join([*rules[:8], "Teh harbour is old.", *rules[8:]])
    put(memory, document)
    for number, rule in enumerate(rules):
        claim = {"key": f"pier_{number}", "value": rule, "text": rule}
        episode = {"subject_id": SUBJECT, "key": f"rule {number}", "claims": [claim], "occurred_at": SAID}
        memory.add_episodes([{**episode, "document": LEARNED}])
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 40
    put(memory, document.replace("Teh", "The"))
    assert [each for each in listed(memory) if each.stale] == []
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 40
    put(memory, document.replace("Teh", "The").replace(rules[20], "Pier 20 is closed."))
    assert [each.claim.value for each in listed(memory) if each.stale and each.claim] == [rules[20]]
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 39
    assert memory.verify(SUBJECT).sound


def test_words_of_ones_own_stand_until_the_document_changes(memory: Stemma) -> None:
    """R-38: a paraphrase rests on the pin; sent again under its key against the newer text, it is pinned to that."""
    put(memory, OLD)
    assert learn(memory, "The retention of logs is half a year.", key="p") == "created"
    memory.compile_memories(SUBJECT)
    assert len(listed(memory)) == 1
    new = put(memory, NEW)
    assert listed(memory)[0].stale is not None
    memory.compile_memories(SUBJECT)
    assert listed(memory) == []
    assert learn(memory, "The retention of logs is half a year.", key="p") == "restated"
    assert learn(memory, "The retention of logs is half a year.", key="p") == "duplicate"
    memory.compile_memories(SUBJECT)
    assert [each.documents[0].revision for each in listed(memory)] == [new]


def test_copies_of_one_document_are_one_origin_of_a_memory(memory: Stemma) -> None:
    """R-36, R-65: what two copies say is said by one origin; once they part, by two."""
    text = OLD + "\n\n" + " ".join(f"Rule {number} holds for every pier and every boat." for number in range(30))
    for name in ("one", "two"):
        memory.put_document("handbook", name, text=text)
        learn(memory, "Logs are kept for 180 days.", key=name, document={"corpus": "handbook", "external_id": name})
    memory.compile_memories(SUBJECT)
    [found] = listed(memory)
    assert (found.times_said, found.independent_origins, len(found.documents)) == (2, 1, 2)
    memory.put_document("handbook", "two", text="Logs are kept for 180 days. That is all.")
    memory.compile_memories(SUBJECT)
    [found] = listed(memory)
    assert found.independent_origins == 2
    assert memory.verify(SUBJECT).sound
