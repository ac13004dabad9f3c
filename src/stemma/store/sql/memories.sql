-- name: memories_of_units
SELECT unit, body FROM memories
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b) AND derived;

-- name: evidence_of_memories
SELECT memory_id, body FROM evidence
WHERE tenant_id = %(tenant_id)s AND memory_id = ANY(%(memory_ids)b)
ORDER BY memory_id, evidence_id;

-- name: decisions_of_units
SELECT unit, body FROM decisions
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b) AND undone_at IS NULL;

-- name: conflicts_of_units
SELECT unit, body FROM conflicts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b) AND derived;

-- name: notes_of_units
SELECT unit, note FROM unit_notes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b)
ORDER BY unit, note;

-- name: units_of_subject
SELECT unit FROM memories WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived
UNION SELECT unit FROM points WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
UNION SELECT unit FROM decisions WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND undone_at IS NULL
UNION SELECT unit FROM conflicts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived
UNION SELECT unit FROM unit_notes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: put_memories
-- A row that was journal and is derived again keeps its id: it is the same row.
INSERT INTO memories (tenant_id, id, subject_id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, status,
                      turned_at, body, row_hash, derived_at, extractor)
SELECT %(tenant_id)s, m.id, %(subject_id)s, m.unit, m.kind, m.claim_key, m.value_hash, m.spells::tstzmultirange,
       m.valid::tstzrange, m.last_said_at, m.status, m.turned_at, m.body, m.row_hash, %(at)s, %(extractor)s
FROM unnest(%(ids)b::text[], %(units)b::text[], %(kinds)b::text[], %(claim_keys)b::text[], %(value_hashes)b::bytea[],
            %(spells)b::text[], %(valids)b::text[], %(last_said_ats)b::timestamptz[], %(statuses)b::text[],
            %(turned_ats)b::timestamptz[], %(bodies)b::text[], %(row_hashes)b::bytea[])
     AS m (id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, status, turned_at, body, row_hash)
ON CONFLICT (tenant_id, id) DO UPDATE
SET subject_id = excluded.subject_id, unit = excluded.unit, kind = excluded.kind, claim_key = excluded.claim_key,
    value_hash = excluded.value_hash, spells = excluded.spells, valid = excluded.valid, last_said_at = excluded.last_said_at,
    status = excluded.status, turned_at = excluded.turned_at, body = excluded.body,
    row_hash = excluded.row_hash, derived = true, undone_at = NULL, extractor = excluded.extractor;

-- name: undo_memories
UPDATE memories SET derived = false, undone_at = %(at)s
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND id = ANY(%(ids)b) AND derived;

-- name: put_evidence
INSERT INTO evidence (tenant_id, memory_id, evidence_id, episode_id, body)
SELECT %(tenant_id)s, e.memory_id, e.evidence_id, e.episode_id, e.body
FROM unnest(%(memory_ids)b::text[], %(evidence_ids)b::text[], %(episode_ids)b::text[], %(bodies)b::text[])
     AS e (memory_id, evidence_id, episode_id, body)
ON CONFLICT (tenant_id, memory_id, evidence_id) DO UPDATE SET episode_id = excluded.episode_id, body = excluded.body;

-- name: delete_evidence
DELETE FROM evidence
WHERE tenant_id = %(tenant_id)s
  AND (memory_id, evidence_id) IN (SELECT * FROM unnest(%(memory_ids)b::text[], %(evidence_ids)b::text[]));

-- name: put_decisions
INSERT INTO decisions (tenant_id, id, decided_at, subject_id, unit, winner_id, loser_id, body, row_hash, extractor)
SELECT %(tenant_id)s, d.id, %(at)s, %(subject_id)s, d.unit, d.winner_id, d.loser_id, d.body, d.row_hash, %(extractor)s
FROM unnest(%(ids)b::text[], %(units)b::text[], %(winner_ids)b::text[], %(loser_ids)b::text[], %(bodies)b::text[],
            %(row_hashes)b::bytea[]) AS d (id, unit, winner_id, loser_id, body, row_hash)
ON CONFLICT (tenant_id, id, decided_at) DO UPDATE SET undone_at = NULL, body = excluded.body, row_hash = excluded.row_hash;

-- name: undo_decisions
UPDATE decisions SET undone_at = %(at)s
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND id = ANY(%(ids)b) AND undone_at IS NULL;

-- name: put_conflicts
INSERT INTO conflicts (tenant_id, id, subject_id, unit, body, row_hash, opened_at, closed_at)
SELECT %(tenant_id)s, c.id, %(subject_id)s, c.unit, c.body, c.row_hash, c.opened_at, c.closed_at
FROM unnest(%(ids)b::text[], %(units)b::text[], %(bodies)b::text[], %(row_hashes)b::bytea[],
            %(opened_ats)b::timestamptz[], %(closed_ats)b::timestamptz[])
     AS c (id, unit, body, row_hash, opened_at, closed_at)
ON CONFLICT (tenant_id, id) DO UPDATE
SET subject_id = excluded.subject_id, unit = excluded.unit, body = excluded.body, row_hash = excluded.row_hash,
    opened_at = excluded.opened_at, closed_at = excluded.closed_at, derived = true, undone_at = NULL;

