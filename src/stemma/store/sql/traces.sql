-- Traces: what a subject holds at a moment, counted; and the records of answers, which are kept for a while.

-- name: held_memories
-- How many memories of a subject may be found, how many not and why (a row a reason), and the first that may not (a row
-- each, `n` 0). `turning`: its last turn is still to come, so the row itself tells.
WITH judged AS MATERIALIZED (
    SELECT id, CASE WHEN NOT derived THEN 'tombstoned'
                    WHEN spells @> %(now)s::timestamptz
                    THEN CASE WHEN %(kinds)b::text[] IS NULL OR kind = ANY(%(kinds)b::text[]) THEN 'eligible'
                              ELSE 'kind_filter' END
                    WHEN status IS NULL OR turned_at > %(now)s::timestamptz THEN 'turning'
                    WHEN status = 'active' THEN 'not_in_force'
                    ELSE status END AS reason
    FROM memories
    WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
)
SELECT reason, count(*) AS n, NULL AS id FROM judged GROUP BY reason
UNION ALL
(SELECT reason, 0, id FROM judged WHERE reason <> 'eligible' ORDER BY id LIMIT %(listed)s);

-- name: subject_stamp
-- Another one after every compile and every erasure: both write the subject's row.
SELECT xmin::text || '/' || ctid::text AS stamp FROM subjects WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: next_turn
-- When, after a moment, the first memory of a subject begins or ceases to stand, or turns.
SELECT min(turn.at) AS at
FROM memories m,
     LATERAL (SELECT m.turned_at AS at
              UNION ALL SELECT lower(spell) FROM unnest(m.spells) AS spell
              UNION ALL SELECT upper(spell) FROM unnest(m.spells) AS spell) AS turn
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s
  -- Few turn later at all; of the others no spell is opened.
  AND (m.turned_at > %(now)s::timestamptz OR lower(m.spells) > %(now)s::timestamptz
       OR (NOT upper_inf(m.spells) AND upper(m.spells) > %(now)s::timestamptz))
  AND turn.at > %(now)s::timestamptz;

-- name: turning_memories
SELECT id, body FROM memories
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived
  AND NOT spells @> %(now)s::timestamptz AND (status IS NULL OR turned_at > %(now)s::timestamptz);

-- name: count_episodes
SELECT count(*) AS n FROM episodes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: put_trace
INSERT INTO traces (tenant_id, trace_id, subject_id, recorded_at, names, body, query, given, forced)
VALUES (%(tenant_id)s, %(trace_id)s, %(subject_id)s, %(recorded_at)s, %(names)b::bytea[], %(body)s,
        %(query)s, %(given)s::integer[], %(forced)s::integer[])
ON CONFLICT (tenant_id, trace_id) DO NOTHING;

-- name: trace_by_id
SELECT names, body FROM traces WHERE tenant_id = %(tenant_id)s AND trace_id = %(trace_id)s;

-- name: hold_subjects_named
-- Whoever erases of these waits until the transaction ends, and then finds what it wrote; what is erased is gone here.
SELECT subject_id FROM subjects
WHERE tenant_id = %(tenant_id)s AND subject_id = ANY(%(subjects)b)
ORDER BY subject_id
FOR KEY SHARE;

-- name: hold_documents_named
SELECT document_id FROM documents
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(documents)b)
ORDER BY document_id
FOR KEY SHARE;

-- name: known_names
-- Which of some ids are still there.
SELECT id FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(names)b)
UNION ALL
SELECT episode_id FROM episodes WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(names)b)
UNION ALL
SELECT id FROM conflicts WHERE tenant_id = %(tenant_id)s AND id = ANY(%(names)b);

-- name: erase_traces_of_subject
DELETE FROM traces WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_traces_naming
-- Of one subject, or of all where none is named.
DELETE FROM traces
WHERE tenant_id = %(tenant_id)s AND (%(subject_id)s::text IS NULL OR subject_id = %(subject_id)s)
  AND names && %(names)b::bytea[];

-- name: prune_traces
-- What is older than allowed, and what is over the number that is kept, the oldest first.
DELETE FROM traces
WHERE tenant_id = %(tenant_id)s
  AND (recorded_at < %(oldest)s
       OR (recorded_at, trace_id) <= (SELECT recorded_at, trace_id FROM traces
                                      WHERE tenant_id = %(tenant_id)s
                                      ORDER BY recorded_at DESC, trace_id DESC
                                      OFFSET %(kept)s LIMIT 1));

-- name: memories_to_judge
SELECT id, subject_id, body, derived, derived_at, undone_at FROM memories
WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)b);

-- name: passages_to_judge
-- A passage with its document's text from where it begins, and since when that is the text.
SELECT p.passage_id, p.document_id, d.corpus, d.revised_at, substr(r.text, p.text_start + 1, p.text_end - p.text_start) AS text
FROM passages p
JOIN documents d ON d.tenant_id = p.tenant_id AND d.document_id = p.document_id
JOIN document_revisions r ON r.tenant_id = d.tenant_id AND r.document_id = d.document_id AND r.revision = d.revision
WHERE p.tenant_id = %(tenant_id)s AND p.passage_id = ANY(%(ids)b);

-- name: episodes_to_judge
SELECT episode_id, subject_id, recorded_at FROM episodes WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(ids)b);
