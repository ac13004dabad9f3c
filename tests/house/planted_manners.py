"""Faults against words and manners."""

from __future__ import annotations

from typing import Final

from tests.house import manners, words
from tests.house.planting import APP, DOC, MIGRATION, TEST, Planted, python

_named = words.names_use_our_words
_docstring = manners.modules_say_what_belongs_in_them
_function = manners.public_functions_say_what_they_do
_broad = manners.broad_handlers_raise
_comment = manners.comments_keep_to_the_point
_import = manners.importing_does_no_work
_tests = manners.tests_use_real_parts

CREATED: Final = "CREATE TABLE a (tenant_id text PRIMARY KEY, created_at text);"

FAULTS: Final = [
    python(_named, "an argument", APP, 2, "def f(user_context): ..."),
    python(_named, "a class", APP, 2, "class ChunkList: ..."),
    python(_named, "a function", APP, 2, "def handle_all(): ..."),
    python(_named, "a field", APP, 3, "class A:", "    created_at: int"),
    python(_named, "an attribute", APP, 3, "def f(self):", "    self.entities = 1"),
    python(_named, "a variable", APP, 3, "def f():", "    data = 1"),
    python(_named, "an alias", APP, 2, "import json as data"),
    Planted(_named, "a module", "src/stemma/app/run_info.py", 1, DOC),
    Planted(words.columns_use_our_words, "a column", MIGRATION, 1, CREATED),
    python(words.classes_are_named_for_what_they_are, "Manager", APP, 2, "class StoreManager: ..."),
    Planted(words.modules_are_named_for_an_idea, "utils", "src/stemma/app/utils.py", 1, DOC),
    Planted(_docstring, "none", APP, 1, ""),
    Planted(_docstring, "four lines", APP, 1, '"""A.\n\nB.\nC.\nD.\n"""\n'),
    python(_function, "none", APP, 2, "def f(): ..."),
    python(_function, "no sentence", APP, 3, "class A:", "    def f(self):", '        """No stop"""'),
    python(_broad, "swallowed", APP, 4, "try:", "    a", "except (ValueError, Exception):", "    pass"),
    python(_broad, "the cause is lost", APP, 4, "try:", "    a", "except:", "    raise ValueError"),
    python(_broad, "suppressed", APP, 2, "with suppress(Exception): ..."),
    python(manners.output_goes_through_the_doors, "app prints", APP, 2, "print(1)"),
    python(_comment, "open work", APP, 2, "# TODO later"),
    python(_comment, "a banner", APP, 2, "# ---- part two ----"),
    python(_comment, "an ignored type", APP, 2, "a = 1  # type: ignore[misc]"),
    python(_import, "a call", APP, 2, "connect()"),
    python(_import, "a loop", APP, 2, "for a in b:", "    c = a"),
    python(_import, "an extra elsewhere", APP, 2, 'with extra("a", "b"):', "    from b import c"),
    python(
        _import,
        "work beside an extra",
        "src/stemma/adapters/fault.py",
        2,
        'with extra("a", "b"):',
        "    from b import c",
        "    c()",
    ),
    python(
        manners.ground_records_are_frozen,
        "not frozen",
        "src/stemma/state.py",
        3,
        "@dataclass(slots=True)",
        "class A: ...",
    ),
    python(_tests, "a mock", TEST, 2, "from unittest.mock import Mock"),
    python(_tests, "a sleep", TEST, 3, "import time", "time.sleep(1)"),
]
