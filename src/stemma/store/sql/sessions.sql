-- Conversations: which memories their last bundles gave, and which of them were reset.

-- name: closed_session
SELECT session FROM closed_sessions WHERE tenant_id = %(tenant_id)s AND session = %(session)s;

-- name: close_session
INSERT INTO closed_sessions (tenant_id, session, closed_at)
VALUES (%(tenant_id)s, %(session)s, %(at)s)
ON CONFLICT (tenant_id, session) DO NOTHING;

-- name: bundles_of_session
-- The newest first.
SELECT memory_ids FROM session_bundles
WHERE tenant_id = %(tenant_id)s AND session = %(session)s AND recorded_at >= %(since)s
ORDER BY place DESC
LIMIT %(most)s;

-- name: put_session_bundle
-- None where the conversation was reset meanwhile.
INSERT INTO session_bundles (tenant_id, session, subject_id, recorded_at, memory_ids)
SELECT %(tenant_id)s, %(session)s, %(subject_id)s, %(at)s, %(memory_ids)b::text[]
WHERE NOT EXISTS (SELECT FROM closed_sessions WHERE tenant_id = %(tenant_id)s AND session = %(session)s);

-- name: erase_older_bundles_of_session
DELETE FROM session_bundles
WHERE tenant_id = %(tenant_id)s AND session = %(session)s
  AND place <= (SELECT place FROM session_bundles
                WHERE tenant_id = %(tenant_id)s AND session = %(session)s
                ORDER BY place DESC
                OFFSET %(kept)s LIMIT 1);

-- name: erase_bundles_of_session
DELETE FROM session_bundles WHERE tenant_id = %(tenant_id)s AND session = %(session)s;

-- name: erase_session_bundles_of_subject
DELETE FROM session_bundles WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: take_out_of_session_bundles
-- A bundle that gave what is erased still was one; it names it no more.
UPDATE session_bundles
SET memory_ids = ARRAY(SELECT each FROM unnest(memory_ids) AS each WHERE each <> ALL(%(memory_ids)b::text[]))
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND memory_ids && %(memory_ids)b::text[];

-- name: prune_session_bundles
DELETE FROM session_bundles WHERE tenant_id = %(tenant_id)s AND recorded_at < %(oldest)s;
