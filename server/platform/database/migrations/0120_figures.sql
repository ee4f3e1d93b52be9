-- A dispute's outcome and a refund that failed are counted on the day when the dispute was opened or the refund was sent. So no day
-- nets more than it grossed because money came back. Null: the line counts on the day it was entered.
ALTER TABLE ledger_lines ADD COLUMN counted_at timestamptz;
-- What an open dispute is about, until when to answer it and why it was opened, as the gateway says.
ALTER TABLE attempts
  ADD COLUMN disputed_at timestamptz,
  ADD COLUMN dispute_cents integer,
  ADD COLUMN dispute_reason text,
  ADD COLUMN dispute_due_at timestamptz,
  ADD COLUMN dispute_reference text;

UPDATE attempts SET disputed_at = opened.at, dispute_cents = opened.amount_cents
FROM (
  SELECT DISTINCT ON (split_part(transaction_id, ':', 2)) split_part(transaction_id, ':', 2) AS attempt_id, at, amount_cents
  FROM ledger_lines WHERE account = 'charged_back' AND amount_cents > 0 ORDER BY 1, id DESC
) opened
WHERE attempts.id = opened.attempt_id;
UPDATE ledger_lines SET counted_at = attempts.disputed_at FROM attempts
WHERE transaction_id LIKE 'dispute:%' AND split_part(transaction_id, ':', 2) = attempts.id AND at > attempts.disputed_at;
UPDATE ledger_lines SET counted_at = sent.at
FROM (SELECT DISTINCT transaction_id, at FROM ledger_lines WHERE transaction_id LIKE 'refund:%') sent
WHERE ledger_lines.transaction_id LIKE 'refund_failed:%' AND sent.transaction_id = 'refund:' || split_part(ledger_lines.transaction_id, ':', 2);

-- A lost dispute moves its money from `charged_back`, which is still open, to `dispute_lost`, which is final.
INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at, counted_at)
SELECT 'dispute_lost:' || attempts.id || ':1', orders.id, line.account, line.sign * attempts.disputed_cents, orders.currency,
  coalesce(attempts.disputed_at, now()), attempts.disputed_at
FROM attempts JOIN orders ON orders.id = attempts.order_id,
  (VALUES ('dispute_lost', 1), ('charged_back', -1)) line (account, sign)
WHERE attempts.dispute = 'lost' AND attempts.disputed_cents > 0;

DROP INDEX ledger_lines_revenue;
CREATE INDEX ledger_lines_revenue ON ledger_lines (at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE counted_at IS NULL AND (account LIKE 'sales:%' OR account IN ('charged_back', 'dispute_lost'));
CREATE INDEX ledger_lines_dated_back ON ledger_lines (counted_at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE counted_at IS NOT NULL;
-- Summed up again, with the disputes in figures of their own.
DELETE FROM money_days;

-- The funnel's money keeps renewals apart, which are credited to the campaign and the drama of the subscription's first payment.
DROP TABLE funnel_money;
CREATE TABLE funnel_money (
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
UPDATE funnel_counts SET paid = 0 WHERE paid <> 0;
INSERT INTO uncounted_lines
SELECT id FROM ledger_lines WHERE account LIKE 'sales:%' OR account IN ('charged_back', 'dispute_lost')
ON CONFLICT DO NOTHING;

-- Links are counted by the funnel alone, over the same days.
DROP INDEX orders_referrer_token;
DROP INDEX funnel_counts_token;
