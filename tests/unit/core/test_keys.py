"""Keys, groups and content hashes: what makes two records one (R-20, R-21)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from stemma.core.content import content_bytes, content_hash, says_nothing
from stemma.core.keys import (
    act_digest,
    business_digest,
    default_policy,
    event_id,
    group_id,
    key_digest,
    key_of_request,
)
from stemma.record_json import encode
from stemma.records import Content, DocumentPin, KeyPolicy, Message, Polarity, Remember, SaidBy, StatedClaim
from stemma.text import episode_id, join_key

TEA = Content(text="I like tea.", source="api", said_by=SaidBy.USER)


def test_a_content_hash_is_that_of_its_canonical_json() -> None:
    """R-20: SHA-256 over RFC 8785 JSON, keys in order, what is absent left out."""
    canonical = '{"source":"api","text":"I like tea."}'
    assert content_hash(TEA) == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "same",
    [
        Content(text="cafe\u0301\r\nopen", source="scan"),
        Content(text="caf\u00e9\ropen", source="scan"),
        Content(text="caf\u00e9\nopen", source="scan", said_by=SaidBy.USER),
    ],
)
def test_composed_and_decomposed_letters_and_all_line_ends_are_one_content(same: Content) -> None:
    """R-20: NFC and newline folding."""
    assert content_hash(same) == content_hash(Content(text="caf\u00e9\nopen", source="scan"))


CLAIM = StatedClaim(key="home", value="Lisbon")
OTHERS = [
    Content(text="I like tea", source="api"),
    Content(text="I like tea.", source="git"),
    Content(text="I like tea.", source="api", speaker="Ana"),
    Content(text="I like tea.", source="api", said_by=SaidBy.AGENT),
    Content(text="I like tea.", source="api", remember=Remember()),
    Content(text="I like tea.", source="api", remember=Remember(kind="note")),
    Content(messages=(Message("user", "I like tea."),), source="api"),
    Content(messages=(Message("assistant", "I like tea."),), source="api"),
    Content(messages=(Message("user", "I like tea.", "Ana"),), source="api"),
    Content(claims=(CLAIM,), source="api"),
    Content(claims=(StatedClaim(key="home", value="Porto"),), source="api"),
    Content(claims=(StatedClaim(key="home", value="Lisbon", polarity=Polarity.NEGATED),), source="api"),
    Content(claims=(StatedClaim(key="home", value="Lisbon", confidence=0.5),), source="api"),
    Content(claims=(StatedClaim(key="home", value="Lisbon", importance=0.9),), source="api"),
    Content(claims=(StatedClaim(key="home", value="Lisbon", kind="fact"),), source="api"),
    Content(claims=(StatedClaim(key="home", value="Lisbon", text="in Lisbon"),), source="api"),
    Content(
        claims=(StatedClaim(key="home", value="Lisbon", valid_from=datetime(2026, 1, 1, tzinfo=UTC)),), source="api"
    ),
    Content(claims=(StatedClaim(key="home", value="Lisbon", valid_to=datetime(2026, 1, 1, tzinfo=UTC)),), source="api"),
    Content(claims=(CLAIM, CLAIM), source="api"),
]


def test_every_difference_in_what_is_said_or_by_whom_is_another_content() -> None:
    """R-20: source, speaker, text, messages (role, name, content), claims; an agent's words are not its user's."""
    assert len({content_hash(one) for one in [TEA, *OTHERS]}) == len(OTHERS) + 1


def test_a_document_is_part_of_the_content_and_its_revision_is_not() -> None:
    """R-20: a record against a newer revision of its document is the same content."""
    first, second = DocumentPin("wiki", "home", "r1"), DocumentPin("wiki", "home", "r2")
    assert content_hash(TEA, first) == content_hash(TEA, second)
    assert content_hash(TEA, first) != content_hash(TEA)


def test_one_instant_in_two_zones_is_one_claim() -> None:
    """R-20: a window's hash sees the instant, not the zone it was written in."""
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    there = noon.astimezone(timezone(timedelta(hours=5, minutes=30)))
    one, other = (
        Content(claims=(StatedClaim(key="home", value="Lisbon", valid_from=at),), source="api") for at in (noon, there)
    )
    assert content_hash(one) == content_hash(other)


