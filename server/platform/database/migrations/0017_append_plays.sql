-- This release runs without it.
-- Plays are counted by appended rows, one for each video of a batch: to mark a play as counted is to change three indexes. The
-- previous release still inserts plays as not aggregated, and marks them.

-- Changes of `videos.play_count`, until a job adds them up. Negative: plays of a guest and a member that became one.
CREATE TABLE play_count_changes (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  video_id  text NOT NULL,
  change    integer NOT NULL
);

-- A play is no longer updated.
ALTER TABLE plays RESET (fillfactor);

-- Rows that were inserted together are updated together: viewers who started in the same second save in the same second. Then each
-- page needs room for a new version of all its rows, or they get new entries in the indexes.
ALTER TABLE watch_history SET (fillfactor = 50);
ALTER TABLE episode_views SET (fillfactor = 55);
