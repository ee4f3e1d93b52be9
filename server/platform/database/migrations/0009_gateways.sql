-- The records of single payment gateways. They have no foreign keys into the site's own tables, because they represent data that is
-- kept elsewhere.

-- A user's customer at Stripe. `deleted_customer_id` was deleted there, so that a new one is created with another idempotency key.
CREATE TABLE stripe_customers (
  user_id              text PRIMARY KEY,
  customer_id          text,
  deleted_customer_id  text
);

-- Tokens of test cards. Of a card only the behaviour, the brand and the last four digits are stored.
CREATE TABLE sandbox_tokens (
  token            text PRIMARY KEY,
  behaviour        text NOT NULL,
  brand            text NOT NULL,
  last4            text NOT NULL,
  expires_at       timestamptz NOT NULL,
  used_at          timestamptz,
  card_expires_at  timestamptz
);

CREATE TABLE sandbox_payment_methods (
  id               text PRIMARY KEY,
  behaviour        text NOT NULL,
  brand            text NOT NULL,
  last4            text,
  detached_at      timestamptz,
  card_expires_at  timestamptz
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
  method_id        text REFERENCES sandbox_payment_methods,
  saved            boolean NOT NULL,
  metadata         jsonb NOT NULL,
  return_url       text NOT NULL,
  created_at       timestamptz NOT NULL
);
CREATE INDEX sandbox_payments_since ON sandbox_payments (created_at, id);

-- Set-ups of a payment method without a payment.
CREATE TABLE sandbox_method_setups (
  id               text PRIMARY KEY,
  idempotency_key  text NOT NULL UNIQUE,
  request_hash     text NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('card', 'wallet')),
  status           text NOT NULL CHECK (status IN ('requires_action', 'succeeded', 'failed', 'cancelled')),
  decline_code     text,
  method_id        text REFERENCES sandbox_payment_methods,
  method_setup_id  text NOT NULL,
  return_url       text NOT NULL,
  cancel_url       text NOT NULL,
  created_at       timestamptz NOT NULL
);

CREATE TABLE sandbox_refunds (
  idempotency_key  text PRIMARY KEY,
  payment_id       text NOT NULL REFERENCES sandbox_payments,
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  created_at       timestamptz NOT NULL,
  -- A refund may fail after it was accepted, as when a bank sends it back.
  failed_at        timestamptz
);
CREATE INDEX sandbox_refunds_payment ON sandbox_refunds (payment_id);

CREATE TABLE sandbox_disputes (
  payment_id    text PRIMARY KEY REFERENCES sandbox_payments,
  status        text NOT NULL CHECK (status IN ('open', 'won', 'lost')),
  amount_cents  integer NOT NULL CHECK (amount_cents > 0),
  changed_at    timestamptz NOT NULL
);

-- Offset of the clock of a site without real gateways; one row, or none.
CREATE TABLE sandbox_clock (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  offset_ms  bigint NOT NULL CHECK (offset_ms >= 0)
);
