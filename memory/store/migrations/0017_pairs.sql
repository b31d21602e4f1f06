-- Pairs of memories that nights have judged: whether the newer one took the older one's place. A pair is judged again
-- only after one side was edited. `state`: doubtful (said too seldom, by `votes`), waiting (for a place or a question), settled.
CREATE TABLE judged_pairs (
  user_id TEXT NOT NULL REFERENCES users (id),
  newer TEXT NOT NULL,
  older TEXT NOT NULL,
  verdict TEXT NOT NULL,
  votes INTEGER NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (user_id, newer, older)
);
