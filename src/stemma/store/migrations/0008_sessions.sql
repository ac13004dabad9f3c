-- What conversations were given: the memories of each of their bundles, by id and without any text. It is no evidence
-- and no state: the last few bundles of a conversation are kept, for a while, and go with the subject they name. The
-- caller's name of a conversation stands here as its digest alone.
CREATE TABLE session_bundles (
    tenant_id   text COLLATE "C" NOT NULL,
    session     text COLLATE "C" NOT NULL,
    place       bigint GENERATED ALWAYS AS IDENTITY,
    subject_id  text COLLATE "C",
    recorded_at timestamptz NOT NULL,
    memory_ids  text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, session, place)
);
CREATE INDEX session_bundles_by_time ON session_bundles (tenant_id, recorded_at);
CREATE INDEX session_bundles_by_subject ON session_bundles (tenant_id, subject_id);

-- Conversations that were reset. Nothing can be told from a row but that one of this digest was, so it stays.
CREATE TABLE closed_sessions (
    tenant_id text COLLATE "C" NOT NULL,
    session   text COLLATE "C" NOT NULL,
    closed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, session)
);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['session_bundles', 'closed_sessions']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_alone ON %I USING (tenant_id = current_setting(''stemma.tenant'', true)) '
            'WITH CHECK (tenant_id = current_setting(''stemma.tenant'', true))', name);
    END LOOP;
END $$;
