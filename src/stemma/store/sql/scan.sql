-- What `verify` reads: whole subjects, rows that belong to nothing, columns that differ from what they should be.

-- name: episodes_to_check
SELECT episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key, document_corpus,
       document_external_id, document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
ORDER BY episode_id;

-- name: acts_to_check
SELECT act_id, kind, at, body FROM acts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
ORDER BY at, act_id;

-- name: act_episodes_to_check
-- What named an episode of the subject and is gone was an act on the subject.
SELECT n.act_id, n.episode_id, a.act_id IS NOT NULL AS known
FROM act_episodes n
LEFT JOIN acts a ON a.tenant_id = n.tenant_id AND a.act_id = n.act_id
WHERE n.tenant_id = %(tenant_id)s
  AND (a.subject_id = %(subject_id)s
       OR (a.act_id IS NULL
           AND n.episode_id IN (SELECT e.episode_id FROM episodes e
                                WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s)));

-- name: dirty_to_check
SELECT dirty_id, group_id FROM dirty WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: points_to_check
SELECT point_id, group_id, unit, block, conversation, act, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: memories_to_check
SELECT id, unit, body, derived FROM memories WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: evidence_to_check
-- What lost its memory belongs to the subject of its episode.
SELECT v.memory_id, v.evidence_id, v.episode_id, v.body
FROM evidence v
LEFT JOIN memories m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id
WHERE v.tenant_id = %(tenant_id)s
  AND (m.subject_id = %(subject_id)s
       OR (m.id IS NULL
           AND v.episode_id IN (SELECT e.episode_id FROM episodes e
                                WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s)));

-- name: decisions_to_check
SELECT id, decided_at, unit, winner_id, loser_id, body, row_hash, undone_at FROM decisions
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: conflicts_to_check
SELECT id, unit, body, row_hash, opened_at, closed_at, derived FROM conflicts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: notes_to_check
SELECT unit, note FROM unit_notes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
ORDER BY unit, note;

-- name: any_tombstone
SELECT EXISTS (SELECT FROM tombstone_witnesses WHERE tenant_id = %(tenant_id)s)
       OR EXISTS (SELECT FROM tombstones WHERE tenant_id = %(tenant_id)s) AS found;

-- name: subjects_that_are_missing
-- Subjects that the log speaks of and that have no row of their own, so that no compile would visit them.
SELECT s.subject_id
FROM (SELECT subject_id FROM episodes WHERE tenant_id = %(tenant_id)s
      UNION
      SELECT subject_id FROM acts WHERE tenant_id = %(tenant_id)s) AS s
WHERE NOT EXISTS (SELECT FROM subjects k WHERE k.tenant_id = %(tenant_id)s AND k.subject_id = s.subject_id)
ORDER BY s.subject_id;

-- name: orphans
-- Rows whose owner is not there, as (part, id, subject where it is known).
SELECT 'revision' AS part, r.episode_id || '/' || r.content_hash AS id, NULL AS subject_id FROM revisions r
WHERE r.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = r.tenant_id AND e.episode_id = r.episode_id)
UNION ALL
SELECT DISTINCT 'saying', s.episode_id || '/' || s.content_hash, NULL FROM sayings s
WHERE s.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = s.tenant_id AND e.episode_id = s.episode_id)
UNION ALL
SELECT 'extraction', x.episode_id || '/' || x.content_hash, NULL FROM extractions x
WHERE x.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM revisions r WHERE r.tenant_id = x.tenant_id AND r.episode_id = x.episode_id
                  AND r.content_hash = x.content_hash)
UNION ALL
SELECT DISTINCT 'act', n.act_id, NULL FROM act_episodes n
WHERE n.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM acts a WHERE a.tenant_id = n.tenant_id AND a.act_id = n.act_id)
UNION ALL
SELECT 'evidence', v.memory_id || '/' || v.evidence_id, NULL FROM evidence v
WHERE v.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = v.tenant_id AND m.id = v.memory_id AND m.derived)
UNION ALL
SELECT 'vector', v.model_id || '/' || encode(v.text_hash, 'hex'), NULL FROM embeddings v
WHERE v.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM lex x WHERE x.tenant_id = v.tenant_id AND x.text_hash = v.text_hash)
  AND NOT EXISTS (SELECT FROM passages p WHERE p.tenant_id = v.tenant_id AND p.text_hash = v.text_hash)
UNION ALL
SELECT 'use', u.memory_id, NULL FROM uses u
WHERE u.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = u.tenant_id AND m.id = u.memory_id)
UNION ALL
SELECT o.part, o.id, o.subject_id
FROM (SELECT 'point' AS part, p.point_id AS id, p.subject_id FROM points p WHERE p.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'memory', m.id, m.subject_id FROM memories m WHERE m.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'decision', d.id, d.subject_id FROM decisions d WHERE d.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'conflict', c.id, c.subject_id FROM conflicts c WHERE c.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'note', n.unit, n.subject_id FROM unit_notes n WHERE n.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'lexical', x.item_kind || '/' || x.item_id, x.subject_id FROM lex x WHERE x.tenant_id = %(tenant_id)s
      UNION ALL
      SELECT 'dirty', y.group_id, y.subject_id FROM dirty y WHERE y.tenant_id = %(tenant_id)s) AS o
