"""What the test of `verify` alters in derived rows: each is to be named, and put right by a repair."""

from __future__ import annotations

from tests.faults.planted import (
    CONFLICT,
    EVIDENCE,
    HELD,
    LEXICAL,
    NAMED,
    OF_ANA,
    POINT,
    SAID,
    STANDS,
    STRANGE,
    Plant,
    body,
    content,
    episode,
    memory,
    text,
)

DERIVED = (
    Plant(
        "memory deleted",
        memory("harbour pilot"),
        ("DELETE FROM memories WHERE id = %(id)s",),
        ("memory_missing",),
        "not stored",
    ),
    Plant(
        "memory hidden",
        text("Stripe charges 3.5"),
        ("UPDATE memories SET derived = false, undone_at = now() WHERE id = %(id)s",),
        ("memory_missing",),
        "not stored",
    ),
    Plant(
        "status flipped",
        memory("Porto"),
        (body("memories", '"status":"superseded"', '"status":"active"'),),
        ("memory_differs",),
        "transitions",
    ),
    Plant(
        "decision removed",
        STANDS.format(text("Stripe charges 3.5")),
        ("DELETE FROM decisions WHERE id = %(id)s",),
        ("decision_missing",),
        "not stored",
    ),
    Plant(
        "decision undone",
        STANDS.format(memory("Porto")),
        ("UPDATE decisions SET undone_at = decided_at WHERE id = %(id)s",),
        ("decision_missing",),
        "not stored",
    ),
    Plant(
        "decision for another",
        STANDS.format(memory("Lisbon")),
        ("UPDATE decisions SET winner_id = NULL WHERE id = %(id)s",),
        ("decision_columns_differ",),
        "winner is none",
    ),
    Plant(
        "provenance cut",
        EVIDENCE.format("allergy"),
        (f"DELETE FROM evidence WHERE {SAID}",),
        ("evidence_missing",),
        "not stored",
    ),
    Plant(
        "provenance elsewhere",
        EVIDENCE.format("rate:2"),
        (f"UPDATE evidence SET episode_id = (SELECT min(episode_id) FROM episodes) WHERE {SAID}",),
        ("evidence_columns_differ",),
        "episode is",
    ),
    Plant(
        "span moved",
        EVIDENCE.format("rate:1"),
        (f"UPDATE evidence SET body = regexp_replace(body, '\"end\":[0-9]+', '\"end\":9999') WHERE {SAID}",),
        ("evidence_differs",),
        "end is 9999",
    ),
    Plant(
        "words of a memory lost",
        LEXICAL.format("memory", memory("Lisbon")),
        (f"DELETE FROM lex WHERE {NAMED}",),
        ("lexical_missing",),
        "not found by its words",
    ),
    Plant(
        "words of an episode lost",
        LEXICAL.format("episode", episode("allergy")),
        (f"DELETE FROM lex WHERE {NAMED}",),
        ("lexical_missing",),
        "not found by its words",
    ),
    Plant(
        "words of a memory altered",
        LEXICAL.format("memory", text("I am allergic")),
        (f"UPDATE lex SET terms = terms[2:] WHERE {NAMED}",),
        ("lexical_differs",),
        "not those of memory",
    ),
    Plant(
        "words of nothing",
        "SELECT 'memory/' || repeat('ab', 32)",
        (
            (
                "INSERT INTO lex SELECT tenant_id, item_kind, repeat('ab', 32), owner_id, subject_id, stands, "
                "text_hash, analyser, terms, sv FROM lex WHERE subject_id = 'ana' AND item_kind = 'memory' LIMIT 1"
            ),
        ),
        ("lexical_not_derived",),
        "has none such",
    ),
    Plant(
        "vector of nothing",
        "SELECT model_id || '/' || repeat('ab', 32) FROM embeddings LIMIT 1",
        (
            (
                "INSERT INTO embeddings SELECT tenant_id, model_id, decode(repeat('ab', 32), 'hex'), emb "
                "FROM embeddings LIMIT 1"
            ),
        ),
        ("vector_orphan",),
        "belongs to nothing",
        subject=None,
    ),
    Plant(
        "vector cut short",
        "SELECT model_id || '/' || encode(min(text_hash), 'hex') FROM embeddings GROUP BY model_id",
        ("UPDATE embeddings SET emb = '[1,2,3]' WHERE model_id || '/' || encode(text_hash, 'hex') = %(id)s",),
        ("vector_length_differs",),
        "it has 3 numbers, the others of its model have 8",
        subject=None,
    ),
    Plant(
        "text altered",
        text("I prefer dark mode"),
        (body("memories", '"text":"I prefer dark mode', '"text":"I prefer light mode'),),
        ("memory_differs",),
        "text is not the derived one",
    ),
    Plant(
        "window moved",
        memory("Faro"),
        (body("memories", '"valid_to":"2027', '"valid_to":"2030'),),
        ("memory_differs",),
        "valid_to is 2030",
    ),
    Plant(
        "spell moved",
        memory("Faro"),
        ("UPDATE memories SET spells = '{}' WHERE id = %(id)s",),
        ("memory_columns_differ",),
        "column",
    ),
    Plant(
        "last turn retold",
        memory("Faro"),
        ("UPDATE memories SET status = 'tombstoned', turned_at = now() WHERE id = %(id)s",),
        ("memory_columns_differ",),
        "column",
    ),
    Plant(
        "evidence of nothing",
        "SELECT repeat('cd', 32) || '/' || repeat('cd', 32)",
        (
            (
                "INSERT INTO evidence SELECT tenant_id, repeat('cd', 32), repeat('cd', 32), repeat('cd', 32), body "
                "FROM evidence "
                "LIMIT 1"
            ),
        ),
        ("evidence_orphan",),
        "belongs to nothing",
        subject=None,
    ),
    Plant(
        "memory twice",
        STRANGE,
        (
            (
                "INSERT INTO memories SELECT tenant_id, repeat('ab', 32), subject_id, unit, kind, claim_key, "
                "value_hash, spells, valid, last_said_at, body, row_hash, derived, derived_at, undone_at, extractor "
                "FROM memories WHERE subject_id = 'ana' AND body LIKE '%%\"shown\":\"16\"%%'"
            ),
        ),
        ("memory_not_derived",),
        "does not yield it",
    ),
    Plant(
        "superseded by another",
        memory("Lisbon"),
        (
            (
                'UPDATE memories SET body = regexp_replace(body, \'"superseded_by":(null|"[0-9a-f]+")\', '
                '\'"superseded_by":"beef"\') WHERE id = %(id)s'
            ),
        ),
        ("memory_differs",),
        "superseded_by is beef",
    ),
    Plant(
        "superseded at another time",
        text("Stripe charges 3.5"),
        (
            (
                "UPDATE memories SET body = "
                'regexp_replace(body, \'"superseded_from":"2026\', \'"superseded_from":"2020\') '
                "WHERE id = %(id)s"
            ),
        ),
        ("memory_differs",),
        "superseded_from is 2020",
        alone=True,
    ),
    Plant(
        "conflict removed", CONFLICT, ("DELETE FROM conflicts WHERE id = %(id)s",), ("conflict_missing",), "not stored"
    ),
    Plant(
        "conflict closed",
        CONFLICT,
        ("UPDATE conflicts SET closed_at = opened_at WHERE id = %(id)s",),
        ("conflict_columns_differ",),
        "closed_at is 2026-01-10",
        alone=True,
    ),
    Plant(
        "hash altered",
        "SELECT %(subject)s",
        ("UPDATE subjects SET state_hash = decode(repeat('ab', 32), 'hex') WHERE subject_id = %(id)s",),
        ("state_hash_differs",),
        "abababab",
    ),
    Plant(
        "point removed",
        POINT.format("home:2"),
        (f"DELETE FROM points WHERE {OF_ANA}",),
        ("point_missing",),
        "not stored",
    ),
    Plant(
        "point of another rank",
        POINT.format("home:3"),
        (f"UPDATE points SET body = replace(body, '\"authority\":50', '\"authority\":99') WHERE {OF_ANA}",),
        ("point_differs",),
        "authority is 99, derived is 50",
    ),
    Plant(
        "point in another unit",
        POINT.format("channel:5"),
        (f"UPDATE points SET unit = 'beef' WHERE {OF_ANA}",),
        ("point_columns_differ",),
        "unit is beef",
    ),
    Plant(
        "kind changed",
        memory("12"),
        (body("memories", '"kind":"fact"', '"kind":"health"'),),
        ("memory_differs",),
        "kind is health, derived is fact",
    ),
    Plant(
        "times altered",
        memory("16"),
        (body("memories", '"times_said":1', '"times_said":7'),),
        ("memory_differs",),
        "times_said is 7, derived is 1",
    ),
    Plant(
        "last said later",
        text("I am allergic"),
        (
            body("memories", '"last_said_at":"2026', '"last_said_at":"2027'),
            "UPDATE memories SET last_said_at = last_said_at + interval '1 year' WHERE id = %(id)s",
        ),
        ("memory_differs", "memory_columns_differ"),
        "last_said_at is 2027",
    ),
    Plant(
        "unreadable",
        text("I drink black tea"),
        ("UPDATE memories SET body = left(body, 99) WHERE id = %(id)s",),
        ("memory_unreadable",),
        "cannot be read",
    ),
    Plant(
        "extraction altered",
        content("allergy"),
        (f"UPDATE extractions SET body = regexp_replace(body, 'peanuts', 'pepper') WHERE {HELD}",),
        ("extraction_differs",),
        "not what the extractor finds",
    ),
    Plant(
        "mark of nothing",
        "SELECT repeat('ef', 32)",
        ("INSERT INTO dirty (tenant_id, subject_id, group_id) VALUES ('default', 'ana', %(id)s)",),
        ("dirty_names_nothing",),
        "neither an episode nor a human act",
    ),
    Plant(
        "use of nothing",
        "SELECT repeat('ba', 32)",
        (
            (
                "INSERT INTO uses (tenant_id, memory_id, recall_count, last_recalled_at) "
                "VALUES ('default', %(id)s, 1, now())"
            ),
        ),
        ("use_orphan",),
        "belongs to nothing",
        subject=None,
    ),
    Plant(
        "act not found by its episode",
        "SELECT act_id FROM acts WHERE subject_id = %(subject)s",
        ("DELETE FROM act_episodes WHERE act_id = %(id)s",),
        ("act_episodes_differ",),
        "would not find this act",
    ),
    Plant(
        "subject not listed",
        "SELECT %(subject)s",
        ("DELETE FROM subjects WHERE subject_id = %(id)s",),
        ("subject_missing",),
        "no compile would visit it",
        subject="cy",
    ),
)
