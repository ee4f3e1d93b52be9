-- An entry that was removed stays as a mark of when, so that a save that comes late does not bring it back.
ALTER TABLE history ADD COLUMN removed boolean NOT NULL DEFAULT false;
DROP INDEX history_recent;
CREATE INDEX history_recent ON history (user_id, at DESC, video_id) WHERE NOT removed;
CREATE INDEX history_removed ON history (at) WHERE removed;

CREATE INDEX plays_folded ON plays (half_hour) WHERE folded;

CREATE INDEX favorites_recent ON favorites (user_id, favorited_at DESC, video_id);

-- Favorites that came (1) and went (-1): appended with the change itself and folded into videos.favorite_count by a job,
-- so that a hot video is no hot row.
CREATE TABLE favorite_changes (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text,
  video_id  text NOT NULL,
  change    smallint NOT NULL CHECK (change IN (-1, 1))
);
CREATE INDEX favorite_changes_own ON favorite_changes (user_id, video_id);

-- What a subscription opened: per viewer and video, the locked episode that was played last.
CREATE TABLE unlocks (
  user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  unlocked_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);

-- A purchase that its owner took off the list of unlocked videos; the right stays.
ALTER TABLE entitlements ADD COLUMN hidden_at timestamptz;
