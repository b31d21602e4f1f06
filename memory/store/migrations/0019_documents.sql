-- Long messages are documents of their conversation. What they say stands in `messages` alone; here are the vectors of
-- some of their passages (float16), by place. A document whose text changed is another row: nothing points at it any more.
CREATE TABLE documents (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL REFERENCES users (id),
  message_id TEXT NOT NULL UNIQUE REFERENCES messages (id),
  embedder TEXT,
  places TEXT NOT NULL DEFAULT '[]',
  vectors BLOB
);
CREATE INDEX documents_of_user ON documents (user_id, n);
-- By bytes, about what `is_document` counts in tokens.
INSERT INTO documents (user_id, message_id)
SELECT g.user_id, g.id FROM messages g JOIN sessions s ON s.id = g.session_id
WHERE g.hidden_at IS NULL AND length(CAST(g.text AS BLOB)) > 4500 AND s.scope NOT LIKE 'import:%' ORDER BY g.seq;
-- Which passages a turn was shown: [document, part, score].
ALTER TABLE recall_traces ADD COLUMN passages TEXT NOT NULL DEFAULT '[]';
