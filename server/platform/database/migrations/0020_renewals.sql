-- What renews subscriptions, and what becomes of those that cannot be charged.
ALTER TABLE subscriptions
  -- When somebody looks at it next; while a process works on it, when that process counts as dead.
  ADD COLUMN due_at         timestamptz,
  -- When it is charged next: the period's end, then the tries of its grace; null for no more.
  ADD COLUMN try_at         timestamptz,
  -- Until when it stays while it could not be charged.
  ADD COLUMN grace_ends_at  timestamptz,
  -- When the person is to be reminded of the next charge; null for not at all, or done.
  ADD COLUMN remind_at      timestamptz;

UPDATE subscriptions SET due_at = period_ends_at, try_at = period_ends_at WHERE status IN ('active', 'past_due');

DROP INDEX subscriptions_lapsing;
CREATE INDEX subscriptions_due ON subscriptions (due_at) WHERE status IN ('active', 'past_due');

CREATE INDEX subscriptions_reminders ON subscriptions (remind_at)
  WHERE status = 'active' AND NOT cancel_at_period_end AND remind_at IS NOT NULL;

-- An order of a subscription without a period is a change of plan that waits for the next one. One at a time.
CREATE UNIQUE INDEX orders_planned ON orders (subscription_id) WHERE status = 'pending' AND period_no IS NULL;
