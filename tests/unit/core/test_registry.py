"""The registry: shipped kinds, validation by name, and the lookups that a derivation makes."""

from __future__ import annotations

import pytest

from stemma.core import registry as lookup
from stemma.errors import InvalidKind
from stemma.records import Cardinality, ClaimKey, Injection, Policy, Registry, SaidBy, Source
from tests.extracting import registry

# The appendix, written out: policy, half-life in days, class.
APPENDIX = {
    "profile": (Policy.LATEST, None, Injection.GATED),
    "fixed_attribute": (Policy.CORROBORATED, None, Injection.GATED),
    "health": (Policy.FLAG, None, Injection.ON_REQUEST),
    "relationship": (Policy.KEEP_ALL, None, Injection.GATED),
    "milestone": (Policy.KEEP_ALL, None, Injection.GATED),
    "preference": (Policy.LATEST, 30.0, Injection.GATED),
    "habit": (Policy.LATEST, 30.0, Injection.GATED),
    "project_note": (Policy.LATEST, 30.0, Injection.GATED),
    "fact": (Policy.LATEST, 30.0, Injection.GATED),
    "note": (Policy.LATEST, 30.0, Injection.GATED),
    "event": (Policy.KEEP_ALL, 30.0, Injection.GATED),
    "date": (Policy.KEEP_ALL, 30.0, Injection.GATED),
    "instruction": (Policy.LATEST, None, Injection.GATED),
    "achievement": (Policy.KEEP_ALL, 90.0, Injection.GATED),
    "gift": (Policy.KEEP_ALL, 90.0, Injection.GATED),
    "shared_thing": (Policy.KEEP_ALL, 90.0, Injection.GATED),
}
KEYS = {
    "home": "profile",
    "name": "profile",
    "job": "profile",
    "language": "profile",
    "birthday": "fixed_attribute",
    "blood_group": "fixed_attribute",
}


def test_shipped_kinds_are_those_of_the_appendix() -> None:
    """R-33 and the appendix."""
    kinds = registry().kinds
    assert {name: (kind.policy, kind.half_life_days, kind.injection) for name, kind in kinds.items()} == APPENDIX
    assert kinds["fixed_attribute"].corroboration == 2


def test_shipped_claim_keys_are_single_valued_with_their_kinds() -> None:
    """The appendix: home, name, job, language, birthday, blood_group."""
    keys = registry().claim_keys
    assert {name: key.kind for name, key in keys.items()} == KEYS
    assert {key.cardinality for key in keys.values()} == {Cardinality.SINGLE}


def test_a_claim_key_goes_before_its_kind() -> None:
    """R-36 and the appendix: a claim key's policy, half-life and corroboration go before its kind's."""
    own = ClaimKey(
        name="ui_theme",
        cardinality=Cardinality.SINGLE,
        kind="preference",
        policy=Policy.CORROBORATED,
        corroboration=3,
        half_life_days=7.0,
    )
    bare = ClaimKey(name="plan", cardinality=Cardinality.SINGLE, kind="preference")
    found = Registry(registry().kinds, {"ui_theme": own, "plan": bare}, {})
    assert lookup.policy_of(found, "ui_theme", "preference") is Policy.CORROBORATED
    assert lookup.corroboration_of(found, "ui_theme", "preference") == 3
    assert lookup.half_life_of(found, "ui_theme", "preference") == 7.0
    assert lookup.policy_of(found, "plan", "preference") is Policy.LATEST
    assert lookup.corroboration_of(found, "plan", "preference") == 2
    assert lookup.half_life_of(found, "plan", "preference") == 30.0
    assert lookup.kind_of_claim(found, "ui_theme") == "preference"


def test_an_unregistered_claim_key_is_multi_valued_and_a_slot_single() -> None:
    """The appendix: `slot:<noun phrase>` is single-valued; any other unregistered key holds several values at once."""
    found = registry()
    assert lookup.cardinality_of(found, "tool") is Cardinality.MULTI
    assert lookup.policy_of(found, "tool", "fact") is Policy.KEEP_ALL
    assert lookup.cardinality_of(found, "slot:main database") is Cardinality.SINGLE
    assert lookup.policy_of(found, "slot:main database", "fact") is Policy.LATEST
    assert lookup.kind_of_claim(found, "tool") == "fact"


def test_a_frame_goes_by_its_kind_and_an_unknown_kind_by_fact() -> None:
    """R-36; a kind that was taken out of the registry stops nothing (R-11)."""
    found = registry()
    assert lookup.policy_of(found, None, "health") is Policy.FLAG
    assert lookup.injection_of(found, "health") is Injection.ON_REQUEST
    assert lookup.policy_of(found, None, "gone") is Policy.LATEST
    assert lookup.half_life_of(found, None, "gone") == 30.0
    assert lookup.overlap_of(found, "fact") == 0.6


@pytest.mark.parametrize(
    ("source", "said_by", "authority"),
    [
        ("handbook", SaidBy.USER, 90),
        ("handbook", SaidBy.AGENT, 30),
        ("web", SaidBy.USER, 10),
        ("web", SaidBy.AGENT, 10),
        ("never registered", SaidBy.USER, 50),
        ("never registered", SaidBy.AGENT, 30),
    ],
)
def test_authority_is_the_sources_and_an_agents_is_capped(source: str, said_by: SaidBy, authority: int) -> None:
    """R-33a: an agent's saying has at most authority 30; a source without a rank has 50."""
    sources = {"handbook": Source(name="handbook", authority=90), "web": Source(name="web", authority=10)}
    assert lookup.authority_of(Registry({}, {}, sources), source, said_by) == authority


@pytest.mark.parametrize(
    ("kinds", "field"),
    [
        ({"Mood": {}}, "kinds.Mood"),
        ({"mood": "latest"}, "kinds.mood"),
        ({"mood": {"polcy": "latest"}}, "kinds.mood.polcy"),
        ({"mood": {"policy": "newest"}}, "kinds.mood.policy"),
        ({"mood": {"half_life_days": 0}}, "kinds.mood.half_life_days"),
        ({"mood": {"half_life_days": "30"}}, "kinds.mood.half_life_days"),
        ({"mood": {"injection": "always"}}, "kinds.mood.injection"),
        ({"mood": {"corroboration": 0}}, "kinds.mood.corroboration"),
        ({"mood": {"overlap": 1.5}}, "kinds.mood.overlap"),
        ({"mood": {"description": 5}}, "kinds.mood.description"),
    ],
)
def test_a_malformed_kind_is_refused_by_its_field(kinds: dict[str, object], field: str) -> None:
    """R-33: the registry is validated."""
    with pytest.raises(InvalidKind) as caught:
        lookup.parse_kinds(kinds)
    assert caught.value.field == field
    assert caught.value.code == "invalid_kind"


def test_a_new_kind_needs_no_code() -> None:
    """R-33: adding a kind is data."""
    kinds = lookup.parse_kinds({"mood": {"policy": "keep_all", "half_life_days": 3, "injection": "never"}})
    assert (kinds["mood"].policy, kinds["mood"].half_life_days, kinds["mood"].injection) == (
        Policy.KEEP_ALL,
        3.0,
        Injection.NEVER,
    )


def test_a_claim_key_of_an_unknown_kind_is_refused() -> None:
    """R-33."""
    with pytest.raises(InvalidKind) as caught:
        lookup.parse_claim_keys({"ui_theme": {"kind": "mood"}}, {})
    assert caught.value.field == "claim_keys.ui_theme.kind"
