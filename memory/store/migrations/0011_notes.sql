-- Note style: what was learned names its person no more ("The user lives in Lyon" is "Lives in Lyon"). The person's own
-- words stay as they were said, and so does every history.
CREATE TEMP TABLE noted AS
  SELECT n FROM memories
  WHERE source <> 'user' AND sensitivity < 3
    AND (ebb_note(original_content) <> original_content OR ebb_note(content) <> content
      OR EXISTS (SELECT 1 FROM json_each(original_contents) WHERE ebb_note(value) <> value));
UPDATE memories SET
  content = ebb_note(content),
  original_content = ebb_note(original_content),
  original_contents = (SELECT json_group_object(key, ebb_note(value)) FROM json_each(original_contents))
WHERE n IN (SELECT n FROM noted);

-- What is derived from the words: the search index and the terms at once, the vectors in the background.
UPDATE memories_text SET
  text = (SELECT ebb_segment(m.original_content) FROM memories m WHERE m.n = memories_text.n),
  terms = (SELECT ebb_terms(m.original_content) FROM memories m WHERE m.n = memories_text.n)
WHERE n IN (SELECT n FROM noted);
UPDATE memories_text SET words = ebb_words(text) WHERE n IN (SELECT n FROM noted);
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
DELETE FROM embeddings WHERE memory_n IN (SELECT n FROM noted);
UPDATE embedding_models SET vec0_stale = 1;
UPDATE vector_clock SET removals = removals + 1;
DROP TABLE noted;
