-- The log: what was said, when, by whom; human acts; the registry; tombstones. Nothing here is derived.
-- Texts that may be long never stand in an index: ids are SHA-256 in hex. Order of text is that of bytes everywhere.

CREATE TABLE tenants (
    tenant_id   text COLLATE "C" PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- Facts about the store as a whole, for example which embedder wrote its vectors.
CREATE TABLE store_settings (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE subjects (
    tenant_id   text COLLATE "C" NOT NULL,
    subject_id  text COLLATE "C" NOT NULL,
    state_hash  bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    extractor   text,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, subject_id)
);

CREATE TABLE episodes (
    tenant_id            text COLLATE "C" NOT NULL,
    episode_id           text COLLATE "C" NOT NULL,
    subject_id           text COLLATE "C" NOT NULL,
    key                  text COLLATE "C" NOT NULL,
    policy               text NOT NULL CHECK (policy IN ('identity', 'content', 'revision')),
    group_id             text COLLATE "C" NOT NULL,
    source               text COLLATE "C" NOT NULL,
    speaker              text,
    said_by              text NOT NULL CHECK (said_by IN ('user', 'agent')),
    business_key         text COLLATE "C",
    document_corpus      text COLLATE "C",
    document_external_id text COLLATE "C",
    document_revision    text COLLATE "C",
    metadata             text,
    recorded_at          timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, episode_id)
);
CREATE INDEX episodes_by_group ON episodes (tenant_id, subject_id, group_id);
CREATE INDEX episodes_by_subject ON episodes (tenant_id, subject_id, recorded_at, episode_id);

CREATE TABLE revisions (
    tenant_id    text COLLATE "C" NOT NULL,
    episode_id   text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    content      text NOT NULL,
    recorded_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, episode_id, content_hash)
);

-- `offset_minutes` is the zone the stamp came with: "this week" is read in it. `sound` is decided once, at the door.
CREATE TABLE sayings (
    tenant_id      text COLLATE "C" NOT NULL,
    episode_id     text COLLATE "C" NOT NULL,
    content_hash   text COLLATE "C" NOT NULL,
    occurred_at    timestamptz NOT NULL,
    offset_minutes integer NOT NULL,
    sound          boolean NOT NULL,
    session_id     text COLLATE "C",
    message_times  text,
    recorded_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, episode_id, content_hash, occurred_at)
);

CREATE TABLE extractions (
    tenant_id    text COLLATE "C" NOT NULL,
    episode_id   text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    extractor    text COLLATE "C" NOT NULL,
    body         text NOT NULL,
    recorded_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, episode_id, content_hash, extractor)
);

CREATE TABLE acts (
    tenant_id   text COLLATE "C" NOT NULL,
    act_id      text COLLATE "C" NOT NULL,
    subject_id  text COLLATE "C" NOT NULL,
    kind        text NOT NULL,
    at          timestamptz NOT NULL,
    body        text NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, act_id)
);
CREATE INDEX acts_by_subject ON acts (tenant_id, subject_id, at, act_id);

-- Which episodes an act names, so that an erasure finds it.
CREATE TABLE act_episodes (
    tenant_id  text COLLATE "C" NOT NULL,
    episode_id text COLLATE "C" NOT NULL,
    act_id     text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, episode_id, act_id)
);

CREATE TABLE sources (
    tenant_id  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    key_policy text CHECK (key_policy IN ('identity', 'content', 'revision')),
    authority  integer NOT NULL CHECK (authority BETWEEN 0 AND 100),
    set_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

CREATE TABLE claim_keys (
    tenant_id      text COLLATE "C" NOT NULL,
    name           text COLLATE "C" NOT NULL,
    cardinality    text NOT NULL CHECK (cardinality IN ('single', 'multi')),
    kind           text NOT NULL,
    policy         text,
    corroboration  integer,
    half_life_days double precision,
    set_at         timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- An HMAC under a secret of the tenant that erased: it stops a re-sync and tells nobody which key it was.
CREATE TABLE erasure_secrets (
    tenant_id   text COLLATE "C" NOT NULL,
    secret_id   text COLLATE "C" NOT NULL,
    secret      bytea NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, secret_id)
);

-- `covers_until` is set under the content policy: a later saying of the same content is a new one.
CREATE TABLE tombstones (
    tenant_id    text COLLATE "C" NOT NULL,
    secret_id    text COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    covers_until timestamptz,
    erased_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, secret_id, digest)
);

-- What a compile has not seen yet: one row a record, never shared, so that a compile deletes exactly what it read.
-- `group_id` '*' is the whole subject (registry or document changed).
CREATE TABLE dirty (
    tenant_id  text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    dirty_id   uuid NOT NULL DEFAULT gen_random_uuid(),
    group_id   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, dirty_id)
);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['subjects', 'episodes', 'revisions', 'sayings', 'extractions', 'acts', 'act_episodes',
        'sources', 'claim_keys', 'erasure_secrets', 'tombstones', 'dirty']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_alone ON %I USING (tenant_id = current_setting(''stemma.tenant'', true)) '
            'WITH CHECK (tenant_id = current_setting(''stemma.tenant'', true))', name);
    END LOOP;
END $$;
