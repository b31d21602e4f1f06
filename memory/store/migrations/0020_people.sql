-- Who goes by another name: the mark stands on the memory that tells it, and goes, comes back and travels with it.
ALTER TABLE memories ADD COLUMN renamed TEXT;
CREATE INDEX memories_renamed ON memories (user_id) WHERE renamed IS NOT NULL;
-- Since when what a memory hung on has ended: it may be over, and does not come up as present.
ALTER TABLE memories ADD COLUMN unsettled_at INTEGER;
