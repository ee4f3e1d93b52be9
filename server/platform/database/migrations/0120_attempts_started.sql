-- Metrics and alerts look at the payments of the last quarter of an hour.
CREATE INDEX attempts_started ON attempts (started_at);
