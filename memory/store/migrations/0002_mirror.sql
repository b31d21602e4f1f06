-- What MEMORY.md shows and has shown. Digests only: what a person must not find here any more never was here.

CREATE TABLE mirrors (
  user_id TEXT PRIMARY KEY REFERENCES users (id),
  lineage TEXT NOT NULL,
  version INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  read TEXT NOT NULL,
  wrote TEXT NOT NULL,
  seq INTEGER NOT NULL,
  unread TEXT NOT NULL,
  asking TEXT
) WITHOUT ROWID;

-- An entry as the versions from `since` up to, not including, `until` show it.
CREATE TABLE mirror_entries (
  user_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  shown TEXT NOT NULL,
  original TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (user_id, memory_id, since)
) WITHOUT ROWID;

-- Edits of a version that were taken: what its file shows since. An entry whose `shown` is NULL is not there.
CREATE TABLE mirror_takes (
  user_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  shown TEXT,
  original TEXT,
  kind TEXT,
  PRIMARY KEY (user_id, version, memory_id)
) WITHOUT ROWID;
