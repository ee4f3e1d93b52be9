-- Those who run the site. They are nobody's viewer: a table, a cookie and sessions of their own.
CREATE TABLE operators (
  id                  text PRIMARY KEY,
  email               text NOT NULL,
  role                text NOT NULL CHECK (role IN ('owner', 'editor', 'support', 'analyst')),
  -- Both are set by the one-time link, together.
  password_hash       text,
  sealed_totp_secret  bytea,
  -- The latest time step whose code was used; it and those before it are refused.
  last_step           bigint NOT NULL DEFAULT 0,
  active_since        timestamptz,
  created_at          timestamptz NOT NULL
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

-- One link at a time for each.
CREATE TABLE operator_invitations (
  operator_id         text PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  secret_hash         bytea NOT NULL UNIQUE,
  -- Made when the link is opened, confirmed by a code when it is used.
  sealed_totp_secret  bytea,
  expires_at          timestamptz NOT NULL
);

CREATE TABLE operator_recovery_codes (
  operator_id  text NOT NULL REFERENCES operators ON DELETE CASCADE,
  hash         bytea NOT NULL,
  PRIMARY KEY (operator_id, hash)
);

-- What operators do is in the one audit trail; null for the command line and for viewers.
ALTER TABLE audit_events ADD operator text, ADD subject text;
CREATE INDEX audit_events_subject ON audit_events (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_events_studio ON audit_events (id) WHERE event LIKE 'studio %' OR event LIKE 'operator_%';
