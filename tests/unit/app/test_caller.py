"""Names of tenants, and what a caller may do."""

from __future__ import annotations

import pytest

from stemma.app.caller import Caller, Scope, tenant_named
from stemma.app.stemma import Stemma
from stemma.errors import InvalidInput
from stemma.key_errors import ScopeMissing


@pytest.mark.parametrize("name", ["", " ", "\t", "*", "a\x00b", "t" * 257])
def test_a_tenant_that_got_lost_on_its_way_is_refused_before_a_store_is_opened(name: str) -> None:
    """F31: a missing tenant means no other one, and never every one."""
    with pytest.raises(InvalidInput):
        tenant_named(name)
    with pytest.raises(InvalidInput):
        Stemma("/nowhere/at/all", tenant=name)


def test_two_spellings_of_one_name_are_one_tenant() -> None:
    """API.md: names are NFC."""
    assert tenant_named("Cafe\u0301") == "Café"


@pytest.mark.parametrize("held", list(Scope))
def test_no_scope_contains_another(held: Scope) -> None:
    """R-93."""
    caller = Caller("acme", frozenset({held}), "crawler")
    caller.require(held)
    for other in set(Scope) - {held}:
        with pytest.raises(ScopeMissing, match=f"the scope {other}, which the key 'crawler' does not have"):
            caller.require(other)
