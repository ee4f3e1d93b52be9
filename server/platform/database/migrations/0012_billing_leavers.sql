-- A person who left: the order stays for the books without them, and money that still comes in for it goes back.
ALTER TABLE orders ADD COLUMN erased_at timestamptz;

-- A method whose person left is forgotten at its gateway before its row goes; `check_at` is the next try.
ALTER TABLE payment_methods
  ADD COLUMN checks    integer NOT NULL DEFAULT 0,
  ADD COLUMN check_at  timestamptz;
CREATE INDEX payment_methods_to_forget ON payment_methods (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX payment_methods_user ON payment_methods (user_id);
CREATE INDEX subscriptions_user ON subscriptions (user_id);
