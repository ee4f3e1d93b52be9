-- Tells whoever listens on the channel of the table's name that there is something to do, once the transaction commits.
CREATE FUNCTION announce_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_TABLE_NAME, '');
  RETURN NULL;
END $$;

-- Mails that wait to be sent; a mail that was sent, given up or is too old has no row, so no secret of its link stays here.
CREATE TABLE mails (
  id          text PRIMARY KEY,
  recipient   text NOT NULL,
  template    text NOT NULL,
  language    text NOT NULL,
  fields      jsonb NOT NULL,
  attempts    integer NOT NULL DEFAULT 0,
  -- The next try; while one is under way, when it counts as lost.
  due_at      timestamptz NOT NULL DEFAULT '-infinity',
  -- When the mail is of no use any more.
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mails_due ON mails (due_at, created_at);
CREATE TRIGGER mails_announce AFTER INSERT ON mails FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

-- The links that mails hold: the SHA-256 of the secret; using one deletes it.
CREATE TABLE mail_links (
  hash        bytea PRIMARY KEY,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  purpose     text NOT NULL CHECK (purpose IN ('reset', 'verify')),
  -- The address it was sent to; using the link proves it.
  email       text NOT NULL,
  expires_at  timestamptz NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id);
CREATE INDEX mail_links_expiry ON mail_links (expires_at);

-- Who asked for a new password, known or not: the call does the same for both, and a job finds out which.
CREATE TABLE reset_requests (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email       text NOT NULL,
  language    text NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE TRIGGER reset_requests_announce AFTER INSERT ON reset_requests FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

CREATE TABLE second_factors (
  user_id        text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- Encrypted with a key derived from APP_SECRET.
  sealed_secret  bytea NOT NULL,
  confirmed_at   timestamptz,
  -- The latest time step whose code was used; it and those before it are refused.
  last_step      bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_codes (
  user_id  text NOT NULL REFERENCES second_factors ON DELETE CASCADE,
  hash     bytea NOT NULL,
  PRIMARY KEY (user_id, hash)
);
