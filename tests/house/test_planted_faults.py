"""Plants each fault in a sound tree and asks that its rule finds it: a rule cannot be dead without a sign."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from tests.house import (
    delivery,
    floors,
    manners,
    planted_floors,
    planted_manners,
    planted_statements,
    sizes,
    statements,
    words,
)
from tests.house.planting import SOUND, Planted, Rule, plant

FAULTS = [*planted_floors.FAULTS, *planted_manners.FAULTS, *planted_statements.FAULTS]


def rules() -> list[Rule]:
    """Every rule of the house: a public function from a tree to findings."""
    return [
        function
        for module in (delivery, floors, manners, sizes, statements, words)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
        if inspect.get_annotations(function).get("return") == "list[Finding]"
    ]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_found_where_it_stands(fault: Planted, tmp_path: Path) -> None:
    found = fault.rule(plant(tmp_path, {**SOUND, **fault.beside, fault.path: fault.text}))
    assert (fault.path, fault.line) in {(one.path, one.line) for one in found}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.__name__)
def test_a_sound_tree_is_not_blamed(rule: Rule, tmp_path: Path) -> None:
    assert rule(plant(tmp_path, SOUND)) == []


def test_every_rule_has_a_planted_fault_and_judges_the_checkout() -> None:
    named = {f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}" for rule in rules()}
    planted = {f"{fault.rule.__module__.rpartition('.')[2]}.{fault.rule.__name__}" for fault in FAULTS}
    judged = {
        ast.unparse(call.args[0].func)
        for path in Path(__file__).parent.glob("test_*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "judge" and isinstance(call.args[0], ast.Call)
    }
    assert named - planted == set()
    assert named - judged == set()
