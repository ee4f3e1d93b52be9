-- Tables that every feature uses: settings, the audit log, rate limits, scheduled jobs and the mail queue.

-- Notifies the listeners of the channel with the table's name once the transaction commits, so that no worker has to poll.
CREATE FUNCTION notify_listeners() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_TABLE_NAME, '');
  RETURN NULL;
END $$;

CREATE FUNCTION reject_modification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TABLE settings (
  key    text PRIMARY KEY,
  value  jsonb NOT NULL
);
-- Every process reloads a setting that an operator has changed.
CREATE TRIGGER settings_notify AFTER INSERT OR UPDATE OR DELETE ON settings
  FOR EACH STATEMENT EXECUTE FUNCTION notify_listeners();

-- The audit log of accounts, payments and settings. `network_hash` is a keyed hash of the network address.
CREATE TABLE audit_events (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at            timestamptz NOT NULL,
  event         text NOT NULL,
  user_id       text,
  network_hash  text,
  details       jsonb NOT NULL DEFAULT '{}',
  -- Null for the command line and for viewers.
  operator      text,
  subject       text
);
CREATE INDEX audit_events_user ON audit_events (user_id, id);
CREATE INDEX audit_events_subject ON audit_events (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_events_studio ON audit_events (id) WHERE event LIKE 'studio %' OR event LIKE 'operator_%';
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION reject_modification();

-- Limits of single actions (sign-ins, mails, orders), counted for all processes. Unlogged, as a crash that empties the
-- table only allows some actions again.
CREATE UNLOGGED TABLE attempt_counts (
  key         text PRIMARY KEY,
  attempts    integer NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX attempt_counts_expiry ON attempt_counts (expires_at);

-- API calls of each user and network within a time window, summed over all processes. Unlogged, as a row is of no use
-- once the next window has ended.
CREATE UNLOGGED TABLE api_call_counts (
  caller       text NOT NULL,
  time_window  bigint NOT NULL,
  calls        integer NOT NULL,
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (caller, time_window)
);
CREATE INDEX api_call_counts_expiry ON api_call_counts (expires_at);

-- The state of each scheduled job, written by the process that ran it. Times are the database's own, because the clock of a
-- sandbox site may be moved.
CREATE TABLE scheduled_jobs (
  name              text PRIMARY KEY,
  interval_seconds  integer NOT NULL,
  registered_at     timestamptz NOT NULL DEFAULT now(),
  succeeded_at      timestamptz,
  failing_since     timestamptz,
  -- Consecutive failures since the last success.
  failures          integer NOT NULL DEFAULT 0,
  last_error        text,
  -- An operator asked for a run before the next one is due.
  run_requested     boolean NOT NULL DEFAULT false,
  -- When a process last started a run, so that the other processes skip this round.
  claimed_at        timestamptz
);

-- The mail queue. The row is deleted once its mail is sent, abandoned or expired, so that no secret of a link stays here.
CREATE TABLE mails (
  id               text PRIMARY KEY,
  recipient        text NOT NULL,
  template         text NOT NULL,
  language         text NOT NULL,
  fields           jsonb NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  -- The next attempt; while one is under way, when it counts as lost.
  next_attempt_at  timestamptz NOT NULL DEFAULT '-infinity',
  -- When the mail expires and is not sent any more.
  expires_at       timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mails_due ON mails (next_attempt_at, created_at);
CREATE TRIGGER mails_notify AFTER INSERT ON mails FOR EACH STATEMENT EXECUTE FUNCTION notify_listeners();

-- Mails that were abandoned after their last attempt. An operator may send them again; they are deleted when they expire or
-- after a week. As in `mails`, the fields may hold the secret of a link.
CREATE TABLE abandoned_mails (
  id            text PRIMARY KEY,
  recipient     text NOT NULL,
  template      text NOT NULL,
  language      text NOT NULL,
  fields        jsonb NOT NULL,
  attempts      integer NOT NULL,
  expires_at    timestamptz,
  created_at    timestamptz NOT NULL,
  abandoned_at  timestamptz(3) NOT NULL,
  -- The mail server refused this mail or its recipient permanently.
  refused       boolean NOT NULL,
  reason        text NOT NULL
);
CREATE INDEX abandoned_mails_at ON abandoned_mails (abandoned_at DESC, id DESC);
-- A deleted account is found by its address in any case, and by the orders that a mail is about.
CREATE INDEX abandoned_mails_recipient ON abandoned_mails (lower(recipient));
CREATE INDEX abandoned_mails_order ON abandoned_mails ((fields ->> 'order'));
