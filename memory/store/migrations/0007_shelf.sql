-- What a user's memories are looked through by is kept in memory: `touched` says what has to be read anew.
CREATE TABLE touched (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  n INTEGER NOT NULL
);
CREATE INDEX touched_of_user ON touched (user_id, seq, n);

CREATE TRIGGER memories_came AFTER INSERT ON memories BEGIN
  INSERT INTO touched (user_id, n) VALUES (NEW.user_id, NEW.n);
END;
CREATE TRIGGER memories_went AFTER DELETE ON memories BEGIN
  INSERT INTO touched (user_id, n) VALUES (OLD.user_id, OLD.n);
END;
CREATE TRIGGER memories_changed AFTER UPDATE ON memories
WHEN (NEW.state, NEW.level, NEW.kind, NEW.layer, NEW.sensitivity, NEW.created_at, NEW.original_content, NEW.entities)
  <> (OLD.state, OLD.level, OLD.kind, OLD.layer, OLD.sensitivity, OLD.created_at, OLD.original_content, OLD.entities)
  OR NEW.negated_at IS NOT OLD.negated_at
  OR NEW.valid_from IS NOT OLD.valid_from
  OR NEW.valid_until IS NOT OLD.valid_until
  OR NEW.expires_at IS NOT OLD.expires_at
  OR NEW.source_session IS NOT OLD.source_session
BEGIN
  INSERT INTO touched (user_id, n) VALUES (NEW.user_id, NEW.n);
END;

-- Nothing looks a candidate up by these any more.
DROP INDEX memories_gate;
DROP INDEX memories_valid;
DROP INDEX memories_due;
-- All of a user's, in the order they were made.
CREATE INDEX memories_of_user ON memories (user_id);

-- Of each memory the terms that recall looks for, as numbers: 32 bits each. FTS5 is left the search box.
DROP TABLE memories_fts;
DROP INDEX memories_words;
ALTER TABLE memories_text RENAME TO memories_text_before;
CREATE TABLE memories_text (
  n INTEGER PRIMARY KEY REFERENCES memories (n),
  owner TEXT NOT NULL,
  text TEXT NOT NULL,
  words INTEGER NOT NULL,
  terms BLOB NOT NULL
);
INSERT INTO memories_text
  SELECT t.n, t.owner, t.text, MAX(t.words, 1), ebb_terms(m.original_content)
  FROM memories_text_before t JOIN memories m ON m.n = t.n;
DROP TABLE memories_text_before;
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  owner, text, content = 'memories_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
DROP TABLE text_clock;
