-- Runs outside a transaction.
-- Metrics and alerts look at the payments of the last quarter of an hour.
CREATE INDEX CONCURRENTLY IF NOT EXISTS attempts_started ON attempts (started_at);