WHERE NOT EXISTS (SELECT FROM subjects k WHERE k.tenant_id = %(tenant_id)s AND k.subject_id = o.subject_id)
  AND NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = o.subject_id)
  AND NOT EXISTS (SELECT FROM acts a WHERE a.tenant_id = %(tenant_id)s AND a.subject_id = o.subject_id)
ORDER BY 1, 2;

-- name: vectors_of_wrong_length
-- A model's vectors are all of one length: that of the configured embedder, else the commonest among them.
WITH lengths AS (
    SELECT model_id, vector_dims(emb) AS dimensions, count(*) AS n
    FROM embeddings
    WHERE tenant_id = %(tenant_id)s
    GROUP BY model_id, vector_dims(emb)
), right_ones AS (
    SELECT DISTINCT ON (model_id) model_id,
           CASE WHEN model_id = %(model_id)s THEN %(dimensions)s::integer ELSE dimensions END AS dimensions
    FROM lengths
    ORDER BY model_id, n DESC, dimensions
)
SELECT e.model_id || '/' || encode(e.text_hash, 'hex') AS id, vector_dims(e.emb) AS found, r.dimensions AS wanted
FROM embeddings e
JOIN right_ones r USING (model_id)
WHERE e.tenant_id = %(tenant_id)s AND vector_dims(e.emb) <> r.dimensions
ORDER BY 1;

-- name: tombstones_that_differ
-- Each tombstone is entered twice; `found` is what of it is in `tombstones`: missing, differs, or alone.
SELECT encode(coalesce(s.digest, w.digest), 'hex') AS id,
       CASE WHEN s.digest IS NULL THEN 'missing' WHEN w.digest IS NULL THEN 'alone' ELSE 'differs' END AS found
FROM (SELECT * FROM tombstones WHERE tenant_id = %(tenant_id)s) AS s
FULL JOIN (SELECT * FROM tombstone_witnesses WHERE tenant_id = %(tenant_id)s) AS w USING (secret_id, digest)
WHERE s.digest IS NULL OR w.digest IS NULL OR (s.covers_until, s.erased_at) IS DISTINCT FROM (w.covers_until, w.erased_at)
ORDER BY 1;

-- name: secrets_that_are_missing
SELECT DISTINCT t.secret_id AS id FROM tombstones t
WHERE t.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM erasure_secrets s WHERE s.tenant_id = t.tenant_id AND s.secret_id = t.secret_id)
ORDER BY 1;

-- name: memory_columns_that_differ
-- The columns are copies of what the row says; each must still be one. A hash is compared where it is known.
SELECT m.id FROM memories m
JOIN unnest(%(ids)b::text[], %(units)b::text[], %(kinds)b::text[], %(claim_keys)b::text[], %(value_hashes)b::bytea[],
            %(spells)b::text[], %(valids)b::text[], %(last_said_ats)b::timestamptz[], %(statuses)b::text[],
            %(turned_ats)b::timestamptz[], %(row_hashes)b::bytea[])
     AS e (id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, status, turned_at, row_hash) USING (id)
WHERE m.tenant_id = %(tenant_id)s
  AND ((m.subject_id, m.unit, m.kind, m.claim_key, m.value_hash, m.spells, m.valid, m.last_said_at, m.status,
        m.turned_at)
       IS DISTINCT FROM
       (%(subject_id)s, e.unit, e.kind, e.claim_key, e.value_hash, e.spells::tstzmultirange, e.valid::tstzrange,
        e.last_said_at, e.status, e.turned_at)
       OR (e.row_hash <> ''::bytea AND m.row_hash <> e.row_hash))
ORDER BY m.id;

-- name: lexical_of_subject
SELECT item_kind, item_id, owner_id FROM lex WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: extracted_episodes
SELECT DISTINCT episode_id FROM extractions WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: lexical_that_differ
SELECT x.item_kind, x.item_id FROM lex x
JOIN unnest(%(item_kinds)b::text[], %(item_ids)b::text[], %(owner_ids)b::text[], %(stands)b::text[],
            %(text_hashes)b::bytea[], %(analysers)b::text[], %(terms)b::text[], %(weights)b::text[], %(units)b::text[],
            %(sessions)b::text[], %(said_ats)b::timestamptz[], %(places)b::integer[], %(roles)b::text[],
            %(speakers)b::text[], %(words)b::integer[], %(asks)b::boolean[], %(lengths)b::integer[],
            %(starts)b::integer[], %(ends)b::integer[])
     AS e (item_kind, item_id, owner_id, stands, text_hash, analyser, terms, weights, unit, session, said_at, place,
           role, speaker, words, asks, length, starts, ends) USING (item_kind, item_id)
WHERE x.tenant_id = %(tenant_id)s AND x.subject_id = %(subject_id)s
  AND ((x.owner_id, x.stands, x.text_hash, x.analyser, x.terms, x.sv) IS DISTINCT FROM
       (e.owner_id, e.stands::tstzmultirange, e.text_hash, e.analyser, e.terms::integer[], e.weights::sparsevec)
    OR (x.unit, x.session, x.said_at, x.place, x.role, x.speaker, x.words, x.asks, x.length, x.starts, x.ends)
       IS DISTINCT FROM (e.unit, e.session, e.said_at, e.place, e.role, e.speaker::integer[], e.words, e.asks, e.length,
                         e.starts, e.ends))
ORDER BY x.item_kind, x.item_id;
