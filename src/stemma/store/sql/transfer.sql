-- The whole log of a tenant in one order, and records of another log written over what is there.

-- name: export_secrets
SELECT secret_id, secret, recorded_at FROM erasure_secrets WHERE tenant_id = %(tenant_id)s ORDER BY secret_id;

-- name: export_tombstones
SELECT secret_id, digest, covers_until, erased_at
FROM tombstones
WHERE tenant_id = %(tenant_id)s
ORDER BY secret_id, digest;

-- name: export_episodes
SELECT episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key, document_corpus,
       document_external_id, document_revision, metadata, recorded_at
FROM episodes
WHERE tenant_id = %(tenant_id)s
ORDER BY episode_id;

-- name: export_extractions
SELECT e.subject_id, e.key, x.content_hash, x.extractor, x.body, x.recorded_at
FROM extractions x
JOIN episodes e ON e.tenant_id = x.tenant_id AND e.episode_id = x.episode_id
WHERE x.tenant_id = %(tenant_id)s
ORDER BY x.episode_id, x.content_hash, x.extractor;

-- name: export_acts
SELECT act_id, body FROM acts WHERE tenant_id = %(tenant_id)s ORDER BY act_id;

-- name: page_of_episode_keys
SELECT episode_id, subject_id, key, policy, business_key
FROM episodes
WHERE tenant_id = %(tenant_id)s AND episode_id > %(after)s
ORDER BY episode_id
LIMIT %(limit)s;

-- name: page_of_acts
SELECT act_id, body FROM acts
WHERE tenant_id = %(tenant_id)s AND act_id > %(after)s
ORDER BY act_id
LIMIT %(limit)s;

-- name: replace_episodes
INSERT INTO episodes (tenant_id, episode_id, subject_id, key, policy, group_id, source, speaker, said_by, business_key,
                      document_corpus, document_external_id, document_revision, metadata, recorded_at)
SELECT %(tenant_id)s, e.*
FROM unnest(%(episode_ids)b::text[], %(subjects)b::text[], %(keys)b::text[], %(policies)b::text[], %(groups)b::text[],
            %(sources)b::text[], %(speakers)b::text[], %(said_bys)b::text[], %(business_keys)b::text[],
            %(corpora)b::text[], %(external_ids)b::text[], %(pinned)b::text[], %(metadata)b::text[],
            %(recorded_ats)b::timestamptz[]) AS e
ON CONFLICT (tenant_id, episode_id) DO UPDATE
SET policy = excluded.policy, group_id = excluded.group_id, source = excluded.source, speaker = excluded.speaker,
    said_by = excluded.said_by, business_key = excluded.business_key, document_corpus = excluded.document_corpus,
    document_external_id = excluded.document_external_id, document_revision = excluded.document_revision,
    metadata = excluded.metadata, recorded_at = excluded.recorded_at;

-- name: replace_revisions
INSERT INTO revisions (tenant_id, episode_id, content_hash, content, recorded_at)
SELECT %(tenant_id)s, r.*
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(contents)b::text[], %(recorded_ats)b::timestamptz[]) AS r
ON CONFLICT (tenant_id, episode_id, content_hash) DO UPDATE
SET content = excluded.content, recorded_at = excluded.recorded_at;

-- name: replace_sayings
INSERT INTO sayings (tenant_id, episode_id, content_hash, occurred_at, offset_minutes, sound, session_id, message_times,
                     recorded_at)
SELECT %(tenant_id)s, s.*
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(occurred_ats)b::timestamptz[],
            %(offsets)b::integer[], %(sounds)b::boolean[], %(sessions)b::text[], %(message_times)b::text[],
            %(recorded_ats)b::timestamptz[]) AS s
ON CONFLICT (tenant_id, episode_id, content_hash, occurred_at) DO UPDATE
SET offset_minutes = excluded.offset_minutes, sound = excluded.sound, session_id = excluded.session_id,
    message_times = excluded.message_times, recorded_at = excluded.recorded_at;

-- name: drop_revisions
DELETE FROM revisions
WHERE tenant_id = %(tenant_id)s
  AND (episode_id, content_hash) IN (SELECT * FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[]));

-- name: drop_extractions
DELETE FROM extractions
WHERE tenant_id = %(tenant_id)s
  AND (episode_id, content_hash) IN (SELECT * FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[]));

-- name: drop_sayings
DELETE FROM sayings
WHERE tenant_id = %(tenant_id)s
  AND (episode_id, content_hash, occurred_at)
      IN (SELECT * FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(occurred_ats)b::timestamptz[]));

-- name: replace_extractions
-- The one that was stored first stands; gives the episodes whose extraction another one replaced.
INSERT INTO extractions AS x (tenant_id, episode_id, content_hash, extractor, body, recorded_at)
SELECT %(tenant_id)s, n.*
FROM unnest(%(episode_ids)b::text[], %(content_hashes)b::text[], %(extractors)b::text[], %(bodies)b::text[],
            %(recorded_ats)b::timestamptz[]) AS n (episode_id, content_hash, extractor, body, recorded_at)
JOIN revisions r ON r.tenant_id = %(tenant_id)s AND r.episode_id = n.episode_id AND r.content_hash = n.content_hash
ON CONFLICT (tenant_id, episode_id, content_hash, extractor) DO UPDATE
SET body = excluded.body, recorded_at = excluded.recorded_at
WHERE (excluded.recorded_at, convert_to(excluded.body, 'UTF8')) < (x.recorded_at, convert_to(x.body, 'UTF8'))
RETURNING episode_id;

-- name: early_subjects
-- A subject is as old as the oldest record that either log has of it.
INSERT INTO subjects (tenant_id, subject_id, recorded_at)
SELECT %(tenant_id)s, s.subject_id, min(s.recorded_at)
FROM unnest(%(subjects)b::text[], %(recorded_ats)b::timestamptz[]) AS s (subject_id, recorded_at)
GROUP BY s.subject_id
ORDER BY s.subject_id
ON CONFLICT (tenant_id, subject_id) DO UPDATE SET recorded_at = excluded.recorded_at
WHERE excluded.recorded_at < subjects.recorded_at;
