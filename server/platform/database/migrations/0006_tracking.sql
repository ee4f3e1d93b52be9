-- Analytics events, shares, attribution and conversions.

-- The site's own analytics events, written in batches. The user and click ids are stored only with consent. Each month of UTC is a
-- partition, which is dropped as a whole once all of it is older than EVENTS_DAYS (docs/decisions/0023-events-by-month.md).
CREATE TABLE events (
  at       timestamptz(3) NOT NULL,
  id       uuid NOT NULL,
  name     text NOT NULL,
  fields   jsonb NOT NULL DEFAULT '{}',
  user_id  text,
  fbclid   text,
  ttclid   text,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE INDEX events_user ON events (user_id, at) WHERE user_id IS NOT NULL;

-- Creates the partition of the month that contains a time, unless it exists. Attaching a table does not block readers and writers;
-- CREATE TABLE ... PARTITION OF would.
CREATE FUNCTION create_events_partition(moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  partition text := 'events_' || to_char(month, 'YYYY_MM');
BEGIN
  IF to_regclass(partition) IS NOT NULL THEN RETURN; END IF;
  LOCK TABLE ONLY events IN SHARE UPDATE EXCLUSIVE MODE;
  -- Another process may have created it meanwhile.
  IF to_regclass(partition) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', partition);
  EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
    month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
END $$;

SELECT create_events_partition(now() + ahead * interval '1 month') FROM generate_series(0, 2) AS ahead;

-- Shares, which a job adds to `videos.share_count`. `dedup_key` is a keyed hash of the user, the video and the half hour: it counts
-- a user once and identifies nobody.
CREATE TABLE shares (
  dedup_key   text PRIMARY KEY,
  video_id    text NOT NULL,
  at          timestamptz NOT NULL,
  aggregated  boolean NOT NULL DEFAULT false
);
CREATE INDEX shares_pending ON shares (video_id) WHERE NOT aggregated;
CREATE INDEX shares_age ON shares (at);

-- A user's first and last touch: {"referrer_token", "fbclid", "ttclid"}; click ids only with consent.
CREATE TABLE attribution (
  user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  first_touch  jsonb NOT NULL,
  first_at     timestamptz NOT NULL,
  last_touch   jsonb NOT NULL,
  last_at      timestamptz NOT NULL
);

-- Conversions for the advertising platforms, only with consent; the details are emptied once they are sent.
CREATE TABLE conversions (
  destination      text NOT NULL CHECK (destination IN ('meta', 'tiktok')),
  name             text NOT NULL CHECK (name IN ('purchase', 'subscribe', 'complete_registration')),
  event_id         text NOT NULL,
  user_id          text NOT NULL,
  details          jsonb NOT NULL,
  state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'abandoned')),
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  at               timestamptz NOT NULL,
  PRIMARY KEY (destination, name, event_id)
);
CREATE INDEX conversions_due ON conversions (next_attempt_at) WHERE state = 'pending';
CREATE INDEX conversions_user ON conversions (user_id);
CREATE INDEX conversions_age ON conversions (at);

-- Steps on the way to a payment, which a job adds to the studio's funnel. A row has the referrer token and the kind of ad click, but
-- no user, no click id and no time of day. Null: does not count there; '': none.
CREATE TABLE funnel_steps (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  day       date NOT NULL,
  step      text NOT NULL CHECK (step IN ('visit', 'play', 'paywall')),
  token     text,
  click     text,
  video_id  text,
  -- Equal steps that were written together are one row.
  count     integer NOT NULL DEFAULT 1
);
