-- Runs outside a transaction.
-- This release runs without it.
-- Each save of a position, and each finished episode, updates a row. PostgreSQL then writes no entry into an index, if no indexed
-- column changes and the page has room for the new version of the row. So the time of `watch_history` is in no index any more: a
-- viewer's list is read by the primary key and sorted, and contains at most each video of the catalogue once.

CREATE INDEX CONCURRENTLY IF NOT EXISTS watch_history_tombstones ON watch_history (user_id, video_id) WHERE removed;
DROP INDEX CONCURRENTLY IF EXISTS watch_history_recent;
DROP INDEX CONCURRENTLY IF EXISTS watch_history_removed;

-- Room for a new version, in pages filled from now on.
ALTER TABLE watch_history SET (fillfactor = 80);
ALTER TABLE episode_views SET (fillfactor = 80);
-- Each play is updated once, when it is counted.
ALTER TABLE plays SET (fillfactor = 55);
