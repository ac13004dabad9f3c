-- What `verify` reads: rows that belong to nothing, columns that differ from what they should be. Writes nothing.

-- name: episodes_with_groups
SELECT episode_id, key, business_key, group_id FROM episodes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: orphans
-- Rows whose owner is not there, as (part, id).
SELECT 'revision' AS part, r.episode_id || '/' || r.content_hash AS id FROM revisions r
WHERE r.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = r.tenant_id AND e.episode_id = r.episode_id)
UNION ALL
SELECT 'saying', s.episode_id || '/' || s.content_hash FROM sayings s
WHERE s.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM revisions r WHERE r.tenant_id = s.tenant_id AND r.episode_id = s.episode_id
                  AND r.content_hash = s.content_hash)
UNION ALL
SELECT 'extraction', x.episode_id || '/' || x.content_hash FROM extractions x
WHERE x.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM revisions r WHERE r.tenant_id = x.tenant_id AND r.episode_id = x.episode_id
                  AND r.content_hash = x.content_hash)
UNION ALL
SELECT 'evidence', v.memory_id || '/' || v.evidence_id FROM evidence v
WHERE v.tenant_id = %(tenant_id)s
  AND (NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = v.tenant_id AND m.id = v.memory_id)
       OR (NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = v.tenant_id AND e.episode_id = v.episode_id)
           AND NOT EXISTS (SELECT FROM acts a WHERE a.tenant_id = v.tenant_id AND 'act:' || a.act_id = v.episode_id)))
UNION ALL
SELECT 'decision', d.id FROM decisions d
WHERE d.tenant_id = %(tenant_id)s AND d.undone_at IS NULL
  AND (NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = d.tenant_id AND m.id = d.loser_id)
       OR (d.winner_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = d.tenant_id AND m.id = d.winner_id)))
UNION ALL
SELECT 'lexical', x.item_kind || '/' || x.item_id FROM lex x
WHERE x.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = x.tenant_id AND m.id = x.owner_id AND m.derived)
  AND NOT EXISTS (SELECT FROM episodes e WHERE e.tenant_id = x.tenant_id AND e.episode_id = x.owner_id)
UNION ALL
SELECT 'vector', encode(v.text_hash, 'hex') FROM embeddings v
WHERE v.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM lex x WHERE x.tenant_id = v.tenant_id AND x.text_hash = v.text_hash)
UNION ALL
SELECT 'use', u.memory_id FROM uses u
WHERE u.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = u.tenant_id AND m.id = u.memory_id)
UNION ALL
SELECT 'episode', e.episode_id FROM episodes e
WHERE e.tenant_id = %(tenant_id)s
  AND (NOT EXISTS (SELECT FROM subjects s WHERE s.tenant_id = e.tenant_id AND s.subject_id = e.subject_id)
       OR NOT EXISTS (SELECT FROM sayings s WHERE s.tenant_id = e.tenant_id AND s.episode_id = e.episode_id))
ORDER BY 1, 2
LIMIT %(limit)s;

-- name: memory_columns_that_differ
-- The columns are copies of what the row says; each must still be one.
SELECT m.id FROM memories m
JOIN unnest(%(ids)b::text[], %(units)b::text[], %(kinds)b::text[], %(claim_keys)b::text[], %(value_hashes)b::bytea[],
            %(spells)b::text[], %(valids)b::text[], %(last_said_ats)b::timestamptz[], %(row_hashes)b::bytea[])
     AS e (id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, row_hash) USING (id)
WHERE m.tenant_id = %(tenant_id)s AND m.derived
  AND (m.subject_id, m.unit, m.kind, m.claim_key, m.value_hash, m.spells, m.valid, m.last_said_at, m.row_hash)
      IS DISTINCT FROM
      (%(subject_id)s, e.unit, e.kind, e.claim_key, e.value_hash, e.spells::tstzmultirange, e.valid::tstzrange,
       e.last_said_at, e.row_hash)
ORDER BY m.id;

-- name: lexical_of_subject
SELECT item_kind, item_id FROM lex WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: lexical_that_differ
SELECT x.item_kind, x.item_id FROM lex x
JOIN unnest(%(item_kinds)b::text[], %(item_ids)b::text[], %(owner_ids)b::text[], %(stands)b::text[],
            %(text_hashes)b::bytea[], %(analysers)b::text[], %(terms)b::text[], %(weights)b::text[])
     AS e (item_kind, item_id, owner_id, stands, text_hash, analyser, terms, weights) USING (item_kind, item_id)
WHERE x.tenant_id = %(tenant_id)s
  AND (x.owner_id, x.subject_id, x.stands, x.text_hash, x.analyser, x.terms, x.sv) IS DISTINCT FROM
      (e.owner_id, %(subject_id)s, e.stands::tstzmultirange, e.text_hash, e.analyser, e.terms::integer[],
       e.weights::sparsevec)
ORDER BY x.item_kind, x.item_id;
