-- The words that buyers agreed to, each text once; an order has the hash of its own.
CREATE TABLE shown_words (
  hash     text PRIMARY KEY,
  words    text NOT NULL,
  used_at  timestamptz NOT NULL
);
CREATE INDEX orders_shown ON orders ((consent->>'shown_hash')) WHERE consent->>'shown_hash' IS NOT NULL;

-- Orders that were never paid are deleted after a time.
CREATE INDEX orders_unpaid ON orders (expires_at) WHERE status IN ('expired', 'cancelled', 'failed') AND paid_at IS NULL;
