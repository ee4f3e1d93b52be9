-- How each scheduled job gets on, written by whichever process ran it. Times are the database's own: the site's clock may be moved.
CREATE TABLE job_runs (
  name           text PRIMARY KEY,
  every_seconds  integer NOT NULL,
  known_since    timestamptz NOT NULL DEFAULT now(),
  succeeded_at   timestamptz,
  failing_since  timestamptz,
  -- In a row, since it last went well.
  failures       integer NOT NULL DEFAULT 0,
  reason         text,
  -- An operator wants it to run before its time.
  wanted         boolean NOT NULL DEFAULT false
);

-- How each part of the site was found at the last look; `since` is when that began to be so.
CREATE TABLE health_checks (
  part        text PRIMARY KEY,
  problem     text,
  detail      text,
  since       timestamptz NOT NULL DEFAULT now(),
  checked_at  timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE assets ADD failed_at timestamptz(3);
UPDATE assets SET failed_at = created_at WHERE state = 'failed';
CREATE INDEX assets_failed ON assets (failed_at DESC, id DESC) WHERE state = 'failed' AND retired_at IS NULL;
