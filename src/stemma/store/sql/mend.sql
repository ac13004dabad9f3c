-- What `verify --repair` writes: derived rows alone. Nothing here touches what was said, by whom or when.

-- name: mend_extractions
-- The cache of what the present extractor yields; `put_extractions` keeps the first, and that one was altered.
UPDATE extractions x SET body = e.body
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(bodies)b::text[]) AS e (episode_id, content_hash, body)
WHERE x.tenant_id = %(tenant_id)s AND x.episode_id = e.episode_id AND x.content_hash = e.content_hash
  AND x.extractor = %(extractor)s AND x.body <> e.body;

-- name: mend_subject
-- As old as the oldest record that speaks of it.
INSERT INTO subjects (tenant_id, subject_id, recorded_at)
SELECT %(tenant_id)s, %(subject_id)s, min(s.recorded_at)
FROM (SELECT recorded_at FROM episodes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
      UNION ALL
      SELECT recorded_at FROM acts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s) AS s
HAVING count(*) > 0
ON CONFLICT DO NOTHING;

-- name: mend_act_episodes
DELETE FROM act_episodes n
USING acts a
WHERE a.tenant_id = %(tenant_id)s AND a.subject_id = %(subject_id)s
  AND n.tenant_id = a.tenant_id AND n.act_id = a.act_id;

-- name: mend_memory_columns
-- A row of the journal keeps its words; its columns are again what they say.
UPDATE memories m
SET unit = e.unit, kind = e.kind, claim_key = e.claim_key, value_hash = e.value_hash, spells = e.spells::tstzmultirange,
    valid = e.valid::tstzrange, last_said_at = e.last_said_at, status = e.status, turned_at = e.turned_at
FROM unnest(%(ids)b::text[], %(units)b::text[], %(kinds)b::text[], %(claim_keys)b::text[], %(value_hashes)b::bytea[],
            %(spells)b::text[], %(valids)b::text[], %(last_said_ats)b::timestamptz[], %(statuses)b::text[],
            %(turned_ats)b::timestamptz[], %(row_hashes)b::bytea[])
     AS e (id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, status, turned_at, row_hash)
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s AND m.id = e.id;

-- name: mend_evidence
DELETE FROM evidence
WHERE tenant_id = %(tenant_id)s
  AND (memory_id, evidence_id) IN (SELECT * FROM unnest(%(memory_ids)b::text[], %(evidence_ids)b::text[]));

-- name: mend_lexical
DELETE FROM lex
WHERE tenant_id = %(tenant_id)s
  AND (item_kind, item_id) IN (SELECT * FROM unnest(%(item_kinds)b::text[], %(item_ids)b::text[]))
RETURNING text_hash;

-- name: mend_orphaned_vectors
DELETE FROM embeddings v
WHERE v.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM lex x WHERE x.tenant_id = v.tenant_id AND x.text_hash = v.text_hash)
  AND NOT EXISTS (SELECT FROM passages p WHERE p.tenant_id = v.tenant_id AND p.text_hash = v.text_hash);

-- name: mend_vectors
-- Vectors that cannot be compared; their texts wait for new ones.
DELETE FROM embeddings
WHERE tenant_id = %(tenant_id)s AND model_id || '/' || encode(text_hash, 'hex') = ANY(%(ids)b::text[]);

-- name: mend_orphaned_evidence
DELETE FROM evidence v
WHERE v.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = v.tenant_id AND m.id = v.memory_id AND m.derived);

-- name: mend_orphaned_uses
DELETE FROM uses u
WHERE u.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = u.tenant_id AND m.id = u.memory_id);

-- name: mend_orphaned_extractions
DELETE FROM extractions x
WHERE x.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM revisions r WHERE r.tenant_id = x.tenant_id AND r.episode_id = x.episode_id
                  AND r.content_hash = x.content_hash);
