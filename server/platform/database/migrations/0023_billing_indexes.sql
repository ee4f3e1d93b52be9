-- Runs outside a transaction.
-- This release runs without it.
-- Indexes for jobs of billing on a site with many orders.

-- Deleting an order or a subscription looks for the rows that refer to it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS used_intro_prices_order ON used_intro_prices (order_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_method_setups_subscription ON payment_method_setups (subscription_id);

-- A job deletes orders that were never paid, but no renewals. The former index contained the renewals too.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_unpaid_purchases ON orders (expires_at)
  WHERE status IN ('expired', 'cancelled', 'failed') AND paid_at IS NULL AND coalesce(period_no, 0) = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_unpaid;
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_unstarted ON subscriptions (created_at)
  WHERE status = 'expired' AND started_at IS NULL;

-- A job looks for subscriptions whose plan costs more than their user was told.
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_known_price
  ON subscriptions (plan_id, coalesce(announced_price_cents, agreed_price_cents))
  WHERE status = 'active' AND NOT cancel_at_period_end AND payment_method_id IS NOT NULL;

-- A job deletes webhook events that were applied long ago.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_events_applied ON webhook_events (applied_at) WHERE applied_at IS NOT NULL;
