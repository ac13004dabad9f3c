-- name: subject_news
-- One row tells a compile that there is nothing to do: no dirty row, and derived by the present extractor.
SELECT s.state_hash, s.extractor,
       EXISTS (SELECT FROM dirty d WHERE d.tenant_id = s.tenant_id AND d.subject_id = s.subject_id) AS dirty
FROM subjects s
WHERE s.tenant_id = %(tenant_id)s AND s.subject_id = %(subject_id)s;

-- name: subjects_with_news
SELECT s.subject_id
FROM subjects s
WHERE s.tenant_id = %(tenant_id)s AND s.subject_id > %(after)s
  AND (s.extractor IS DISTINCT FROM %(extractor)s
       OR EXISTS (SELECT FROM dirty d WHERE d.tenant_id = s.tenant_id AND d.subject_id = s.subject_id))
ORDER BY s.subject_id
LIMIT %(limit)s;

-- name: tenant_names
-- Store-wide: the background compile visits every tenant.
SELECT tenant_id FROM tenants ORDER BY tenant_id;

-- name: dirty_groups
SELECT group_id
FROM dirty
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
ORDER BY dirty_id
LIMIT %(limit)s;

-- name: dirty_rows
-- Every dirty row of some groups, so that no group is derived twice for one backlog.
SELECT dirty_id, group_id
FROM dirty
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b::text[]);

-- name: uncompiled_count
SELECT count(DISTINCT group_id) AS uncompiled
FROM dirty
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: uncompiled_of_tenant
-- Two subjects may name their groups alike.
SELECT count(DISTINCT (subject_id, group_id)) AS uncompiled
FROM dirty
WHERE tenant_id = %(tenant_id)s;

-- name: add_dirty
INSERT INTO dirty (tenant_id, subject_id, group_id)
SELECT %(tenant_id)s, %(subject_id)s, unnest(%(groups)b::text[]);

-- name: clear_dirty
DELETE FROM dirty
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND dirty_id = ANY(%(dirty_ids)b);

-- name: set_subject_state
UPDATE subjects SET state_hash = %(state_hash)s, extractor = %(extractor)s
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: group_ids_of_subject
SELECT group_id FROM episodes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
UNION
SELECT group_id FROM points WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: group_ids_of_episodes
SELECT DISTINCT group_id FROM episodes
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: episodes_of_groups
SELECT episode_id, subject_id, key, policy, source, speaker, said_by, business_key, document_corpus, document_external_id,
       document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b)
ORDER BY episode_id;

-- name: pinned_episodes
SELECT episode_id, subject_id, key, policy, source, speaker, said_by, business_key, document_corpus, document_external_id,
       document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b) AND document_digest IS NOT NULL
ORDER BY episode_id;

-- name: revisions_of_episodes
SELECT episode_id, content_hash, content, recorded_at
FROM revisions
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b)
ORDER BY episode_id, content_hash;

-- name: sayings_of_episodes
SELECT episode_id, content_hash, occurred_at, offset_minutes, sound, session_id, message_times, recorded_at
FROM sayings
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b)
ORDER BY episode_id, content_hash, occurred_at;

-- name: extractions_of_episodes
SELECT episode_id, content_hash, body
FROM extractions
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b) AND extractor = %(extractor)s;

-- name: put_extractions
-- The first commit stands. The lock keeps an erasure at the same time from leaving a text behind.
INSERT INTO extractions (tenant_id, episode_id, content_hash, extractor, body, recorded_at)
SELECT %(tenant_id)s, e.episode_id, e.content_hash, %(extractor)s, e.body, %(recorded_at)s
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(bodies)b::text[]) AS e (episode_id, content_hash, body)
JOIN revisions r ON r.tenant_id = %(tenant_id)s AND r.episode_id = e.episode_id AND r.content_hash = e.content_hash
FOR SHARE OF r
ON CONFLICT DO NOTHING;

-- name: points_of_groups
SELECT point_id, unit, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b);

-- name: points_of_subject
SELECT point_id, unit, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: points_of_units
SELECT point_id, unit, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND unit = ANY(%(units)b);

-- name: points_of_blocks
SELECT point_id, unit, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND block = ANY(%(blocks)b);

-- name: points_of_conversations
SELECT point_id, unit, body FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND conversation = ANY(%(conversations)b);

-- name: conversations_with_wrong
SELECT DISTINCT conversation FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND act IN ('wrong', 'wrong_last')
  AND conversation = ANY(%(conversations)b);

-- name: put_points
INSERT INTO points (tenant_id, subject_id, point_id, group_id, unit, block, conversation, act, body)
SELECT %(tenant_id)s, %(subject_id)s, p.point_id, p.group_id, p.unit, p.block, p.conversation, p.act, p.body
FROM unnest(%(point_ids)b::text[], %(groups)b::text[], %(units)b::text[], %(blocks)b::text[], %(conversations)b::text[],
            %(acts)b::text[], %(bodies)b::text[]) AS p (point_id, group_id, unit, block, conversation, act, body)
ON CONFLICT (tenant_id, subject_id, point_id) DO UPDATE
SET group_id = excluded.group_id, unit = excluded.unit, block = excluded.block, conversation = excluded.conversation,
    body = excluded.body;

-- name: delete_points
DELETE FROM points
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND point_id = ANY(%(point_ids)b);

-- name: wipe_points
DELETE FROM points WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: acts_in_order
SELECT body FROM acts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s
ORDER BY at, act_id;

-- name: analyze_state
-- Store-wide: after a large step the planner must not go by the size that the tables had before.
ANALYZE episodes, revisions, sayings, extractions, points, memories, evidence, decisions, lex;
