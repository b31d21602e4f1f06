-- The search box asks the words themselves and the terms that recall looks for; no second index holds the words.
UPDATE memories_fts_config SET v = 4 WHERE k = 'version'; -- an older SQLite refuses to open a newer one's table
DROP TABLE memories_fts;
ALTER TABLE memories_text RENAME TO memories_text_before;
CREATE TABLE memories_text (
  n INTEGER PRIMARY KEY REFERENCES memories (n),
  words INTEGER NOT NULL,
  terms BLOB NOT NULL
);
INSERT INTO memories_text SELECT n, words, terms FROM memories_text_before;
DROP TABLE memories_text_before;
