CREATE TABLE plans (
  id                 text PRIMARY KEY,
  names              jsonb NOT NULL,
  descriptions       jsonb NOT NULL,
  price_cents        integer NOT NULL CHECK (price_cents > 0),
  intro_price_cents  integer CHECK (intro_price_cents > 0),
  currency           text NOT NULL,
  period_days        integer NOT NULL CHECK (period_days > 0),
  highlight          boolean NOT NULL DEFAULT false,
  position           integer NOT NULL DEFAULT 0,
  retired_at         timestamptz
);

CREATE TABLE payment_methods (
  id          text PRIMARY KEY,
  user_id     text NOT NULL REFERENCES users,
  gateway     text NOT NULL,
  reference   text NOT NULL,
  brand       text,
  last4       text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (gateway, reference)
);

CREATE TABLE subscriptions (
  id                    text PRIMARY KEY,
  user_id               text NOT NULL REFERENCES users,
  plan_id               text NOT NULL REFERENCES plans,
  payment_method_id     text REFERENCES payment_methods,
  status                text NOT NULL CHECK (status IN ('incomplete', 'active', 'past_due', 'ended', 'expired')),
  period_no             integer NOT NULL DEFAULT 0,
  period_starts_at      timestamptz,
  period_ends_at        timestamptz,
  cancel_at_period_end  boolean NOT NULL DEFAULT false,
  created_at            timestamptz NOT NULL
);
CREATE INDEX subscriptions_incomplete ON subscriptions (created_at) WHERE status = 'incomplete';
-- One live subscription per person.
CREATE UNIQUE INDEX subscriptions_live ON subscriptions (user_id) WHERE status IN ('active', 'past_due');

CREATE TABLE orders (
  id               text PRIMARY KEY,
  user_id          text NOT NULL REFERENCES users,
  kind             text NOT NULL CHECK (kind IN ('plan', 'episode', 'video')),
  video_id         text REFERENCES videos,
  episode_id       text REFERENCES episodes,
  plan_id          text REFERENCES plans,
  subscription_id  text REFERENCES subscriptions,
  period_no        integer,
  status           text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'cancelled', 'expired', 'partially_refunded', 'refunded', 'charged_back')),
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  refunded_cents   integer NOT NULL DEFAULT 0,
  currency         text NOT NULL,
  gateway          text NOT NULL,
  method           text NOT NULL CHECK (method IN ('card', 'wallet')),
  email            text NOT NULL,
  consent          jsonb,
  attribution      jsonb NOT NULL DEFAULT '{}',
  created_at       timestamptz NOT NULL,
  paid_at          timestamptz,
  expires_at       timestamptz NOT NULL,
  UNIQUE (subscription_id, period_no)
);
CREATE INDEX orders_user ON orders (user_id, created_at DESC, id);
CREATE INDEX orders_pending ON orders (expires_at) WHERE status = 'pending';

-- An attempt is one try to charge an order, committed before the gateway is called with its key.
CREATE TABLE attempts (
  id               text PRIMARY KEY,
  order_id         text NOT NULL REFERENCES orders,
  number           integer NOT NULL,
  idempotency_key  text NOT NULL UNIQUE,
  gateway          text NOT NULL,
  reference        text,
  status           text NOT NULL CHECK (status IN ('started', 'requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled')),
  decline_code     text,
  next_step        jsonb,
  started_at       timestamptz NOT NULL,
  checks           integer NOT NULL DEFAULT 0,
  check_at         timestamptz,
  UNIQUE (order_id, number),
  UNIQUE (gateway, reference)
);
CREATE INDEX attempts_to_check ON attempts (check_at) WHERE status IN ('started', 'requires_action', 'processing', 'unknown');

-- Money on its way back. Committed before the gateway is called with its key, like an attempt.
CREATE TABLE refunds (
  id               text PRIMARY KEY,
  attempt_id       text NOT NULL REFERENCES attempts,
  idempotency_key  text NOT NULL UNIQUE,
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  reason           text NOT NULL,
  status           text NOT NULL CHECK (status IN ('started', 'succeeded', 'failed')),
  checks           integer NOT NULL DEFAULT 0,
  check_at         timestamptz,
  created_at       timestamptz NOT NULL
);
CREATE INDEX refunds_attempt ON refunds (attempt_id);
CREATE INDEX refunds_to_send ON refunds (check_at) WHERE status = 'started';

