-- When an operator was last here is known also once their session has ended.
ALTER TABLE operators ADD COLUMN last_seen_at timestamptz;

UPDATE operators SET last_seen_at = seen.at
FROM (SELECT operator_id, max(last_seen_at) AS at FROM operator_sessions GROUP BY operator_id) seen
WHERE id = seen.operator_id;
