-- Times are integer UTC milliseconds; lists and maps are JSON; booleans are 0 and 1.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE used_ids (id TEXT PRIMARY KEY, erased INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  lang TEXT,
  tz TEXT,
  settings TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE identities (
  provider TEXT NOT NULL,
  external_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (provider, external_id)
);

CREATE TABLE sessions (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  scope TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open',
  title TEXT NOT NULL DEFAULT '',
  closed_at INTEGER,
  closed_why TEXT NOT NULL DEFAULT '',
  running_summary TEXT NOT NULL DEFAULT '',
  planned_through INTEGER NOT NULL DEFAULT 0,
  summarised_through INTEGER NOT NULL DEFAULT 0,
  extracted_through INTEGER NOT NULL DEFAULT 0,
  profile TEXT
);
CREATE UNIQUE INDEX sessions_open ON sessions (user_id, scope) WHERE state = 'open';
CREATE INDEX sessions_newest ON sessions (user_id, scope, n);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  session_id TEXT NOT NULL REFERENCES sessions (id),
  turn_id TEXT,
  author_user_id TEXT,
  role TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  tz TEXT NOT NULL,
  status TEXT NOT NULL,
  hidden_at INTEGER,
  reply_to TEXT
);
CREATE INDEX messages_of_session ON messages (session_id, seq);
CREATE INDEX messages_of_turn ON messages (user_id, turn_id);

CREATE TABLE turns (
  user_id TEXT NOT NULL REFERENCES users (id),
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  origin TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  user_message_id TEXT NOT NULL,
  leased_by TEXT NOT NULL,
  leased_until INTEGER NOT NULL,
  ended_at INTEGER,
  reply_message_id TEXT,
  error TEXT NOT NULL DEFAULT '',
  retry_after REAL,
  PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX turns_open ON turns (user_id, scope) WHERE state = 'open';

CREATE TABLE memories (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  content TEXT NOT NULL,
  original_content TEXT NOT NULL,
  language TEXT NOT NULL,
  layer TEXT NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_activated_at INTEGER NOT NULL,
  curve TEXT NOT NULL,
  strength REAL NOT NULL,
  strength_at INTEGER NOT NULL,
  curve_data TEXT NOT NULL,
  importance REAL NOT NULL,
  importance_at INTEGER NOT NULL,
  topics TEXT NOT NULL,
  entities TEXT NOT NULL,
  modalities TEXT NOT NULL,
  confidence REAL NOT NULL,
  pinned INTEGER NOT NULL,
  level INTEGER NOT NULL,
  weight REAL NOT NULL,
  activation_count INTEGER NOT NULL,
  recent_mentions TEXT NOT NULL,
  valid_from INTEGER,
  valid_until INTEGER,
  expires_at INTEGER,
  precision TEXT,
  source TEXT NOT NULL,
  verified INTEGER NOT NULL,
  source_session TEXT,
  source_message TEXT,
  supersedes TEXT NOT NULL,
  merged_from TEXT NOT NULL,
  merged_into TEXT,
  compressed_from TEXT,
  source_ids TEXT NOT NULL,
  original_contents TEXT NOT NULL,
  negated_at INTEGER,
  correction_history TEXT NOT NULL,
  state TEXT NOT NULL,
  sensitivity INTEGER NOT NULL,
  reviewed_at INTEGER,
  deleted_at INTEGER,
  rev INTEGER NOT NULL
);
CREATE INDEX memories_activated ON memories (user_id, state, last_activated_at);
CREATE INDEX memories_created ON memories (user_id, layer, created_at);
CREATE INDEX memories_beside ON memories (source_session, created_at) WHERE source_session IS NOT NULL;

CREATE TABLE memory_sources (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  message_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (memory_id, message_id)
) WITHOUT ROWID;
CREATE INDEX memory_sources_of_message ON memory_sources (message_id);

CREATE TABLE mentions (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  message_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (memory_id, message_id)
) WITHOUT ROWID;

CREATE TABLE entities (
  n INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  folded TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (user_id, folded)
);
CREATE TABLE memory_entities (
  entity_n INTEGER NOT NULL REFERENCES entities (n),
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  PRIMARY KEY (memory_n, entity_n)
) WITHOUT ROWID;
CREATE INDEX memory_entities_of_entity ON memory_entities (entity_n, memory_n);

CREATE TABLE weight_log (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories (id),
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  old_weight REAL NOT NULL,
  new_weight REAL NOT NULL,
  reason TEXT NOT NULL,
  factors TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
);
CREATE INDEX weight_log_of_memory ON weight_log (memory_id, n);

-- What the text index holds, segmented; `owner` lets one person's search skip everyone else's words.
CREATE TABLE memories_text (
  n INTEGER PRIMARY KEY REFERENCES memories (n),
  owner TEXT NOT NULL,
  text TEXT NOT NULL,
  words INTEGER NOT NULL
);
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  owner, text, content = 'memories_text', content_rowid = 'n', tokenize = 'porter unicode61'
);

CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  dim INTEGER NOT NULL,
  calibration TEXT,
  -- vec0 tables are kept by processes that have sqlite-vec; one that has not marks what it could not do
  vec0_stale INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE embeddings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  vector BLOB NOT NULL,
  UNIQUE (memory_n, model_id)
);
CREATE INDEX embeddings_of_user ON embeddings (user_id, model_id, seq);
-- Counts a user's vector writes and removals, so that caches in every process know what they have missed.
CREATE TABLE vector_clock (
  user_id TEXT PRIMARY KEY,
  puts INTEGER NOT NULL DEFAULT 0,
  removals INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE change_sets (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  turn_id TEXT,
  job_id TEXT,
  undoes TEXT,
  undone_by TEXT
);
CREATE INDEX change_sets_newest ON change_sets (user_id, n);

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  set_id TEXT NOT NULL REFERENCES change_sets (id),
  user_id TEXT NOT NULL,
  op TEXT NOT NULL,
  entity TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  before TEXT,
  after TEXT
);
CREATE INDEX changes_of_user ON changes (user_id, seq);
CREATE INDEX changes_of_set ON changes (set_id, seq);
CREATE INDEX changes_of_entity ON changes (user_id, entity, entity_id, seq);

CREATE TABLE tombstones (
  user_id TEXT NOT NULL REFERENCES users (id),
  memory_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  set_id TEXT NOT NULL,
  model_id INTEGER,
  vector BLOB,
  PRIMARY KEY (user_id, memory_id, digest)
) WITHOUT ROWID;
CREATE INDEX tombstones_of_digest ON tombstones (user_id, digest);

CREATE TABLE jobs (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  kind TEXT NOT NULL,
  lane TEXT NOT NULL,
  dedup_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  leased_by TEXT,
  leased_until INTEGER,
  last_error TEXT NOT NULL DEFAULT '',
  result TEXT,
  UNIQUE (user_id, kind, dedup_key)
);
CREATE INDEX jobs_unfinished ON jobs (lane, n) WHERE state IN ('ready', 'leased');

CREATE TABLE recall_traces (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL REFERENCES users (id),
  turn_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  at INTEGER NOT NULL,
  mode TEXT NOT NULL,
  late INTEGER NOT NULL,
  took_ms REAL NOT NULL,
  UNIQUE (user_id, turn_id)
);
CREATE INDEX recall_traces_newest ON recall_traces (user_id, scope, n);
CREATE TABLE recall_hits (
  trace_n INTEGER NOT NULL REFERENCES recall_traces (n),
  position INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  passed INTEGER NOT NULL,
  used INTEGER NOT NULL,
  score REAL NOT NULL,
  gate REAL NOT NULL,
  why TEXT NOT NULL,
  signals TEXT NOT NULL,
  nudges TEXT NOT NULL,
  PRIMARY KEY (trace_n, position)
) WITHOUT ROWID;
CREATE INDEX recall_hits_of_memory ON recall_hits (memory_id);

CREATE TABLE token_usage (
  day TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  PRIMARY KEY (user_id, day, role, model)
) WITHOUT ROWID;

CREATE TABLE inbox (
  provider TEXT NOT NULL,
  bot TEXT NOT NULL,
  update_id INTEGER NOT NULL,
  lane TEXT NOT NULL,
  payload TEXT NOT NULL,
  at INTEGER NOT NULL,
  done_at INTEGER,
  PRIMARY KEY (provider, bot, update_id)
) WITHOUT ROWID;
CREATE INDEX inbox_open ON inbox (provider, bot, update_id) WHERE done_at IS NULL;

CREATE TABLE deliveries (
  provider TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (provider, key)
) WITHOUT ROWID;

CREATE TABLE choices (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL REFERENCES users (id),
  key TEXT NOT NULL,
  scope TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (user_id, key)
);

CREATE TABLE secrets (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id),
  user_id TEXT NOT NULL,
  sealed BLOB NOT NULL
) WITHOUT ROWID;
