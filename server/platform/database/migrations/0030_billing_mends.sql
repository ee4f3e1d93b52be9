-- From which network a card was tried, as a keyed hash, for as long as its failures count.
ALTER TABLE attempts ADD COLUMN network text;
CREATE INDEX attempts_networks ON attempts (network, started_at) WHERE network IS NOT NULL;

-- Payments that a gateway listed and that could not be brought into line: they are looked up by themselves, so that the list
-- goes on without them.
CREATE TABLE payments_to_compare (
  gateway    text NOT NULL,
  reference  text NOT NULL,
  found_at   timestamptz NOT NULL,
  PRIMARY KEY (gateway, reference)
);

-- Looked at again ever more seldom, and not for ever; null for no more.
ALTER TABLE notifications
  ADD COLUMN checks    integer NOT NULL DEFAULT 0,
  ADD COLUMN check_at  timestamptz;
UPDATE notifications SET check_at = now() WHERE applied_at IS NULL AND received_at > now() - interval '3 days';
DROP INDEX notifications_open;
CREATE INDEX notifications_to_check ON notifications (check_at) WHERE applied_at IS NULL;

-- When the money of a withdrawal is tried to be sent back next; null for no more.
ALTER TABLE orders
  ADD COLUMN withdrawal_checks    integer NOT NULL DEFAULT 0,
  ADD COLUMN withdrawal_check_at  timestamptz;
UPDATE orders SET withdrawal_check_at = now() WHERE withdrawn_at IS NOT NULL AND status IN ('paid', 'partially_refunded');
DROP INDEX orders_withdrawn;
CREATE INDEX orders_withdrawn ON orders (withdrawal_check_at)
  WHERE withdrawal_check_at IS NOT NULL AND status IN ('paid', 'partially_refunded');