-- name: undo_conflicts
UPDATE conflicts SET derived = false, undone_at = %(at)s
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND id = ANY(%(ids)b) AND derived;

-- name: delete_notes
DELETE FROM unit_notes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b);

-- name: put_notes
INSERT INTO unit_notes (tenant_id, subject_id, unit, note)
SELECT %(tenant_id)s, %(subject_id)s, n.unit, n.note
FROM unnest(%(units)b::text[], %(notes)b::text[]) AS n (unit, note)
ON CONFLICT DO NOTHING;

-- name: memories_by_id
SELECT m.id, m.subject_id, m.body, m.derived, m.undone_at, m.extractor, u.recall_count, u.last_recalled_at
FROM memories m
LEFT JOIN uses u ON u.tenant_id = m.tenant_id AND u.memory_id = m.id
WHERE m.tenant_id = %(tenant_id)s AND m.id = ANY(%(ids)b);

-- name: list_memories
-- Status is read at a moment from the row itself, so the caller drops what does not match and asks for the next page.
SELECT m.id, m.subject_id, m.body, m.derived, m.undone_at, m.extractor, u.recall_count, u.last_recalled_at
FROM memories m
LEFT JOIN uses u ON u.tenant_id = m.tenant_id AND u.memory_id = m.id
WHERE m.tenant_id = %(tenant_id)s
  AND (%(subject_id)s::text IS NULL OR m.subject_id = %(subject_id)s)
  AND (%(kind)s::text IS NULL OR m.kind = %(kind)s)
  AND (%(claim_key)s::text IS NULL OR m.claim_key = %(claim_key)s)
  AND (%(value_hash)s::bytea IS NULL OR m.value_hash = %(value_hash)s)
  AND m.id > %(after)s
ORDER BY m.id
LIMIT %(limit)s;

-- name: decisions_of_memory
SELECT id, body, decided_at, undone_at, extractor
FROM decisions
WHERE tenant_id = %(tenant_id)s AND (winner_id = %(memory_id)s OR loser_id = %(memory_id)s)
  AND (decided_at, id) > (%(after_at)s, %(after_id)s)
ORDER BY decided_at, id
LIMIT %(limit)s;

-- name: list_decisions
SELECT id, body, decided_at, undone_at, extractor
FROM decisions
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND (decided_at, id) > (%(after_at)s, %(after_id)s)
ORDER BY decided_at, id
LIMIT %(limit)s;

-- name: list_conflicts
SELECT id, body, derived FROM conflicts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND id > %(after)s
ORDER BY id
LIMIT %(limit)s;

-- name: conflict_by_id
SELECT id, subject_id, body, derived FROM conflicts WHERE tenant_id = %(tenant_id)s AND id = %(id)s;

-- name: row_hashes_of_subject
-- Every stored summand of the subject's hash, for `verify`.
SELECT 'memory' AS part, id, row_hash FROM memories
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived
UNION ALL
SELECT 'decision', id, row_hash FROM decisions
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND undone_at IS NULL
UNION ALL
SELECT 'conflict', id, row_hash FROM conflicts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived;

-- name: count_uses
-- Written apart from every read, in batches; no score reads it.
INSERT INTO uses (tenant_id, memory_id, recall_count, last_recalled_at)
SELECT %(tenant_id)s, u.memory_id, u.times, %(at)s
FROM unnest(%(memory_ids)b::text[], %(times)b::bigint[]) AS u (memory_id, times)
JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = u.memory_id
-- An erasure at the same moment leaves no counter of what it takes.
FOR KEY SHARE OF m
ON CONFLICT (tenant_id, memory_id) DO UPDATE
SET recall_count = uses.recall_count + excluded.recall_count,
    last_recalled_at = greatest(uses.last_recalled_at, excluded.last_recalled_at);

-- name: open_conflicts
SELECT id, body, derived FROM conflicts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND id > %(after)s AND derived
  AND opened_at <= %(now)s AND (closed_at IS NULL OR closed_at > %(now)s)
ORDER BY id
LIMIT %(limit)s;

-- name: memories_of_episode
SELECT m.id, m.subject_id, m.body, m.derived, m.undone_at, m.extractor, u.recall_count, u.last_recalled_at
FROM memories m
LEFT JOIN uses u ON u.tenant_id = m.tenant_id AND u.memory_id = m.id
WHERE m.tenant_id = %(tenant_id)s AND m.derived
  AND m.id IN (SELECT e.memory_id FROM evidence e WHERE e.tenant_id = %(tenant_id)s AND e.episode_id = %(episode_id)s)
ORDER BY m.id;

-- name: overlays_of_keys
-- What holds for a while beside a standing value of the same claim key: found with it, whatever its words are.
SELECT m.id, m.subject_id, m.body, m.derived, m.undone_at, m.extractor, u.recall_count, u.last_recalled_at
FROM memories m
LEFT JOIN uses u ON u.tenant_id = m.tenant_id AND u.memory_id = m.id
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s AND m.derived
  AND m.claim_key = ANY(%(claim_keys)b::text[])
  AND m.spells @> %(now)s::timestamptz AND m.valid @> %(now)s::timestamptz AND NOT upper_inf(m.valid);
