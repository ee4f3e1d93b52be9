-- Prepaid balances (docs/decisions/0022-a-balance-in-lots.md).

-- The remaining money of one top-up, or its bonus. Only one transaction at a time changes a user's lots.
CREATE TABLE balance_lots (
  id                   text PRIMARY KEY,
  user_id              text NOT NULL REFERENCES users,
  order_id             text NOT NULL REFERENCES orders,
  kind                 text NOT NULL CHECK (kind IN ('paid', 'bonus')),
  currency             text NOT NULL,
  amount_cents         integer NOT NULL CHECK (amount_cents > 0),
  remaining_cents      integer NOT NULL CHECK (remaining_cents BETWEEN 0 AND amount_cents),
  -- Amount debited by refunds and disputes of the top-up, and the amount beyond the lot: a loss.
  reversed_cents       integer NOT NULL DEFAULT 0 CHECK (reversed_cents BETWEEN 0 AND amount_cents),
  lost_cents           integer NOT NULL DEFAULT 0 CHECK (lost_cents >= 0),
  -- Of a bonus lot: a withdrawn bonus is restored once less than this amount of the top-up is refunded and disputed; null while
  -- the bonus is not withdrawn.
  restore_below_cents  integer CHECK (restore_below_cents > 0),
  expires_at           timestamptz,
  created_at           timestamptz NOT NULL,
  CHECK (remaining_cents + reversed_cents <= amount_cents),
  CHECK (kind = 'bonus' OR expires_at IS NULL),
  UNIQUE (order_id, kind)
);
CREATE INDEX balance_lots_user ON balance_lots (user_id, currency);
CREATE INDEX balance_lots_remaining ON balance_lots (currency, kind) INCLUDE (remaining_cents) WHERE remaining_cents > 0;
CREATE INDEX balance_lots_expiring ON balance_lots (expires_at) WHERE remaining_cents > 0 AND expires_at IS NOT NULL;

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

-- The lots that a change credited or debited. The remaining amount of a lot is the sum of its lines.
CREATE TABLE balance_lines (
  entry_id  text NOT NULL REFERENCES balance_entries,
  lot_id    text NOT NULL REFERENCES balance_lots,
  cents     integer NOT NULL CHECK (cents <> 0),
  PRIMARY KEY (entry_id, lot_id)
);
CREATE INDEX balance_lines_lot ON balance_lines (lot_id);

-- Auto-unlock: who has the next episode of a drama unlocked from the balance, up to which price, and how often within a day.
CREATE TABLE auto_unlocks (
  user_id          text NOT NULL REFERENCES users,
  video_id         text NOT NULL REFERENCES videos,
  daily_limit      integer NOT NULL CHECK (daily_limit > 0),
  max_price_cents  integer NOT NULL,
  currency         text NOT NULL,
  -- The terms that they agreed to, in `accepted_terms`.
  terms_hash       text NOT NULL,
  created_at       timestamptz NOT NULL,
  PRIMARY KEY (user_id, video_id)
);
CREATE INDEX auto_unlocks_terms_hash ON auto_unlocks (terms_hash);

-- The figures of balances are summed up by day, from this covering index alone.
CREATE INDEX ledger_lines_balance ON ledger_lines (at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE account IN ('deferred_revenue', 'bonus_discount', 'breakage', 'balance_loss');
