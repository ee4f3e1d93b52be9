-- The rate of the tax that is in the price, in hundredths of a percent, as it was when the order was paid.
ALTER TABLE orders ADD COLUMN tax_rate integer;

-- The links that mails about an order hold: the SHA-256 of the secret.
CREATE TABLE order_links (
  hash        bytea PRIMARY KEY,
  purpose     text NOT NULL CHECK (purpose IN ('claim', 'cancel', 'withdraw')),
  order_id    text NOT NULL REFERENCES orders ON DELETE CASCADE,
  -- Null for one that lasts as long as what it is about.
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL
);
CREATE INDEX order_links_order ON order_links (order_id);
CREATE INDEX order_links_expiry ON order_links (expires_at);
