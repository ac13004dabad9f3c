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

-- name: turning_memories
SELECT id, body FROM memories
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND derived
  AND NOT spells @> %(now)s::timestamptz AND (status IS NULL OR turned_at > %(now)s::timestamptz);

-- name: count_episodes
SELECT count(*) AS n FROM episodes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;