def test_a_content_is_stored_as_it_came() -> None:
    """R-3: only the hash sees the canonical form."""
    stored = encode(Content(text="cafe\u0301\r\nopen", source="scan"))
    assert '"text":"cafe\u0301\\r\\nopen"' in stored


def test_key_parts_never_share_a_key() -> None:
    """R-20: parts are percent-encoded before they are joined."""
    assert join_key(["github", "acme", "api-server", "issue", "4471"]) == "github:acme:api-server:issue:4471"
    assert join_key(["a:b", "c"]) == "a%3Ab:c" != join_key(["a", "b:c"])
    assert join_key(["a", ""]) != join_key(["a"])


def test_a_key_is_one_within_its_subject_and_tenant_alone() -> None:
    """R-12, R-20: the same key of another subject or tenant is another episode."""
    names = {episode_id(tenant, subject, "k") for tenant in ("a", "b") for subject in ("s", "t")}
    assert len(names) == 4
    assert episode_id("a", "bc", "d") != episode_id("ab", "c", "d")


def test_a_business_key_is_the_group_of_all_its_keys() -> None:
    """R-21: one event under two keys is one group; without a business key each key is its own."""
    assert group_id("k1", "order:7") == group_id("k2", "order:7")
    assert group_id("k1", None) != group_id("k2", None)
    assert group_id("x", None) != group_id("y", "x")


def test_a_group_has_the_name_that_stores_of_every_release_have_it_under() -> None:
    """R-2, R-21: it is stored with every episode and point, so its form never changes: length-prefixed parts."""

    def named(kind: bytes, name: bytes) -> str:
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in (kind, name))).hexdigest()

    assert group_id("caf\u00e9", None) == named(b"key", "caf\u00e9".encode())
    assert group_id("k1", "order:7") == event_id("order:7") == named(b"business", b"order:7")


def test_a_request_key_names_each_episode_of_its_batch() -> None:
    """API: an Idempotency-Key becomes the key; of several, each gets its place."""
    assert key_of_request("req-1", 0, 1) == "req-1"
    assert [key_of_request("req-1", index, 3) for index in range(3)] == ["req-1:0", "req-1:1", "req-1:2"]


def test_the_policy_is_the_sources_else_it_follows_from_the_key() -> None:
    """API: the source's policy, else identity when a key is given, content when not."""
    assert default_policy(None, keyed=True) is KeyPolicy.IDENTITY
    assert default_policy(None, keyed=False) is KeyPolicy.CONTENT
    assert default_policy(KeyPolicy.REVISION, keyed=False) is KeyPolicy.REVISION


def test_a_digest_depends_on_the_secret_and_tells_keys_from_business_keys() -> None:
    """R-92: a tombstone is an HMAC; nobody without the secret can test a guess."""
    digests = {
        key_digest(b"one", "s", "k"),
        key_digest(b"two", "s", "k"),
        key_digest(b"one", "t", "k"),
        business_digest(b"one", "s", "k"),
    }
    assert len(digests) == 4


def test_the_size_of_a_content_is_that_of_its_texts_in_utf8() -> None:
    """R-22: at most 1 MiB."""
    assert content_bytes(Content(text="é")) == 2
    assert content_bytes(Content(messages=(Message("user", "ab", "c"),), claims=(CLAIM,))) == 7 + 10


@pytest.mark.parametrize(
    "empty", [Content(), Content(text=" \n"), Content(messages=(Message("user", "\t"), Message("assistant", "")))]
)
def test_blanks_say_nothing(empty: Content) -> None:
    """R-22: an episode says something, in text, turns or claims."""
    assert says_nothing(empty)
    assert not says_nothing(Content(claims=(CLAIM,)))


@pytest.mark.parametrize(("digest", "kind"), [(key_digest, "key"), (business_digest, "business"), (act_digest, "act")])
def test_a_tombstone_is_an_hmac_that_other_stores_compute_alike(
    digest: Callable[[bytes, str, str], bytes], kind: str
) -> None:
    """R-92: it is stored and exported, so its form never changes: length-prefixed kind, subject and name."""
    parts = b"".join(len(part).to_bytes(8, "big") + part for part in (kind.encode(), "caf\u00e9".encode(), b"k1"))
    named = hashlib.sha256(parts).hexdigest().encode()
    assert digest(b"secret", "caf\u00e9", "k1") == hmac.new(b"secret", named, hashlib.sha256).digest()
