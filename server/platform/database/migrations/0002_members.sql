-- Guests, members, their sessions and credentials.

-- A guest has a row only once something is stored for it; its id is the one that its signed token already had.
-- `member_since` is set for members. A merged guest and a deleted account keep an empty row, so that old tokens and the
-- ledger still refer to something.
CREATE TABLE users (
  id                 text PRIMARY KEY,
  email              text,
  display_name       text,
  language           text,
  referral_code      text NOT NULL UNIQUE,
  created_at         timestamptz NOT NULL DEFAULT now(),
  password_hash      text,
  email_verified_at  timestamptz,
  avatar_url         text,
  consent_marketing  boolean,
  consent_at         timestamptz,
  consent_version    text,
  member_since       timestamptz,
  merged_into        text REFERENCES users,
  deleted_at         timestamptz,
  -- The IANA time zone of the browser that was used last; mails write their dates in it.
  time_zone          text,
  -- The last known activity of a guest, by the site's clock: inactive guests are deleted.
  last_active_at     timestamptz
);
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL;
-- Deleting an account deletes the guests that were merged into it.
CREATE INDEX users_merged_into ON users (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX users_idle_guests ON users ((coalesce(last_active_at, created_at)))
  WHERE member_since IS NULL AND merged_into IS NULL AND deleted_at IS NULL;

-- The sessions of members. Only the SHA-256 of the cookie's token is stored; the header's token is derived from the id.
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

-- Tells every process, at the commit, that a session has ended or that a guest has become a member: the processes cache whom
-- a token identifies.
CREATE FUNCTION notify_viewer_cache() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('viewer_cache', to_jsonb(OLD) ->> TG_ARGV[0]);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_notify AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION notify_viewer_cache('user_id');
CREATE TRIGGER users_notify AFTER UPDATE OF member_since, merged_into, deleted_at ON users
  FOR EACH ROW WHEN (OLD.member_since IS DISTINCT FROM NEW.member_since OR OLD.merged_into IS DISTINCT FROM NEW.merged_into
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION notify_viewer_cache('id');

-- Consecutive wrong passwords of an address, whether it is known or not; `account` is a keyed hash.
CREATE TABLE sign_in_failures (
  account       text PRIMARY KEY,
  failures      integer NOT NULL,
  locked_until  timestamptz NOT NULL
);
CREATE INDEX sign_in_failures_expiry ON sign_in_failures (locked_until);

-- Links in mails: the SHA-256 of the secret. Using a link deletes it.
CREATE TABLE mail_links (
  hash        bytea PRIMARY KEY,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  purpose     text NOT NULL CHECK (purpose IN ('reset', 'verify')),
  -- The address that the link was sent to, which using the link verifies.
  email       text NOT NULL,
  expires_at  timestamptz NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id);
CREATE INDEX mail_links_expiry ON mail_links (expires_at);

-- Requests for a password reset, of known and unknown addresses. A job finds out which, so that the call's duration does not.
CREATE TABLE password_reset_requests (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email       text NOT NULL,
  language    text NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE TRIGGER password_reset_requests_notify AFTER INSERT ON password_reset_requests
  FOR EACH STATEMENT EXECUTE FUNCTION notify_listeners();

CREATE TABLE second_factors (
  user_id           text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- Encrypted with a key derived from APP_SECRET.
  encrypted_secret  bytea NOT NULL,
  confirmed_at      timestamptz,
  -- The latest time step whose code was used; this one and earlier ones are refused.
  last_totp_step    bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_codes (
  user_id  text NOT NULL REFERENCES second_factors ON DELETE CASCADE,
  hash     bytea NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- Accounts at social providers. `subject` is unique within its issuer only, and an operator may change a provider's issuer.
CREATE TABLE social_identities (
  issuer        text NOT NULL,
  subject       text NOT NULL,
  provider      text NOT NULL,
  user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at    timestamptz NOT NULL,
  -- The public id: issuer and subject are not shown.
  id            text NOT NULL UNIQUE,
  -- The name or address at the provider, which tells two accounts there apart.
  account_name  text,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX social_identities_user ON social_identities (user_id);

-- OAuth states that were used once and are refused from then on; kept until the sign-in would be too old anyway.
CREATE TABLE used_oauth_states (
  state       text PRIMARY KEY,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX used_oauth_states_expiry ON used_oauth_states (expires_at);
