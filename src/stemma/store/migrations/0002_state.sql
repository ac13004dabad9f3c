-- What is derived from the log, and the journal of what once was. Every row here can be computed again.

-- `block` is that of frames which may rule on one another; a statement with a claim key has none.
CREATE TABLE points (
    tenant_id    text COLLATE "C" NOT NULL,
    subject_id   text COLLATE "C" NOT NULL,
    point_id     text COLLATE "C" NOT NULL,
    group_id     text COLLATE "C" NOT NULL,
    unit         text COLLATE "C" NOT NULL,
    block        text COLLATE "C",
    conversation text COLLATE "C" NOT NULL,
    act          text NOT NULL,
    body         text NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, point_id)
);
CREATE INDEX points_by_group ON points (tenant_id, subject_id, group_id);
CREATE INDEX points_by_unit ON points (tenant_id, subject_id, unit);
CREATE INDEX points_by_block ON points (tenant_id, subject_id, block) WHERE block IS NOT NULL;
CREATE INDEX points_by_conversation ON points (tenant_id, subject_id, conversation);
CREATE INDEX points_wrong_last ON points (tenant_id, subject_id, conversation) WHERE act = 'wrong_last';

-- `body` is the whole row; the columns are what a query filters or sorts on. `derived` false: the row is journal, the
-- present versions no longer derive it.
CREATE TABLE memories (
    tenant_id    text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    subject_id   text COLLATE "C" NOT NULL,
    unit         text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    claim_key    text COLLATE "C",
    value_hash   bytea NOT NULL,
    spells       tstzmultirange NOT NULL,
    valid        tstzrange NOT NULL,
    last_said_at timestamptz NOT NULL,
    body         text NOT NULL,
    row_hash     bytea NOT NULL,
    derived      boolean NOT NULL DEFAULT true,
    derived_at   timestamptz NOT NULL,
    undone_at    timestamptz,
    extractor    text NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX memories_by_subject ON memories (tenant_id, subject_id, id);
CREATE INDEX memories_by_unit ON memories (tenant_id, subject_id, unit);
CREATE INDEX memories_by_claim ON memories (tenant_id, claim_key, value_hash) WHERE claim_key IS NOT NULL;

CREATE TABLE evidence (
    tenant_id   text COLLATE "C" NOT NULL,
    memory_id   text COLLATE "C" NOT NULL,
    evidence_id text COLLATE "C" NOT NULL,
    episode_id  text COLLATE "C" NOT NULL,
    body        text NOT NULL,
    PRIMARY KEY (tenant_id, memory_id, evidence_id)
);
CREATE INDEX evidence_by_episode ON evidence (tenant_id, episode_id);

CREATE TABLE decisions (
    tenant_id  text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    unit       text COLLATE "C" NOT NULL,
    winner_id  text COLLATE "C",
    loser_id   text COLLATE "C" NOT NULL,
    body       text NOT NULL,
    row_hash   bytea NOT NULL,
    extractor  text NOT NULL,
    undone_at  timestamptz,
    PRIMARY KEY (tenant_id, id, decided_at)
);
CREATE UNIQUE INDEX decisions_standing ON decisions (tenant_id, id) WHERE undone_at IS NULL;
CREATE INDEX decisions_by_subject ON decisions (tenant_id, subject_id, decided_at, id);
CREATE INDEX decisions_by_unit ON decisions (tenant_id, subject_id, unit);
CREATE INDEX decisions_by_loser ON decisions (tenant_id, loser_id);
CREATE INDEX decisions_by_winner ON decisions (tenant_id, winner_id);

CREATE TABLE conflicts (
    tenant_id  text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    unit       text COLLATE "C" NOT NULL,
    body       text NOT NULL,
    row_hash   bytea NOT NULL,
    opened_at  timestamptz NOT NULL,
    closed_at  timestamptz,
    derived    boolean NOT NULL DEFAULT true,
    undone_at  timestamptz,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX conflicts_by_subject ON conflicts (tenant_id, subject_id, id);
CREATE INDEX conflicts_by_unit ON conflicts (tenant_id, subject_id, unit);

-- Why a unit was not ruled on (too many neighbours): a function of the log like the rows, so that `verify` can compare.
CREATE TABLE unit_notes (
    tenant_id  text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    unit       text COLLATE "C" NOT NULL,
    note       text NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, unit, note)
);

-- Use is recorded and never read by a score.
CREATE TABLE uses (
    tenant_id        text COLLATE "C" NOT NULL,
    memory_id        text COLLATE "C" NOT NULL,
    recall_count     bigint NOT NULL,
    last_recalled_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, memory_id)
);

-- Terms of the lexical leg; a search begins at the subject, since row security lets no index on terms take part.
-- A long text is several items of one owner; its score is their maximum. `stands` is when a memory stands, so that a
-- search at any moment is filtered before it ranks; an episode always does.
CREATE TABLE lex (
    tenant_id  text COLLATE "C" NOT NULL,
    item_kind  text COLLATE "C" NOT NULL CHECK (item_kind IN ('memory', 'episode')),
    item_id    text COLLATE "C" NOT NULL,
    owner_id   text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    stands     tstzmultirange NOT NULL,
    text_hash  bytea NOT NULL,
    analyser   text NOT NULL,
    terms      integer[] NOT NULL,
    sv         sparsevec(1000000000) NOT NULL,
    PRIMARY KEY (tenant_id, item_kind, item_id)
);
ALTER TABLE lex ALTER terms SET STORAGE PLAIN, ALTER sv SET STORAGE PLAIN;
CREATE INDEX lex_by_owner ON lex (tenant_id, owner_id);
CREATE INDEX lex_by_subject ON lex (tenant_id, subject_id, item_kind);
CREATE INDEX lex_by_text ON lex (tenant_id, text_hash);

-- Vectors of two models never meet: the model is part of the key. What a row's text is stands as its hash.
CREATE TABLE embeddings (
    tenant_id text COLLATE "C" NOT NULL,
    model_id  text COLLATE "C" NOT NULL,
    text_hash bytea NOT NULL,
    emb       halfvec NOT NULL,
    PRIMARY KEY (tenant_id, model_id, text_hash)
);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['points', 'memories', 'evidence', 'decisions', 'conflicts',
        'unit_notes', 'uses', 'lex', 'embeddings']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_alone ON %I USING (tenant_id = current_setting(''stemma.tenant'', true)) '
            'WITH CHECK (tenant_id = current_setting(''stemma.tenant'', true))', name);
    END LOOP;
END $$;
