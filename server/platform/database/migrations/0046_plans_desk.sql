-- Who is on a plan now, the latest first.
CREATE INDEX subscriptions_plan ON subscriptions (plan_id, created_at DESC, id) WHERE status IN ('active', 'past_due');
