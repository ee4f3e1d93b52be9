-- What a subscription's renewal costs as long as its person has been told of no other price; a plan's price that falls holds at
-- once. What they were told last, and from when on that holds.
ALTER TABLE subscriptions
  ADD COLUMN agreed_cents integer,
  ADD COLUMN told_cents   integer,
  ADD COLUMN told_from    timestamptz;
UPDATE subscriptions SET agreed_cents = plans.price_cents FROM plans WHERE plans.id = subscriptions.plan_id;
