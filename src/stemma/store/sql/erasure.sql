-- Tombstones, and taking out of every table what an erasure names: what rests on an erased record goes with it.

-- name: erasure_secrets
SELECT secret_id, secret, recorded_at FROM erasure_secrets WHERE tenant_id = %(tenant_id)s ORDER BY recorded_at, secret_id;

-- name: add_erasure_secrets
INSERT INTO erasure_secrets (tenant_id, secret_id, secret, recorded_at)
SELECT %(tenant_id)s, s.*
FROM unnest(%(secret_ids)b::text[], %(secrets)b::bytea[], %(recorded_ats)b::timestamptz[]) AS s
ON CONFLICT DO NOTHING;

-- name: tombstones_by_digest
SELECT secret_id, digest, covers_until, erased_at
FROM tombstones
WHERE tenant_id = %(tenant_id)s
  AND (secret_id, digest) IN (SELECT * FROM unnest(%(secret_ids)b::text[], %(digests)b::bytea[]));

-- name: put_tombstones
-- The wider cover stands: none (for ever) before any time, the later before the earlier. No row back means nothing new.
INSERT INTO tombstones AS t (tenant_id, secret_id, digest, covers_until, erased_at)
SELECT %(tenant_id)s, n.*
FROM unnest(%(secret_ids)b::text[], %(digests)b::bytea[], %(covers)b::timestamptz[], %(erased_ats)b::timestamptz[]) AS n
ON CONFLICT (tenant_id, secret_id, digest) DO UPDATE
SET covers_until = CASE WHEN t.covers_until IS NULL OR excluded.covers_until IS NULL THEN NULL
                        ELSE greatest(t.covers_until, excluded.covers_until) END,
    erased_at = least(t.erased_at, excluded.erased_at)
WHERE (t.covers_until IS NOT NULL AND (excluded.covers_until IS NULL OR excluded.covers_until > t.covers_until))
   OR excluded.erased_at < t.erased_at
RETURNING digest;

-- name: put_tombstone_witnesses
-- The second entry of the same tombstones, joined by the same rule.
INSERT INTO tombstone_witnesses AS t (tenant_id, secret_id, digest, covers_until, erased_at)
SELECT %(tenant_id)s, n.*
FROM unnest(%(secret_ids)b::text[], %(digests)b::bytea[], %(covers)b::timestamptz[], %(erased_ats)b::timestamptz[]) AS n
ON CONFLICT (tenant_id, secret_id, digest) DO UPDATE
SET covers_until = CASE WHEN t.covers_until IS NULL OR excluded.covers_until IS NULL THEN NULL
                        ELSE greatest(t.covers_until, excluded.covers_until) END,
    erased_at = least(t.erased_at, excluded.erased_at)
WHERE (t.covers_until IS NOT NULL AND (excluded.covers_until IS NULL OR excluded.covers_until > t.covers_until))
   OR excluded.erased_at < t.erased_at;

-- name: keys_of_subject
-- Every key and business key, and the last time that each was said at.
SELECT e.key, e.business_key, e.policy,
       (SELECT max(s.occurred_at) FROM sayings s
        WHERE s.tenant_id = e.tenant_id AND s.episode_id = e.episode_id) AS last_said_at
FROM episodes e
WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s
ORDER BY e.episode_id;

-- name: keys_of_episodes
SELECT e.key, e.business_key, e.policy,
       (SELECT max(s.occurred_at) FROM sayings s
        WHERE s.tenant_id = e.tenant_id AND s.episode_id = e.episode_id) AS last_said_at
FROM episodes e
WHERE e.tenant_id = %(tenant_id)s AND e.episode_id = ANY(%(episode_ids)b)
ORDER BY e.episode_id;

-- name: episodes_of_events
SELECT episode_id, group_id FROM episodes
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b);

-- name: erase_sayings
DELETE FROM sayings WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: erase_revisions
DELETE FROM revisions WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: erase_extractions
-- After the revisions: whoever stores an extraction holds its revision, so that none is stored behind our back.
DELETE FROM extractions WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: erase_episodes
DELETE FROM episodes WHERE tenant_id = %(tenant_id)s AND episode_id = ANY(%(episode_ids)b);

