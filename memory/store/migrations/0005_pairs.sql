-- Pairs of Chinese characters as words of their own: finding them as phrases grew with every memory there is.
DROP TABLE memories_fts;
ALTER TABLE memories_text ADD COLUMN pairs TEXT NOT NULL DEFAULT '';
UPDATE memories_text SET pairs = ebb_pairs(text);
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  owner, text, pairs, content = 'memories_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');

CREATE INDEX memories_words ON memories_text (n, words);

-- All that recall asks of a candidate before it is read, within reach of one index.
CREATE INDEX memories_gate ON memories (
  n, user_id, state, level, sensitivity, valid_from, valid_until, negated_at, kind, layer, id
);
