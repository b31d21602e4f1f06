-- Standing memories: what the words of earlier memories show to be about health or somebody close; the rest stays.
UPDATE memories SET kind = 'health'
WHERE kind IN ('fact', 'preference', 'context', 'identity', 'workflow', 'lesson', 'whim')
  AND layer <> 'episode' AND sensitivity < 3 AND is_health(original_content);
UPDATE memories SET "close" = 1 WHERE layer <> 'episode' AND sensitivity < 3 AND is_close(original_content);

CREATE INDEX memories_standing ON memories (user_id)
WHERE kind IN ('health', 'identity', 'instruction') OR "close" OR pinned OR layer IN ('core', 'system');
