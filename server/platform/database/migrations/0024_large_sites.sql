-- Runs outside a transaction.
-- This release runs without it.
-- A job deletes abandoned mails that have expired.

CREATE INDEX CONCURRENTLY IF NOT EXISTS abandoned_mails_expiry ON abandoned_mails (expires_at) WHERE expires_at IS NOT NULL;
