-- Of a sandbox whose clock was forward: these go by the real time from now on, and would last too long.
DELETE FROM operator_sessions WHERE created_at > now();
DELETE FROM operator_invitations WHERE expires_at > now() + interval '1 day';
UPDATE operator_sessions SET last_seen_at = now() WHERE last_seen_at > now();

-- When an operator was last here is known also once their session has ended.
ALTER TABLE operators ADD COLUMN last_seen_at timestamptz;

UPDATE operators SET last_seen_at = seen.at
FROM (SELECT operator_id, max(last_seen_at) AS at FROM operator_sessions GROUP BY operator_id) seen
WHERE id = seen.operator_id;
