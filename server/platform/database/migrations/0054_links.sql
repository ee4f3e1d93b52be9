-- Links that operators give out: whoever comes by one carries its token (referrer token) from then on.
CREATE TABLE links (
  id          text PRIMARY KEY,
  name        text NOT NULL,
  token       text NOT NULL UNIQUE,
  episode_id  text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  created_at  timestamptz(3) NOT NULL
);
CREATE INDEX links_newest ON links (created_at DESC, id DESC);
CREATE INDEX links_episode ON links (episode_id);

-- What was sold by the last link that a buyer came by, summed up by link. The index holds all that is asked for.
ALTER TABLE orders ADD COLUMN referrer_token text GENERATED ALWAYS AS (attribution->>'referrer_token') STORED;
CREATE INDEX orders_referrer_token ON orders (referrer_token) INCLUDE (currency, amount_cents, refunded_cents)
  WHERE referrer_token IS NOT NULL AND paid_at IS NOT NULL;
