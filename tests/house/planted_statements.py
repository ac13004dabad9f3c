"""Faults against the rules on SQL and on what is handed out."""

from __future__ import annotations

from typing import Final

from tests.house import delivery, statements
from tests.house.planting import (
    APP,
    FIRST,
    FIRST_TEXT,
    LOCK,
    MIGRATION,
    PYPROJECT,
    SCRIPT,
    SOUND,
    SQL,
    STORE,
    Planted,
    python,
)

_placed = statements.sql_stands_in_sql_files
_composed = statements.sql_is_never_put_together
_named = statements.queries_have_names_of_their_own
_tenant = statements.queries_name_the_tenant
_keys = statements.keys_start_with_the_tenant
_numbered = statements.migrations_are_numbered
_landed = statements.migrations_stay_as_they_landed
_wheel = delivery.the_wheel_holds_every_file_of_the_package
_locked = delivery.locks_pin_and_hash_every_package

RUNTIME_LOCK: Final = "requirements/runtime.lock"
NOTES: Final = "src/stemma/store/sql/notes.sql"

FAULTS: Final = [
    python(_placed, "capitals", APP, 2, 'A = "SELECT a FROM b"'),
    python(_placed, "small letters, composed", APP, 2, 'A = f"delete from {b} where c = 1"'),
    python(_placed, "over lines", STORE, 2, 'A = """', "  UPDATE a", '  SET b = 1"""'),
    python(_placed, "a table", STORE, 2, 'A = "CREATE TABLE a (b text)"'),
    python(_composed, "f-string", STORE, 2, 'A = b.execute(f"SET {c}")'),
    python(_composed, "sum", STORE, 2, 'A = b.execute("SET " + c)'),
    python(_composed, "format", STORE, 2, 'A = b.execute("SET {}".format(c))'),
    Planted(_named, "no name", SQL, 1, "SELECT 1;\n"),
    Planted(_named, "a twin", "src/stemma/store/sql/other.sql", 1, "-- name: find_note\nSELECT 1;\n"),
    Planted(_tenant, "named in a comment alone", SQL, 1, "-- name: a\n-- tenant_id\nSELECT * FROM notes;\n"),
    Planted(
        _tenant,
        "the second statement",
        SQL,
        1,
        "-- name: a\nSELECT 1 FROM notes WHERE tenant_id = 'a';\nDELETE FROM notes;\n",
    ),
    Planted(_keys, "a column's key", MIGRATION, 2, "\nCREATE TABLE a (b text PRIMARY KEY);\n"),
    Planted(_keys, "the order", MIGRATION, 1, "CREATE TABLE a (b text, tenant_id text, PRIMARY KEY (b, tenant_id));"),
    Planted(_keys, "no key", MIGRATION, 1, "CREATE TABLE a (tenant_id text);"),
    Planted(_keys, "unique", MIGRATION, 1, "CREATE TABLE a (tenant_id text PRIMARY KEY, b numeric(3, 2), UNIQUE (b));"),
    Planted(_keys, "an index", MIGRATION, 1, "CREATE INDEX a ON notes (note_id, tenant_id);"),
    Planted(_numbered, "a gap", "src/stemma/store/migrations/0003_fault.sql", 1, ""),
    Planted(_numbered, "a twin", "src/stemma/store/migrations/0001_twin.sql", 1, ""),
    Planted(_landed, "edited", FIRST, 1, FIRST_TEXT + "\n"),
    Planted(_landed, "not recorded", MIGRATION, 1, ""),
    Planted(_landed, "gone", statements.HASHES, 1, SOUND[statements.HASHES] + "00  0002_gone.sql\n"),
    Planted(delivery.locks_name_no_registry, "an index", RUNTIME_LOCK, 1, f"--index-url https://example.org\n{LOCK}"),
    Planted(_locked, "no pin", RUNTIME_LOCK, 1, f"httpx>=0.28\n{LOCK}"),
    Planted(_locked, "not locked", RUNTIME_LOCK, 1, ""),
    Planted(_wheel, "ignored", NOTES, 1, "", {".gitignore": "*.sql\n!0001_first.sql\n"}),
    Planted(_wheel, "excluded", "pyproject.toml", 1, PYPROJECT + 'exclude = ["*.sql"]\n'),
    Planted(
        delivery.scripts_stop_at_the_first_fault, "no -e", "scripts/fault", 1, SCRIPT.replace("-euo pipefail", "-u")
    ),
]
