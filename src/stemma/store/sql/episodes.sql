-- Writing episodes with their revisions and sayings, and reading them by key, id or subject. A derivation reads by `log`.

-- name: share_log
-- Held by every write of episodes, so that an erasure, which takes it alone, never meets a half-written one.
SELECT pg_advisory_xact_lock_shared(%(key)s);

-- name: hold_log
SELECT pg_advisory_xact_lock(%(key)s);

-- name: hold_events
-- Writers of one business event take turns; else two of its keys could each believe to be the first.
SELECT pg_advisory_xact_lock(k) FROM unnest(%(keys)b::bigint[]) AS k ORDER BY k;

-- name: put_tenant
INSERT INTO tenants (tenant_id, recorded_at) VALUES (%(tenant_id)s, %(at)s) ON CONFLICT DO NOTHING;

-- name: put_subjects
INSERT INTO subjects (tenant_id, subject_id, recorded_at)
SELECT %(tenant_id)s, s, %(at)s FROM unnest(%(subjects)b::text[]) AS s
ON CONFLICT DO NOTHING;

-- name: known_episodes
SELECT episode_id, policy, group_id, business_key, document_revision
FROM episodes
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: known_revisions
SELECT r.episode_id, r.content_hash
FROM revisions r
WHERE r.tenant_id = %(tenant_id)s
  AND (r.episode_id, r.content_hash) IN (SELECT * FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[]));

-- name: known_sayings
SELECT s.episode_id, s.content_hash, s.occurred_at
FROM sayings s
WHERE s.tenant_id = %(tenant_id)s
  AND (s.episode_id, s.content_hash, s.occurred_at)
      IN (SELECT * FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(occurred_ats)b::timestamptz[]));

-- name: current_revisions
-- Of each key: sound before marked, then the latest time, then the greatest hash.
SELECT DISTINCT ON (episode_id) episode_id, content_hash, occurred_at, sound
FROM sayings
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b)
ORDER BY episode_id, sound DESC, occurred_at DESC, content_hash DESC;

-- name: first_of_groups
-- The member of each business event that was there first.
SELECT DISTINCT ON (e.subject_id, e.group_id) e.subject_id, e.group_id, e.episode_id, e.recorded_at
FROM episodes e
WHERE e.tenant_id = %(tenant_id)s
  AND (e.subject_id, e.group_id) IN (SELECT * FROM unnest(%(subjects)b::text[], %(groups)b::text[]))
ORDER BY e.subject_id, e.group_id, e.recorded_at, e.episode_id;

-- name: add_episodes
INSERT INTO episodes (tenant_id, episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key,
                      document_corpus, document_external_id, document_revision, metadata, recorded_at)
SELECT %(tenant_id)s, e.*
FROM unnest(%(episode_ids)b::text[], %(subjects)b::text[], %(keys)b::text[], %(policies)b::text[], %(groups)b::text[],
            %(sources)b::text[], %(speakers)b::text[], %(said_bys)b::text[], %(business_keys)b::text[],
            %(corpora)b::text[], %(external_ids)b::text[], %(pinned)b::text[], %(metadata)b::text[],
            %(recorded_ats)b::timestamptz[]) AS e
ON CONFLICT DO NOTHING;

-- name: add_revisions
INSERT INTO revisions (tenant_id, episode_id, content_hash, content, recorded_at)
SELECT %(tenant_id)s, r.*
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(contents)b::text[], %(recorded_ats)b::timestamptz[]) AS r
ON CONFLICT DO NOTHING;

-- name: add_sayings
INSERT INTO sayings (tenant_id, episode_id, content_hash, occurred_at, offset_minutes, sound, session_id, message_times,
                     recorded_at)
SELECT %(tenant_id)s, s.*
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(occurred_ats)b::timestamptz[],
            %(offsets)b::integer[], %(sounds)b::boolean[], %(sessions)b::text[], %(message_times)b::text[],
            %(recorded_ats)b::timestamptz[]) AS s
ON CONFLICT DO NOTHING;

-- name: pin_anew
UPDATE episodes SET document_revision = n.revision
FROM unnest(%(episode_ids)b::text[], %(revisions)b::text[]) AS n (episode_id, revision)
WHERE episodes.tenant_id = %(tenant_id)s AND episodes.episode_id = n.episode_id;

-- name: add_dirty_groups
INSERT INTO dirty (tenant_id, subject_id, group_id)
SELECT %(tenant_id)s, d.* FROM unnest(%(subjects)b::text[], %(groups)b::text[]) AS d;

-- name: episodes_of_subject
SELECT episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key, document_corpus,
       document_external_id, document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND (recorded_at, episode_id) > (%(after_at)s, %(after_id)s)
ORDER BY recorded_at, episode_id
LIMIT %(limit)s;

-- name: episodes_by_id
SELECT episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key, document_corpus,
       document_external_id, document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b)
ORDER BY episode_id;

-- name: extractions_of_episode
SELECT content_hash, extractor, body
FROM extractions
WHERE tenant_id = %(tenant_id)s AND episode_id = %(episode_id)s
ORDER BY extractor, content_hash;
