-- Counts what left or changed in a user's text index, so that what is kept of it in memory knows what it has missed.
CREATE TABLE text_clock (
  user_id TEXT PRIMARY KEY,
  edits INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- "What is due next week?": memories by the times they speak of.
CREATE INDEX memories_valid ON memories (user_id, valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX memories_due ON memories (user_id, expires_at) WHERE expires_at IS NOT NULL;
