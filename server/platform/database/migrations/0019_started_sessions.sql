-- Runs outside a transaction.
-- This release runs without it.
-- A job deletes the sessions that started too long ago. Without the index, it reads all sessions every ten minutes.

CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_started ON sessions (created_at);
