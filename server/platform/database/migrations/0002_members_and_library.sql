-- A guest has a row only once something is kept for it; its id is the one its signed token already held.
CREATE TABLE users (
  id             text PRIMARY KEY,
  email          text,
  display_name   text,
  language       text,
  referral_code  text NOT NULL UNIQUE,
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL;

-- Where each viewer is in each video: one row, the latest position.
CREATE TABLE history (
  user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  position_ms  integer NOT NULL CHECK (position_ms >= 0),
  at           timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);
CREATE INDEX history_recent ON history (user_id, at DESC, video_id);

CREATE TABLE favorites (
  user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
  video_id      text NOT NULL REFERENCES videos ON DELETE CASCADE,
  favorited_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);

-- Plays are appended here and folded into videos.play_count by a job, so that a hot video is no hot row.
CREATE TABLE plays (
  user_id     text NOT NULL,
  episode_id  text NOT NULL,
  half_hour   timestamptz NOT NULL,
  video_id    text NOT NULL,
  folded      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, episode_id, half_hour)
);
CREATE INDEX plays_unfolded ON plays (video_id) WHERE NOT folded;
