CREATE INDEX subscriptions_lapsing ON subscriptions (period_ends_at) WHERE status = 'active';
