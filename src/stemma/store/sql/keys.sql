-- Keys of callers, and how many requests each was granted. Secrets never come here, only their digests.

-- name: put_key
INSERT INTO api_keys (tenant_id, key_id, digest, name, scopes, rate_limit, recorded_at, expires_at)
VALUES (%(tenant_id)s, %(key_id)s, %(digest)s, %(name)s, %(scopes)s, %(rate_limit)s, %(at)s, %(expires_at)s);

-- name: name_key
-- Row security then shows the row of this key, whose tenant is not known yet.
SELECT set_config('stemma.key', %(key_id)s, true);

-- name: presented_key
SELECT tenant_id, key_id, digest, name, scopes, rate_limit, expires_at, revoked_at
FROM api_keys
WHERE key_id = %(key_id)s;

-- name: keys_page
SELECT key_id, name, scopes, rate_limit, recorded_at, expires_at, revoked_at, last_used_at
FROM api_keys
WHERE tenant_id = %(tenant_id)s AND key_id > %(after)s
ORDER BY key_id
LIMIT %(limit)s;

-- name: revoke_key
-- A key that was revoked stays revoked since then.
UPDATE api_keys SET revoked_at = coalesce(revoked_at, %(at)s)
WHERE tenant_id = %(tenant_id)s AND key_id = %(key_id)s
RETURNING key_id, name, scopes, rate_limit, recorded_at, expires_at, revoked_at, last_used_at;

-- name: note_key_uses
UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)
FROM unnest(%(key_ids)b::text[], %(ats)b::timestamptz[]) AS u (key_id, at)
WHERE k.tenant_id = %(tenant_id)s AND k.key_id = u.key_id;

-- name: grant_request
-- One statement, so that processes that ask at once take turns at the row; no row back means that the minute is full.
-- A request counts for 60 to 61 seconds by the server's clock, which all processes share.
INSERT INTO key_rates AS r (tenant_id, key_id, second, granted)
VALUES (%(tenant_id)s, %(key_id)s, floor(extract(epoch FROM clock_timestamp()))::bigint, ARRAY[1])
ON CONFLICT (tenant_id, key_id) DO UPDATE
SET second = greatest(r.second, excluded.second),
    granted = (
        SELECT array_agg(n + (place = 1)::integer ORDER BY place)
        FROM unnest((array_fill(0, ARRAY[least(greatest(excluded.second - r.second, 0), 61)::integer]) || r.granted)[:61])
             WITH ORDINALITY AS each (n, place))
WHERE (SELECT coalesce(sum(n), 0) FROM unnest(r.granted[:61 - least(greatest(excluded.second - r.second, 0), 61)]) AS n)
      < %(rate_limit)s
RETURNING second;

-- name: seconds_until_granted
-- When the oldest request that still counts will count no more; at place p it is of `second` - p + 1.
SELECT ceil(r.second + 62 - max(place) - extract(epoch FROM clock_timestamp()))::bigint AS seconds
FROM key_rates r, unnest(r.granted) WITH ORDINALITY AS each (n, place)
WHERE r.tenant_id = %(tenant_id)s AND r.key_id = %(key_id)s AND n > 0
GROUP BY r.second;

-- name: role_of_store
SELECT rolname, rolsuper OR rolbypassrls AS passes_row_security FROM pg_roles WHERE rolname = current_user;
