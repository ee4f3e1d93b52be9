-- A viewer's history, favorites and entitlements, and the counts that follow from them.

-- The last position in each video: one row for each viewer and video.
CREATE TABLE watch_history (
  user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  position_ms  integer NOT NULL CHECK (position_ms >= 0),
  at           timestamptz NOT NULL,
  -- A tombstone with the time of the removal, so that a position that is saved late does not bring the entry back.
  removed      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, video_id)
);
CREATE INDEX watch_history_recent ON watch_history (user_id, at DESC, video_id) WHERE NOT removed;
CREATE INDEX watch_history_removed ON watch_history (at) WHERE removed;

-- Videos that a viewer has started, until a job has learnt from them what is watched next.
CREATE TABLE started_videos (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text NOT NULL,
  video_id  text NOT NULL
);

CREATE TABLE favorites (
  user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id      text NOT NULL REFERENCES videos ON DELETE CASCADE,
  favorited_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);
CREATE INDEX favorites_recent ON favorites (user_id, favorited_at DESC, video_id);

-- Counts are appended as rows and added up by a job, so that a popular video or episode is no contended row.

-- Favorites added (1) and removed (-1), for `videos.favorite_count`.
CREATE TABLE favorite_changes (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text,
  video_id  text NOT NULL,
  change    smallint NOT NULL CHECK (change IN (-1, 1))
);
CREATE INDEX favorite_changes_own ON favorite_changes (user_id, video_id);

-- Plays, for `videos.play_count`: one for each viewer, episode and half hour.
CREATE TABLE plays (
  user_id     text NOT NULL,
  episode_id  text NOT NULL,
  half_hour   timestamptz NOT NULL,
  video_id    text NOT NULL,
  aggregated  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, episode_id, half_hour)
);
CREATE INDEX plays_pending ON plays (video_id) WHERE NOT aggregated;
CREATE INDEX plays_aggregated ON plays (half_hour) WHERE aggregated;

-- The episodes that a viewer has started, and finished (watched to nine tenths); each counts once.
CREATE TABLE episode_views (
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  episode_id  text NOT NULL,
  finished    boolean NOT NULL,
  PRIMARY KEY (user_id, episode_id)
);

-- Viewers to add to an episode's counts (1), or to subtract because they were counted twice (-1).
CREATE TABLE episode_viewer_changes (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  episode_id  text NOT NULL,
  started     smallint NOT NULL,
  finished    smallint NOT NULL
);

-- Number of viewers who started and finished each episode; `since` is when counting started.
CREATE TABLE episode_viewer_counts (
  episode_id  text PRIMARY KEY REFERENCES episodes ON DELETE CASCADE,
  started     bigint NOT NULL,
  finished    bigint NOT NULL,
  since       timestamptz NOT NULL
) WITH (fillfactor = 80);

-- The right of a user to play one episode, one video, or (`video_id` null) everything.
CREATE TABLE entitlements (
  id                 text PRIMARY KEY,
  user_id            text NOT NULL REFERENCES users,
  -- Null for one that an operator granted.
  order_id           text REFERENCES orders,
  source             text NOT NULL CHECK (source IN ('purchase', 'subscription')),
  video_id           text REFERENCES videos,
  episode_id         text REFERENCES episodes,
  starts_at          timestamptz NOT NULL,
  ends_at            timestamptz,
  revoked_at         timestamptz,
  -- Its owner removed it from the list of unlocked videos; it stays valid.
  hidden_at          timestamptz,
  -- The operator's reason for granting it.
  grant_reason       text,
  -- The operator's reason for revoking it; a change of the order's status does not restore it then.
  revocation_reason  text,
  CONSTRAINT entitlements_reason CHECK ((order_id IS NULL) = (grant_reason IS NOT NULL))
);
-- One for each order and item.
CREATE UNIQUE INDEX entitlements_order ON entitlements (order_id, coalesce(episode_id, video_id, ''));
CREATE INDEX entitlements_recent ON entitlements (user_id, starts_at DESC, id) WHERE revoked_at IS NULL;
-- Signing in, exporting and deleting an account read revoked ones too.
CREATE INDEX entitlements_owner ON entitlements (user_id, video_id);

-- Used by the list of unlocked videos: the locked episode that a subscriber played last in each video.
CREATE TABLE unlocks (
  user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  unlocked_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);
