-- Operators and what only the studio reads.

-- Operators are not users: they have a table, a cookie and sessions of their own.
CREATE TABLE operators (
  id                     text PRIMARY KEY,
  email                  text NOT NULL,
  role                   text NOT NULL CHECK (role IN ('owner', 'editor', 'support', 'analyst')),
  -- Both are set when the invitation is accepted.
  password_hash          text,
  encrypted_totp_secret  bytea,
  -- The latest time step whose code was used; this one and earlier ones are refused.
  last_totp_step         bigint NOT NULL DEFAULT 0,
  active_since           timestamptz,
  created_at             timestamptz NOT NULL,
  -- Also known once the session has ended.
  last_seen_at           timestamptz
);
CREATE UNIQUE INDEX operators_email ON operators (lower(email));

CREATE TABLE operator_sessions (
  id            text PRIMARY KEY,
  operator_id   text NOT NULL REFERENCES operators ON DELETE CASCADE,
  token_hash    bytea NOT NULL UNIQUE,
  user_agent    text NOT NULL,
  created_at    timestamptz NOT NULL,
  last_seen_at  timestamptz NOT NULL
);
CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id, last_seen_at DESC);
CREATE INDEX operator_sessions_idle ON operator_sessions (last_seen_at);

-- One invitation at a time for each operator.
CREATE TABLE operator_invitations (
  operator_id            text PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  secret_hash            bytea NOT NULL UNIQUE,
  -- Generated when the link is opened, and confirmed by a code when it is accepted.
  encrypted_totp_secret  bytea,
  expires_at             timestamptz NOT NULL
);

CREATE TABLE operator_recovery_codes (
  operator_id  text NOT NULL REFERENCES operators ON DELETE CASCADE,
  hash         bytea NOT NULL,
  PRIMARY KEY (operator_id, hash)
);

-- The last health check of each component of the site; `since` is when its result last changed.
CREATE TABLE health_checks (
  component   text PRIMARY KEY,
  problem     text,
  detail      text,
  since       timestamptz NOT NULL DEFAULT now(),
  checked_at  timestamptz NOT NULL DEFAULT now()
);

-- Campaign links. A visitor who follows one keeps its token as the referrer token.
CREATE TABLE campaign_links (
  id          text PRIMARY KEY,
  name        text NOT NULL,
  token       text NOT NULL UNIQUE,
  episode_id  text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  created_at  timestamptz(3) NOT NULL
);
CREATE INDEX campaign_links_newest ON campaign_links (created_at DESC, id DESC);
CREATE INDEX campaign_links_episode ON campaign_links (episode_id);

-- The funnel by referrer token, kind of ad click and video ('' is none), over runs of 1, 4 and 16 days in UTC. Every day
-- belongs to one run of each length, so that a long time span is read in few rows.
CREATE TABLE funnel_counts (
  kind       text NOT NULL CHECK (kind IN ('token', 'click', 'video')),
  days       smallint NOT NULL CHECK (days IN (1, 4, 16)),
  first_day  date NOT NULL,
  key        text NOT NULL,
  visits     integer NOT NULL,
  plays      integer NOT NULL,
  paywalls   integer NOT NULL,
  paid       integer NOT NULL,
  PRIMARY KEY (kind, days, first_day, key)
) WITH (fillfactor = 80);

-- Renewals are kept apart: they are credited to the campaign and the video of the subscription's first payment.
CREATE TABLE funnel_revenue (
  kind                 text NOT NULL CHECK (kind IN ('token', 'click', 'video')),
  days                 smallint NOT NULL CHECK (days IN (1, 4, 16)),
  first_day            date NOT NULL,
  key                  text NOT NULL,
  currency             text NOT NULL,
  renewal              boolean NOT NULL,
  gross_cents          bigint NOT NULL,
  refunded_cents       bigint NOT NULL,
  disputed_cents       bigint NOT NULL,
  disputes_won_cents   bigint NOT NULL,
  disputes_lost_cents  bigint NOT NULL,
  PRIMARY KEY (kind, days, first_day, key, currency, renewal)
) WITH (fillfactor = 80);
