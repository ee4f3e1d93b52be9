-- Who has `member_since` is a member; a guest that was merged into an account, and a person who left, keep an empty row,
-- so that their old tokens and the books still mean something.
ALTER TABLE users
  ADD password_hash      text,
  ADD email_verified_at  timestamptz,
  ADD avatar_url         text,
  ADD consent_marketing  boolean,
  ADD consent_at         timestamptz,
  ADD consent_version    text,
  ADD member_since       timestamptz,
  ADD merged_into        text REFERENCES users,
  ADD deleted_at         timestamptz;

-- A member's sign-ins. Only the SHA-256 of the cookie's token is kept; the header's is derived from the id.
CREATE TABLE sessions (
  id            text PRIMARY KEY,
  user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash    bytea NOT NULL UNIQUE,
  user_agent    text NOT NULL,
  created_at    timestamptz NOT NULL,
  last_seen_at  timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, last_seen_at DESC, id);
CREATE INDEX sessions_idle ON sessions (last_seen_at);

-- Wrong passwords in a row, of addresses known and unknown alike; `account` is a keyed hash.
CREATE TABLE sign_in_failures (
  account     text PRIMARY KEY,
  failures    integer NOT NULL,
  open_again  timestamptz NOT NULL
);
CREATE INDEX sign_in_failures_old ON sign_in_failures (open_again);

-- How often something was done in its present stretch of time, counted for all processes. A crash of the database may
-- empty it, which only lets some have another go.
CREATE UNLOGGED TABLE turns (
  key      text PRIMARY KEY,
  taken    integer NOT NULL,
  ends_at  timestamptz NOT NULL
);
CREATE INDEX turns_ended ON turns (ends_at);

-- What happened to accounts, money and settings; rows are only ever added. `origin` is a keyed hash of the address.
CREATE TABLE audit_events (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL,
  event    text NOT NULL,
  user_id  text,
  origin   text,
  details  jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_events_user ON audit_events (user_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% may only be added to', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
