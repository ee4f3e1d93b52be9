-- Mails that were given up, until they are sent again on an operator's word, are of no use any more, or a week is over. As with
-- `mails`, the fields may hold a link's secret.
CREATE TABLE given_up_mails (
  id           text PRIMARY KEY,
  recipient    text NOT NULL,
  template     text NOT NULL,
  language     text NOT NULL,
  fields       jsonb NOT NULL,
  attempts     integer NOT NULL,
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL,
  given_up_at  timestamptz(3) NOT NULL,
  -- The server said no for good, to this mail or its recipient.
  refused      boolean NOT NULL,
  reason       text NOT NULL
);
CREATE INDEX given_up_mails_at ON given_up_mails (given_up_at DESC, id DESC);
CREATE INDEX given_up_mails_recipient ON given_up_mails (recipient);
