-- Tombstones, and taking out of every table what an erasure names. Rows that rest on an erased record go in the same transaction.

-- name: erasure_secrets
SELECT secret_id, secret, recorded_at FROM erasure_secrets WHERE tenant_id = %(tenant_id)s ORDER BY recorded_at, secret_id;

-- name: add_erasure_secrets
INSERT INTO erasure_secrets (tenant_id, secret_id, secret, recorded_at)
SELECT %(tenant_id)s, s.*
FROM unnest(%(secret_ids)s::text[], %(secrets)s::bytea[], %(recorded_ats)s::timestamptz[]) AS s
ON CONFLICT DO NOTHING;

-- name: tombstones_by_digest
SELECT secret_id, digest, covers_until, erased_at
FROM tombstones
WHERE tenant_id = %(tenant_id)s
  AND (secret_id, digest) IN (SELECT * FROM unnest(%(secret_ids)s::text[], %(digests)s::bytea[]));

-- name: put_tombstones
-- The wider cover stands: none (for ever) before any time, the later before the earlier. No row back means nothing new.
INSERT INTO tombstones AS t (tenant_id, secret_id, digest, covers_until, erased_at)
SELECT %(tenant_id)s, n.*
FROM unnest(%(secret_ids)s::text[], %(digests)s::bytea[], %(covers)s::timestamptz[], %(erased_ats)s::timestamptz[]) AS n
ON CONFLICT (tenant_id, secret_id, digest) DO UPDATE
SET covers_until = CASE WHEN t.covers_until IS NULL OR excluded.covers_until IS NULL THEN NULL
                        ELSE greatest(t.covers_until, excluded.covers_until) END,
    erased_at = least(t.erased_at, excluded.erased_at)
WHERE (t.covers_until IS NOT NULL AND (excluded.covers_until IS NULL OR excluded.covers_until > t.covers_until))
   OR excluded.erased_at < t.erased_at
RETURNING digest;
