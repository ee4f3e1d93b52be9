-- Deleting a method asks for the subscriptions that are charged with it.
CREATE INDEX subscriptions_payment_method ON subscriptions (payment_method_id) WHERE payment_method_id IS NOT NULL;

-- What no live subscription is charged with is forgotten at its gateway.
UPDATE subscriptions SET payment_method_id = NULL WHERE status IN ('ended', 'expired');
UPDATE payment_methods AS method SET brand = NULL, last4 = NULL, checks = 0, check_at = now()
  WHERE check_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE payment_method_id = method.id);

-- People who left, of whom a gateway may keep a name and an address; `check_at` is the next try to have it forgotten.
CREATE TABLE payers_to_forget (
  id        text PRIMARY KEY REFERENCES users,
  checks    integer NOT NULL DEFAULT 0,
  check_at  timestamptz
);
CREATE INDEX payers_to_forget_due ON payers_to_forget (check_at) WHERE check_at IS NOT NULL;
-- Whoever leaves takes the guests along that became them.
CREATE INDEX users_merged_into ON users (merged_into) WHERE merged_into IS NOT NULL;