-- Entitlements belong to library: the right of one user to play one episode, one video, or (video_id null) everything.
CREATE TABLE entitlements (
  id               text PRIMARY KEY,
  user_id          text NOT NULL REFERENCES users,
  order_id         text NOT NULL REFERENCES orders,
  source           text NOT NULL CHECK (source IN ('purchase', 'subscription')),
  video_id         text REFERENCES videos,
  episode_id       text REFERENCES episodes,
  starts_at        timestamptz NOT NULL,
  ends_at          timestamptz,
  revoked_at       timestamptz
);
-- One per order and thing.
CREATE UNIQUE INDEX entitlements_order ON entitlements (order_id, coalesce(episode_id, video_id, ''));
CREATE INDEX entitlements_user ON entitlements (user_id, video_id) WHERE revoked_at IS NULL;
CREATE INDEX entitlements_recent ON entitlements (user_id, starts_at DESC, id) WHERE revoked_at IS NULL;

-- Double entry: the lines of one transaction add up to zero. Positive is debit.
CREATE TABLE ledger_lines (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id  text NOT NULL,
  order_id        text NOT NULL REFERENCES orders,
  account         text NOT NULL,
  amount_cents    bigint NOT NULL CHECK (amount_cents <> 0),
  currency        text NOT NULL,
  at              timestamptz NOT NULL
);
CREATE INDEX ledger_lines_order ON ledger_lines (order_id);
CREATE UNIQUE INDEX ledger_lines_once ON ledger_lines (transaction_id, account);

-- The same key, call and body give the same answer. While there is none, `holder` is working on it and renews its lease;
-- a holder that died is followed by the next who asks. `reserved_id` is the id of what the call makes, the same for both.
CREATE TABLE idempotency_keys (
  user_id      text NOT NULL,
  key          text NOT NULL,
  call         text NOT NULL,
  body_hash    text NOT NULL,
  reserved_id  text NOT NULL,
  holder       text NOT NULL,
  held_until   timestamptz NOT NULL,
  answer       jsonb,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- What gateways told us, recorded before it is acted on.
CREATE TABLE notifications (
  gateway      text NOT NULL,
  event_id     text NOT NULL,
  reference    text NOT NULL,
  received_at  timestamptz NOT NULL,
  applied_at   timestamptz,
  PRIMARY KEY (gateway, event_id)
);
CREATE INDEX notifications_open ON notifications (received_at) WHERE applied_at IS NULL;

-- The sandbox gateway's own books, as a foreign gateway would keep them elsewhere: no foreign keys into ours.
-- Of a card it keeps the behaviour, the brand and the last four digits.
CREATE TABLE sandbox_tokens (
  token       text PRIMARY KEY,
  behaviour   text NOT NULL,
  brand       text NOT NULL,
  last4       text NOT NULL,
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);

CREATE TABLE sandbox_methods (
  id            text PRIMARY KEY,
  behaviour     text NOT NULL,
  brand         text NOT NULL,
  last4         text,
  forgotten_at  timestamptz
);

CREATE TABLE sandbox_payments (
  id               text PRIMARY KEY,
  idempotency_key  text NOT NULL UNIQUE,
  request_hash     text NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('card', 'wallet', 'saved')),
  status           text NOT NULL CHECK (status IN ('requires_action', 'succeeded', 'failed', 'cancelled')),
  decline_code     text,
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  currency         text NOT NULL,
  method_id        text REFERENCES sandbox_methods,
  saved            boolean NOT NULL,
  metadata         jsonb NOT NULL,
  return_url       text NOT NULL,
  created_at       timestamptz NOT NULL
);
CREATE INDEX sandbox_payments_since ON sandbox_payments (created_at, id);

CREATE TABLE sandbox_refunds (
  idempotency_key  text PRIMARY KEY,
  payment_id       text NOT NULL REFERENCES sandbox_payments,
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  created_at       timestamptz NOT NULL
);
CREATE INDEX sandbox_refunds_payment ON sandbox_refunds (payment_id);
