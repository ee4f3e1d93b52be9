-- This release runs without it.
-- What is sold as money for the balance, and the bonus that comes with it.
CREATE TABLE top_up_products (
  id           text PRIMARY KEY,
  price_cents  integer NOT NULL CHECK (price_cents > 0),
  bonus_cents  integer NOT NULL DEFAULT 0 CHECK (bonus_cents >= 0),
  -- How long its bonus lasts from when it is paid; null for ever. Paid money never expires.
  bonus_days   integer CHECK (bonus_days > 0),
  currency     text NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  retired_at   timestamptz
);
INSERT INTO top_up_products (id, price_cents, bonus_cents, bonus_days, currency, position) VALUES
  ('top_5', 500, 0, NULL, 'USD', 0),
  ('top_10', 1000, 100, 365, 'USD', 1),
  ('top_20', 2000, 300, 365, 'USD', 2);

-- Each row meets the narrower condition that it had.
ALTER TABLE orders DROP CONSTRAINT orders_kind_check;
ALTER TABLE orders ADD CONSTRAINT orders_kind_check CHECK (kind IN ('plan', 'episode', 'video', 'top_up')) NOT VALID;
ALTER TABLE orders
  ADD COLUMN top_up_id       text REFERENCES top_up_products,
  -- What a top-up gives beside its amount, as it was shown.
  ADD COLUMN bonus_cents     integer,
  ADD COLUMN bonus_days      integer,
  -- What of a purchase was paid with bonus money: a discount.
  ADD COLUMN discount_cents  integer,
  -- Auto-unlock ordered it.
  ADD COLUMN automatic       boolean NOT NULL DEFAULT false;
CREATE INDEX orders_automatic ON orders (user_id, video_id, created_at) WHERE automatic;

-- The money of one top-up that a person has, or its bonus. Only one transaction at a time changes those of a person.
CREATE TABLE balance_lots (
  id            text PRIMARY KEY,
  user_id       text NOT NULL REFERENCES users,
  order_id      text NOT NULL REFERENCES orders,
  kind          text NOT NULL CHECK (kind IN ('paid', 'bonus')),
  currency      text NOT NULL,
  amount_cents  integer NOT NULL CHECK (amount_cents > 0),
  left_cents    integer NOT NULL CHECK (left_cents BETWEEN 0 AND amount_cents),
  -- What refunds and disputes of the top-up took out of it, and what they took beyond that: a loss.
  taken_cents   integer NOT NULL DEFAULT 0 CHECK (taken_cents BETWEEN 0 AND amount_cents),
  lost_cents    integer NOT NULL DEFAULT 0 CHECK (lost_cents >= 0),
  expires_at    timestamptz,
  created_at    timestamptz NOT NULL,
  CHECK (left_cents + taken_cents <= amount_cents),
  CHECK (kind = 'bonus' OR expires_at IS NULL),
  UNIQUE (order_id, kind)
);
CREATE INDEX balance_lots_user ON balance_lots (user_id, currency);
CREATE INDEX balance_lots_left ON balance_lots (currency, kind) INCLUDE (left_cents) WHERE left_cents > 0;
CREATE INDEX balance_lots_expiring ON balance_lots (expires_at) WHERE left_cents > 0 AND expires_at IS NOT NULL;

-- The statement of a balance: each change once.
CREATE TABLE balance_entries (
  id           text PRIMARY KEY,
  user_id      text NOT NULL REFERENCES users,
  order_id     text NOT NULL REFERENCES orders,
  kind         text NOT NULL,
  currency     text NOT NULL,
  paid_cents   integer NOT NULL,
  bonus_cents  integer NOT NULL,
  at           timestamptz NOT NULL
);
CREATE INDEX balance_entries_user ON balance_entries (user_id, at DESC, id);
CREATE INDEX balance_entries_order ON balance_entries (order_id);

-- Which lots a change put money into or took it from. What is left of a lot is the sum of its lines.
CREATE TABLE balance_lines (
  entry_id  text NOT NULL REFERENCES balance_entries,
  lot_id    text NOT NULL REFERENCES balance_lots,
  cents     integer NOT NULL CHECK (cents <> 0),
  PRIMARY KEY (entry_id, lot_id)
);
CREATE INDEX balance_lines_lot ON balance_lines (lot_id);

-- Who has the next episode of a drama unlocked from the balance by itself, up to which price, and how often within a day.
CREATE TABLE auto_unlocks (
  user_id       text NOT NULL REFERENCES users,
  video_id      text NOT NULL REFERENCES videos,
  daily_limit   integer NOT NULL CHECK (daily_limit > 0),
  agreed_cents  integer NOT NULL,
  currency      text NOT NULL,
  -- The words that they agreed to, in `shown_words`.
  shown_hash    text NOT NULL,
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);
CREATE INDEX auto_unlocks_shown ON auto_unlocks (shown_hash);

-- The figures of balances are summed up by day. The index holds all that is asked for.
CREATE INDEX ledger_lines_balance ON ledger_lines (at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE account IN ('deferred_revenue', 'bonus_discount', 'breakage', 'balance_loss');
