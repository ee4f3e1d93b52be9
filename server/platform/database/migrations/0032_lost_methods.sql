-- When a gateway lost the method that a subscription is charged with: its owner took it away there.
ALTER TABLE subscriptions ADD COLUMN method_lost_at timestamptz;

-- A gateway that is told of a method names it alone, without the customer before the slash.
CREATE INDEX payment_methods_own_name ON payment_methods (gateway, (regexp_replace(reference, '^.*/', '')));
