-- vec0 tables hold one bit for each number of a vector, above or below the model's mean: no code stands beside it.
ALTER TABLE embeddings RENAME TO embeddings_before;
CREATE TABLE embeddings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  vector BLOB NOT NULL,
  UNIQUE (memory_n, model_id)
);
INSERT INTO embeddings SELECT seq, user_id, memory_n, model_id, vector FROM embeddings_before;
DROP TABLE embeddings_before;
CREATE INDEX embeddings_of_user ON embeddings (user_id, model_id, seq, memory_n);

-- The mean of a model's vectors, measured once there are enough.
ALTER TABLE embedding_models ADD COLUMN centre BLOB;
UPDATE embedding_models SET vec0_stale = 1;
