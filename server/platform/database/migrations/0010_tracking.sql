-- The site's own analytics events, written in batches. A person and click ids only with consent.
CREATE TABLE events (
  at       timestamptz(3) NOT NULL,
  id       uuid NOT NULL,
  name     text NOT NULL,
  fields   jsonb NOT NULL DEFAULT '{}',
  user_id  text,
  fbclid   text,
  ttclid   text,
  PRIMARY KEY (at, id)
);
CREATE INDEX events_user ON events (user_id, at) WHERE user_id IS NOT NULL;

-- Shares are appended here and folded into videos.share_count by a job. `mark` is a keyed hash of who, what and which
-- half hour: it counts a person once and names nobody.
CREATE TABLE shares (
  mark      text PRIMARY KEY,
  video_id  text NOT NULL,
  at        timestamptz NOT NULL,
  folded    boolean NOT NULL DEFAULT false
);
CREATE INDEX shares_unfolded ON shares (video_id) WHERE NOT folded;
CREATE INDEX shares_age ON shares (at);

-- Where a person came from, first and last: {"referrer_token", "fbclid", "ttclid"}, click ids only with consent.
CREATE TABLE attribution (
  user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  first_touch  jsonb NOT NULL,
  first_at     timestamptz NOT NULL,
  last_touch   jsonb NOT NULL,
  last_at      timestamptz NOT NULL
);

-- What is to be told to an advertising platform, only with consent; emptied once it was told.
CREATE TABLE conversions (
  destination  text NOT NULL CHECK (destination IN ('meta', 'tiktok')),
  name         text NOT NULL CHECK (name IN ('purchase', 'subscribe', 'complete_registration')),
  event_id     text NOT NULL,
  user_id      text NOT NULL,
  details      jsonb NOT NULL,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'given_up')),
  tries        integer NOT NULL DEFAULT 0,
  try_at       timestamptz NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (destination, name, event_id)
);
CREATE INDEX conversions_due ON conversions (try_at) WHERE state = 'waiting';
CREATE INDEX conversions_user ON conversions (user_id);
CREATE INDEX conversions_age ON conversions (at);
