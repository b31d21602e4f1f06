-- Since when what a memory hung on has ended: it may be over, and does not come up as present.
ALTER TABLE memories ADD COLUMN unsettled_at INTEGER;
