-- Runs outside a transaction.
-- This release runs without it.
-- Guests who may have stayed away for long, the longest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_idle_guests ON users ((coalesce(active_at, created_at)))
  WHERE member_since IS NULL AND merged_into IS NULL AND deleted_at IS NULL;
