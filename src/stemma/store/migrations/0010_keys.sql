-- Keys of callers: who may ask for a tenant, and what. A key's secret is 256 random bits and stands here as its SHA-256
-- alone; its id is public. A key is never deleted: its name is the `by` of acts, and once there was one, keyless work is over.
CREATE TABLE api_keys (
    tenant_id    text COLLATE "C" NOT NULL,
    key_id       text COLLATE "C" NOT NULL,
    digest       bytea NOT NULL CHECK (octet_length(digest) = 32),
    name         text NOT NULL,
    scopes       text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'admin']),
    rate_limit   integer CHECK (rate_limit > 0),
    recorded_at  timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (tenant_id, key_id)
);
CREATE INDEX api_keys_by_id ON api_keys USING hash (key_id);

-- How many requests a key was granted in each of the last 61 seconds, `second` (since 1970) first. A crash may empty it.
CREATE UNLOGGED TABLE key_rates (
    tenant_id text COLLATE "C" NOT NULL,
    key_id    text COLLATE "C" NOT NULL,
    second    bigint NOT NULL,
    granted   integer[] NOT NULL,
    PRIMARY KEY (tenant_id, key_id)
) WITH (fillfactor = 50);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['api_keys', 'key_rates']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_alone ON %I USING (tenant_id = current_setting(''stemma.tenant'', true)) '
            'WITH CHECK (tenant_id = current_setting(''stemma.tenant'', true))', name);
    END LOOP;
END $$;

-- Whoever presents a key does not know its tenant: that one row may be read by its id.
CREATE POLICY presented ON api_keys FOR SELECT USING (key_id = current_setting('stemma.key', true));
