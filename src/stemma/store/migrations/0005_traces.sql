-- Traces: how each answer came about, by id and number, without any text. They are no evidence and no state: they are
-- kept for a while, and go with what they name.

-- What a row's last turn made of it, and when: copies of what the row says, so that a subject is counted by reason
-- without a row being read. NULL `turned_at`: since ever.
ALTER TABLE memories ADD COLUMN status text COLLATE "C", ADD COLUMN turned_at timestamptz;

-- The policy lets a migration, which has no tenant, see no row; its owner may look past it for the length of the copy.
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT tenant_id, id, body FROM memories LOOP
        -- A body that cannot be read is named by `verify`; its columns stay empty.
        BEGIN
            UPDATE memories
            SET status = coalesce(one.body::jsonb #>> '{transitions,-1,status}', 'active'),
                turned_at = (one.body::jsonb #>> '{transitions,-1,at}')::timestamptz
            WHERE tenant_id = one.tenant_id AND id = one.id;
        EXCEPTION WHEN data_exception THEN NULL;
        END;
    END LOOP;
END $$;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;

-- `body` is the record, packed, which refers by place to `names`, every id that it names: what is erased is found there.
CREATE TABLE traces (
    tenant_id   text COLLATE "C" NOT NULL,
    trace_id    text COLLATE "C" NOT NULL,
    subject_id  text COLLATE "C",
    recorded_at timestamptz NOT NULL,
    names       bytea[] NOT NULL,
    body        bytea NOT NULL,
    PRIMARY KEY (tenant_id, trace_id)
);
-- Hashes and what is packed already: to try again would cost and gain nothing.
ALTER TABLE traces ALTER names SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL;
CREATE INDEX traces_by_time ON traces (tenant_id, recorded_at, trace_id);
CREATE INDEX traces_by_subject ON traces (tenant_id, subject_id);

ALTER TABLE traces ENABLE ROW LEVEL SECURITY;
ALTER TABLE traces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_alone ON traces USING (tenant_id = current_setting('stemma.tenant', true))
    WITH CHECK (tenant_id = current_setting('stemma.tenant', true));
