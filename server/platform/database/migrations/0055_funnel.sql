-- Steps that people take on their way to a payment, appended as they happen and folded by a job into the sums beneath. A row says
-- by which token and kind of advertisement, never who: no person, no click id, and of the time only the day. Null: does not count
-- there; '': by none.
CREATE TABLE funnel_steps (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  day       date NOT NULL,
  step      text NOT NULL CHECK (step IN ('visit', 'play', 'paywall')),
  token     text,
  click     text,
  video_id  text
);

-- Lines of the ledger that are not yet in the sums beneath; the ledger itself is never changed.
CREATE TABLE uncounted_lines (
  line_id  bigint PRIMARY KEY REFERENCES ledger_lines
);
INSERT INTO uncounted_lines SELECT id FROM ledger_lines WHERE account LIKE 'sales:%' OR account = 'charged_back';

-- Sums of a token, a kind of ad click or a video ('' is none) over runs of days in UTC: single days, and runs of 4 and of 16, so that a
-- long span is read in few rows. Every day belongs to one run of each length.
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
-- All that ever came by a token: the longest runs hold every day once.
CREATE INDEX funnel_counts_token ON funnel_counts (key) WHERE kind = 'token' AND days = 16;

CREATE TABLE funnel_money (
  kind                text NOT NULL CHECK (kind IN ('token', 'click', 'video')),
  days                smallint NOT NULL CHECK (days IN (1, 4, 16)),
  first_day           date NOT NULL,
  key                 text NOT NULL,
  currency            text NOT NULL,
  gross_cents         bigint NOT NULL,
  refunded_cents      bigint NOT NULL,
  charged_back_cents  bigint NOT NULL,
  PRIMARY KEY (kind, days, first_day, key, currency)
) WITH (fillfactor = 80);
