-- Who asked by their address for a link to cancel or to withdraw, known or not: the call does the same for both, and a job
-- finds out which.
CREATE TABLE link_requests (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose     text NOT NULL CHECK (purpose IN ('cancel', 'withdraw')),
  email       text NOT NULL,
  -- As it was typed; null for all that may be meant.
  order_id    text,
  language    text NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE TRIGGER link_requests_announce AFTER INSERT ON link_requests FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

-- When the person withdrew from the contract of an order; its money goes back then.
ALTER TABLE orders ADD COLUMN withdrawn_at timestamptz;
CREATE INDEX orders_withdrawn ON orders (withdrawn_at)
  WHERE withdrawn_at IS NOT NULL AND status IN ('paid', 'partially_refunded');

-- Orders are found by the address they were made with.
CREATE INDEX orders_email ON orders (lower(email));
