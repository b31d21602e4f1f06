-- One row per run of upkeep: its progress while it works, afterwards its report.
CREATE TABLE nights (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL REFERENCES users (id),
  job_id TEXT NOT NULL UNIQUE,
  night TEXT NOT NULL,
  at INTEGER NOT NULL,
  done INTEGER NOT NULL,
  data TEXT NOT NULL
);
CREATE INDEX nights_newest ON nights (user_id, done, n);

-- What happened since the last report, of all memories.
CREATE INDEX weight_log_of_user ON weight_log (user_id, at);
