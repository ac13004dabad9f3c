-- A tombstone is all that is left of what was erased, so nothing else would tell that one is gone: each is entered twice.
-- Both tables are written in one statement's breath, and `verify` holds them equal.

CREATE TABLE tombstone_witnesses (
    tenant_id    text COLLATE "C" NOT NULL,
    secret_id    text COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    covers_until timestamptz,
    erased_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, secret_id, digest)
);

-- The policy lets a migration, which has no tenant, see no row; its owner may look past it for the length of the copy.
ALTER TABLE tombstones NO FORCE ROW LEVEL SECURITY;
INSERT INTO tombstone_witnesses (tenant_id, secret_id, digest, covers_until, erased_at)
SELECT tenant_id, secret_id, digest, covers_until, erased_at FROM tombstones;
ALTER TABLE tombstones FORCE ROW LEVEL SECURITY;

ALTER TABLE tombstone_witnesses ENABLE ROW LEVEL SECURITY;
ALTER TABLE tombstone_witnesses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_alone ON tombstone_witnesses USING (tenant_id = current_setting('stemma.tenant', true))
    WITH CHECK (tenant_id = current_setting('stemma.tenant', true));
