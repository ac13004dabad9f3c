-- Documents: corpora, heads, every revision, the passages that are searched, origins, and the event log.
-- Names may be long, so keys hold their SHA-256 in hex. Nothing refers to a document by a foreign key: an event outlives it.

-- `is_live` false: it was deleted, which is remembered so that another log's older record does not bring it back.
CREATE TABLE corpora (
    tenant_id   text COLLATE "C" NOT NULL,
    corpus_id   text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    is_live     boolean NOT NULL,
    recorded_at timestamptz NOT NULL,
    changed_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, corpus_id)
);

-- What a document is now. `revision` NULL: it is gone; then only its name and its position are left, which outlive it.
-- `changed_at` orders the heads of one document (after `position`), `revised_at` is since when the revision is this one.
-- `origin_id` is derived from the links.
CREATE TABLE documents (
    tenant_id    text COLLATE "C" NOT NULL,
    document_id  text COLLATE "C" NOT NULL,
    corpus_id    text COLLATE "C" NOT NULL,
    corpus       text COLLATE "C" NOT NULL,
    external_id  text COLLATE "C" NOT NULL,
    revision     text COLLATE "C",
    title        text,
    uri          text,
    metadata     text,
    derived_from text COLLATE "C",
    position     bigint,
    origin_id    text COLLATE "C" NOT NULL,
    recorded_at  timestamptz NOT NULL,
    changed_at   timestamptz NOT NULL,
    revised_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, document_id)
);
CREATE INDEX documents_by_corpus ON documents (tenant_id, corpus_id) WHERE revision IS NOT NULL;
CREATE INDEX documents_by_origin ON documents (tenant_id, origin_id);

-- Every content that a document ever had stays and can be opened. `reading` is what a reader made of it, without the
-- text; title, uri and metadata are those that it last had.
CREATE TABLE document_revisions (
    tenant_id   text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    revision    text COLLATE "C" NOT NULL,
    text        text NOT NULL,
    reading     text NOT NULL,
    title       text,
    uri         text,
    metadata    text,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, document_id, revision)
);

-- What is searched: pieces of the present revision of each document. Offsets count code points of its text.
CREATE TABLE passages (
    tenant_id   text COLLATE "C" NOT NULL,
    passage_id  text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    corpus_id   text COLLATE "C" NOT NULL,
    text_start  integer NOT NULL,
    text_end    integer NOT NULL,
    heading     text NOT NULL,
    lead        text NOT NULL,
    hidden      boolean NOT NULL,
    page        integer,
    tokens      integer NOT NULL,
    text_hash   bytea NOT NULL,
    analyser    text NOT NULL,
    sv          sparsevec(1000000000) NOT NULL,
    PRIMARY KEY (tenant_id, passage_id)
);
-- Read with the row where it fits; a passage of a thousand terms goes elsewhere and is still found.
ALTER TABLE passages ALTER sv SET STORAGE MAIN;
CREATE INDEX passages_by_document ON passages (tenant_id, document_id);
CREATE INDEX passages_by_corpus ON passages (tenant_id, corpus_id);
CREATE INDEX passages_by_text ON passages (tenant_id, text_hash);

-- One row a value of a document's metadata, so that a filter comes before the ranking and by an index that row security
-- lets take part.
CREATE TABLE document_tags (
    tenant_id   text COLLATE "C" NOT NULL,
    corpus_id   text COLLATE "C" NOT NULL,
    tag         text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, corpus_id, tag, document_id)
);
CREATE INDEX document_tags_by_document ON document_tags (tenant_id, document_id);

-- What near copies are found by: documents that share a band are compared by signature.
CREATE TABLE document_signatures (
    tenant_id   text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    signature   bytea NOT NULL,
    PRIMARY KEY (tenant_id, document_id)
);
CREATE TABLE document_bands (
    tenant_id   text COLLATE "C" NOT NULL,
    band        bigint NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, band, document_id)
);
CREATE INDEX document_bands_by_document ON document_bands (tenant_id, document_id);

-- What a document shares an origin with, and why: a text (its own or a near one), or what it is derived from, which need
-- not be there. Copies meet in a text, so that none of them hangs on another's staying as it is.
CREATE TABLE document_links (
    tenant_id   text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    other_id    text COLLATE "C" NOT NULL,
    reason      text NOT NULL CHECK (reason IN ('identical', 'near', 'derived')),
    PRIMARY KEY (tenant_id, document_id, other_id, reason)
);
CREATE INDEX document_links_by_other ON document_links (tenant_id, other_id);

-- One row an event id, for ever. What was sent stands as its hash: the text is the document's.
CREATE TABLE document_events (
    tenant_id    text COLLATE "C" NOT NULL,
    event_key    text COLLATE "C" NOT NULL,
    event_id     text COLLATE "C" NOT NULL,
    corpus_id    text COLLATE "C" NOT NULL,
    corpus       text COLLATE "C" NOT NULL,
    external_id  text COLLATE "C" NOT NULL,
    op           text NOT NULL,
    position     bigint,
    occurred_at  timestamptz,
    payload_hash text COLLATE "C" NOT NULL,
    status       text NOT NULL CHECK (status IN ('applied', 'superseded', 'rejected')),
    document_id  text COLLATE "C",
    note         text,
    error_code   text,
    error_detail text,
    place        integer NOT NULL,
    recorded_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, event_key)
);
CREATE INDEX document_events_by_corpus ON document_events (tenant_id, corpus_id, recorded_at, place, event_key);

-- Which episodes were learned from a document: found by a digest, since the names may be too long for an index.
ALTER TABLE episodes ADD COLUMN document_digest text COLLATE "C"
    GENERATED ALWAYS AS (md5(document_corpus || E'\x1f' || document_external_id)) STORED;
CREATE INDEX episodes_by_document ON episodes (tenant_id, document_digest) WHERE document_digest IS NOT NULL;

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['corpora', 'documents', 'document_revisions', 'passages', 'document_tags',
        'document_signatures', 'document_bands', 'document_links', 'document_events']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant_alone ON %I USING (tenant_id = current_setting(''stemma.tenant'', true)) '
            'WITH CHECK (tenant_id = current_setting(''stemma.tenant'', true))', name);
    END LOOP;
END $$;
