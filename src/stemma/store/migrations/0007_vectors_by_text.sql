-- A search among some documents looks up the vector of each of their passages. By the key (tenant, model, text) a look-up
-- costs twice that by the hash of the text alone, which hardly two rows share.
CREATE INDEX embeddings_by_text ON embeddings USING hash (text_hash);