-- name: erase_points
DELETE FROM points WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b);

-- name: erase_dirty
DELETE FROM dirty WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND group_id = ANY(%(groups)b);

-- name: erase_lone_notes
-- Notes of units that have no point any more.
DELETE FROM unit_notes n
WHERE n.tenant_id = %(tenant_id)s AND n.subject_id = %(subject_id)s
  AND NOT EXISTS (SELECT FROM points p
                  WHERE p.tenant_id = n.tenant_id AND p.subject_id = n.subject_id AND p.unit = n.unit);

-- name: memories_resting_on
-- `alone`: no other episode is under it. A journal row without evidence may rest on anything, so it counts as resting alone.
SELECT m.id, m.derived, m.row_hash,
       NOT EXISTS (SELECT FROM evidence o
                   WHERE o.tenant_id = m.tenant_id AND o.memory_id = m.id AND NOT o.episode_id = ANY(%(episode_ids)b)) AS alone
FROM memories m
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s
  AND (m.id IN (SELECT e.memory_id FROM evidence e
                WHERE e.tenant_id = %(tenant_id)s AND e.episode_id = ANY(%(episode_ids)b))
       OR (NOT m.derived AND NOT EXISTS (SELECT FROM evidence e WHERE e.tenant_id = m.tenant_id AND e.memory_id = m.id)));

-- name: decisions_to_search
SELECT id, decided_at, winner_id, loser_id, body, row_hash, undone_at
FROM decisions
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: conflicts_to_search
SELECT id, body, row_hash, derived FROM conflicts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_memories
DELETE FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)b);

-- name: erase_evidence
DELETE FROM evidence WHERE tenant_id = %(tenant_id)s AND memory_id = ANY(%(ids)b);

-- name: erase_uses
DELETE FROM uses WHERE tenant_id = %(tenant_id)s AND memory_id = ANY(%(ids)b);

-- name: erase_decisions
DELETE FROM decisions d
USING unnest(%(ids)b::text[], %(decided_ats)b::timestamptz[]) AS n (id, decided_at)
WHERE d.tenant_id = %(tenant_id)s AND d.id = n.id AND d.decided_at = n.decided_at;

-- name: erase_conflicts
DELETE FROM conflicts WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)b);

-- name: state_hash_for_update
SELECT state_hash FROM subjects WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s FOR UPDATE;

-- name: set_state_hash
UPDATE subjects SET state_hash = %(state_hash)s WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_sayings
DELETE FROM sayings s
USING episodes e
WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s
  AND s.tenant_id = e.tenant_id AND s.episode_id = e.episode_id;

-- name: erase_subject_revisions
DELETE FROM revisions r
USING episodes e
WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s
  AND r.tenant_id = e.tenant_id AND r.episode_id = e.episode_id;

-- name: erase_subject_extractions
DELETE FROM extractions x
USING episodes e
WHERE e.tenant_id = %(tenant_id)s AND e.subject_id = %(subject_id)s
  AND x.tenant_id = e.tenant_id AND x.episode_id = e.episode_id;

-- name: erase_subject_episodes
DELETE FROM episodes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: act_ids_of_subject
SELECT act_id FROM acts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s ORDER BY act_id;

-- name: erase_subject_evidence
DELETE FROM evidence e
USING memories m
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s AND e.tenant_id = m.tenant_id AND e.memory_id = m.id;

-- name: erase_subject_uses
DELETE FROM uses u
USING memories m
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s AND u.tenant_id = m.tenant_id AND u.memory_id = m.id;

-- name: erase_subject_memories
DELETE FROM memories WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_decisions
DELETE FROM decisions WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_conflicts
DELETE FROM conflicts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_notes
DELETE FROM unit_notes WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_points
DELETE FROM points WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_lexical
DELETE FROM lex WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s RETURNING text_hash;

-- name: erase_subject_dirty
DELETE FROM dirty WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;

-- name: erase_subject_row
DELETE FROM subjects WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s;
