-- The lists of orders that operators look at, the latest first, of all people.
CREATE INDEX orders_recent ON orders (created_at DESC, id);
CREATE INDEX orders_status ON orders (status, created_at DESC, id);
CREATE INDEX orders_gateway ON orders (gateway, created_at DESC, id);
CREATE INDEX orders_gateway_status ON orders (gateway, status, created_at DESC, id);
CREATE INDEX attempts_disputes ON attempts (dispute, started_at DESC, id) WHERE dispute IS NOT NULL;
CREATE INDEX notifications_reference ON notifications (gateway, reference);
CREATE INDEX ledger_lines_at ON ledger_lines (at);

-- Money at a gateway that is for no order of ours. Somebody has to look.
CREATE TABLE foreign_payments (
  gateway       text NOT NULL,
  reference     text NOT NULL,
  amount_cents  integer NOT NULL,
  currency      text NOT NULL,
  found_at      timestamptz NOT NULL,
  PRIMARY KEY (gateway, reference)
);
CREATE INDEX foreign_payments_found ON foreign_payments (found_at DESC);
