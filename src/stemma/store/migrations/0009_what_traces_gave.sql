-- What a bundle gave, beside its trace, so that figures over many need not unpack them: the digest of its query, and the
-- places in `names` of the memories that came, and of those among them that a rule other than relevance brought. NULL
-- for a recall, and for traces of before.
ALTER TABLE traces
    ADD COLUMN query text COLLATE "C",
    ADD COLUMN given integer[],
    ADD COLUMN forced integer[];
