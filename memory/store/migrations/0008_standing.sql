-- When an event happens, what is kept quiet, who is close; which words of a message a memory rests on; proposals.
ALTER TABLE memories ADD COLUMN "on" INTEGER;
ALTER TABLE memories ADD COLUMN on_until INTEGER;
ALTER TABLE memories ADD COLUMN repeats TEXT;
ALTER TABLE memories ADD COLUMN "close" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN quiet_at INTEGER;
ALTER TABLE memories ADD COLUMN quiet_words TEXT;

-- Offsets in the message's text; NULL where a memory rests on the message as a whole.
ALTER TABLE memory_sources ADD COLUMN start INTEGER;
ALTER TABLE memory_sources ADD COLUMN "end" INTEGER;

-- What a model wanted to keep or change and the person's words did not bear out. Not memories: nothing but the list
-- of proposals reads them. `data` holds the operation; `asked_at` says when the person was asked.
CREATE TABLE proposals (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  data TEXT NOT NULL,
  message_id TEXT,
  asked_at INTEGER
);
CREATE INDEX proposals_of_user ON proposals (user_id, n);

DROP TRIGGER memories_changed;
CREATE TRIGGER memories_changed AFTER UPDATE ON memories
WHEN (NEW.state, NEW.level, NEW.kind, NEW.layer, NEW.sensitivity, NEW.created_at, NEW.original_content, NEW.entities)
  <> (OLD.state, OLD.level, OLD.kind, OLD.layer, OLD.sensitivity, OLD.created_at, OLD.original_content, OLD.entities)
  OR NEW.negated_at IS NOT OLD.negated_at
  OR NEW.valid_from IS NOT OLD.valid_from
  OR NEW.valid_until IS NOT OLD.valid_until
  OR NEW.expires_at IS NOT OLD.expires_at
  OR NEW."on" IS NOT OLD."on"
  OR NEW.on_until IS NOT OLD.on_until
  OR NEW.quiet_at IS NOT OLD.quiet_at
  OR NEW.source_session IS NOT OLD.source_session
BEGIN
  INSERT INTO touched (user_id, n) VALUES (NEW.user_id, NEW.n);
END;
