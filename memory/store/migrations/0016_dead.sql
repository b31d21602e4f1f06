-- Who died: the mark stands on the memory that says so, and goes, comes back and travels with it.
ALTER TABLE memories ADD COLUMN dead TEXT;
-- What may come up on its day.
CREATE INDEX memories_dated ON memories (user_id)
WHERE "on" IS NOT NULL OR dead IS NOT NULL OR expires_at IS NOT NULL;
