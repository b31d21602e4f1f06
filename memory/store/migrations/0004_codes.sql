-- Of every vector the 1,024 bits that nearest neighbours are looked up by, within reach of one index.
ALTER TABLE embeddings ADD COLUMN code BLOB;
UPDATE embeddings SET code = ebb_code(vector);
DROP INDEX embeddings_of_user;
CREATE INDEX embeddings_codes ON embeddings (user_id, model_id, seq, memory_n, code);

-- vec0 tables hold these codes from now on.
UPDATE embedding_models SET vec0_stale = 1;
