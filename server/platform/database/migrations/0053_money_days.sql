-- What is sold, refunded and taken back by banks is summed up by day. The index holds all that is asked for.
CREATE INDEX ledger_lines_revenue ON ledger_lines (at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE account LIKE 'sales:%' OR account = 'charged_back';

-- When a subscription began and ended, which its periods do not tell.
ALTER TABLE subscriptions ADD COLUMN began_at timestamptz, ADD COLUMN ended_at timestamptz;
-- As near as it was written down before.
UPDATE subscriptions SET
  began_at = coalesce((SELECT min(paid_at) FROM orders WHERE subscription_id = subscriptions.id AND period_no = 0), created_at),
  ended_at = CASE WHEN status = 'ended' THEN least(coalesce(grace_ends_at, period_ends_at), now()) END
WHERE status IN ('active', 'past_due', 'ended');
CREATE INDEX subscriptions_live_count ON subscriptions (status) WHERE status IN ('active', 'past_due');
CREATE INDEX subscriptions_began ON subscriptions (began_at) WHERE began_at IS NOT NULL;
CREATE INDEX subscriptions_ended ON subscriptions (ended_at) WHERE ended_at IS NOT NULL;

-- Renewals that could not be charged, by day.
CREATE INDEX attempts_failed_renewals ON attempts (started_at) INCLUDE (order_id)
  WHERE status = 'failed' AND idempotency_key LIKE 'renew:%';

-- Days in UTC that are over, summed up once by a job. Nothing is dated into them any more.
CREATE TABLE money_days (
  day   date PRIMARY KEY,
  sums  jsonb NOT NULL
);
