-- What a memory is the one value of: a name, "" for nothing, NULL where nobody has looked yet.
ALTER TABLE memories ADD COLUMN slot TEXT;
