-- Figures over time: what was founded, what stood, what the gates judged, and the answers of a span of days. Days are
-- those of UTC. `subject_id` NULL is every subject of the tenant.

-- name: figures_founded
-- Memories by the day on which the first episode that supports them was received; one that an act worded counts on the
-- day it was derived. Nothing in a text can look like the searched part of the body: quotes in it are escaped.
WITH founded AS (
    SELECT m.kind, m.extractor,
           coalesce(min(e.recorded_at), m.derived_at) AS received_at,
           m.status = 'quarantined' AND coalesce(m.turned_at <= %(now)s::timestamptz, true) AS quarantined
    FROM memories m
    LEFT JOIN evidence v ON v.tenant_id = m.tenant_id AND v.memory_id = m.id AND strpos(v.body, '"role":"support"') > 0
    LEFT JOIN episodes e ON e.tenant_id = v.tenant_id AND e.episode_id = v.episode_id
    WHERE m.tenant_id = %(tenant_id)s AND m.derived
      AND (%(subject_id)s::text IS NULL OR m.subject_id = %(subject_id)s)
    GROUP BY m.tenant_id, m.id
)
SELECT (received_at AT TIME ZONE 'UTC')::date AS day, kind, extractor, count(*) AS n,
       count(*) FILTER (WHERE quarantined) AS quarantined
FROM founded
WHERE received_at >= %(since)s AND received_at <= %(now)s
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;

-- name: figures_standing
-- Memories by kind that were known by the end of each day and stood then.
WITH founded AS (
    SELECT m.kind, m.spells, coalesce(min(e.recorded_at), m.derived_at) AS received_at
    FROM memories m
    LEFT JOIN evidence v ON v.tenant_id = m.tenant_id AND v.memory_id = m.id AND strpos(v.body, '"role":"support"') > 0
    LEFT JOIN episodes e ON e.tenant_id = v.tenant_id AND e.episode_id = v.episode_id
    WHERE m.tenant_id = %(tenant_id)s AND m.derived
      AND (%(subject_id)s::text IS NULL OR m.subject_id = %(subject_id)s)
    GROUP BY m.tenant_id, m.id
)
SELECT d.day, f.kind, count(*) AS n
FROM unnest(%(days)b::date[], %(ends)b::timestamptz[]) AS d (day, ends)
JOIN founded f ON f.received_at <= d.ends AND f.spells @> d.ends
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: figures_extractions
-- What the extractor that a subject was last derived by made of the contents received, by the day of their receipt.
SELECT (r.recorded_at AT TIME ZONE 'UTC')::date AS day, x.body
FROM revisions r
JOIN episodes e ON e.tenant_id = r.tenant_id AND e.episode_id = r.episode_id
JOIN subjects s ON s.tenant_id = e.tenant_id AND s.subject_id = e.subject_id
JOIN extractions x ON x.tenant_id = r.tenant_id AND x.episode_id = r.episode_id AND x.content_hash = r.content_hash
                  AND x.extractor = s.extractor
WHERE r.tenant_id = %(tenant_id)s AND r.recorded_at >= %(since)s AND r.recorded_at <= %(now)s
  AND (%(subject_id)s::text IS NULL OR e.subject_id = %(subject_id)s);

-- name: figures_given
SELECT (recorded_at AT TIME ZONE 'UTC')::date AS day, subject_id, query,
       ARRAY(SELECT names[place] FROM unnest(given) AS place) AS given,
       ARRAY(SELECT names[place] FROM unnest(forced) AS place) AS forced
FROM traces
WHERE tenant_id = %(tenant_id)s AND recorded_at >= %(since)s AND recorded_at <= %(now)s AND query IS NOT NULL
  AND (%(subject_id)s::text IS NULL OR subject_id = %(subject_id)s);

-- name: kinds_of_memories
SELECT id, kind FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)b);
