-- Runs outside a transaction.
-- This release runs without it.
-- Every minute, a job looks for mails that were not accepted. Without the index, it reads the whole queue.

CREATE INDEX CONCURRENTLY IF NOT EXISTS mails_retried ON mails (id) WHERE attempts > 1;

-- A job deletes abandoned mails that have expired.
CREATE INDEX CONCURRENTLY IF NOT EXISTS abandoned_mails_expiry ON abandoned_mails (expires_at) WHERE expires_at IS NOT NULL;
