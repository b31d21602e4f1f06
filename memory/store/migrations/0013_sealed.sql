-- What a message said before its secrets were taken out of it: encrypted, so that "not a secret" can bring it back.
CREATE TABLE sealed_messages (
  message_id TEXT PRIMARY KEY REFERENCES messages (id),
  user_id TEXT NOT NULL,
  sealed BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX sealed_messages_of_user ON sealed_messages (user_id);

-- Whoever changes a message's words changes what it may give back: a purge takes this copy with it.
CREATE TRIGGER sealed_messages_stale AFTER UPDATE OF text ON messages WHEN NEW.text <> OLD.text BEGIN
  DELETE FROM sealed_messages WHERE message_id = NEW.id;
END;
