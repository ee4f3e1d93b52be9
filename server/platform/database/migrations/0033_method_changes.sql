-- A try to have a gateway keep another method for a subscription, without a payment. Committed before the gateway is asked
-- with its key, `method:{id}`, like an attempt.
CREATE TABLE method_changes (
  id               text PRIMARY KEY,
  user_id          text NOT NULL REFERENCES users,
  subscription_id  text NOT NULL REFERENCES subscriptions,
  gateway          text NOT NULL,
  method           text NOT NULL CHECK (method IN ('card', 'wallet')),
  reference        text,
  status           text NOT NULL CHECK (status IN ('started', 'requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled')),
  decline_code     text,
  next_step        jsonb,
  started_at       timestamptz NOT NULL,
  network          text,
  checks           integer NOT NULL DEFAULT 0,
  check_at         timestamptz,
  UNIQUE (gateway, reference)
);
CREATE INDEX method_changes_user ON method_changes (user_id, started_at DESC);
CREATE INDEX method_changes_networks ON method_changes (network, started_at) WHERE network IS NOT NULL;
CREATE INDEX method_changes_to_check ON method_changes (check_at) WHERE status IN ('started', 'requires_action', 'processing', 'unknown');

-- When the person began to choose the method that a subscription is charged with; null for the one that it was paid with.
ALTER TABLE subscriptions ADD COLUMN method_chosen_at timestamptz;

-- The sandbox's book of methods that it keeps without a payment.
CREATE TABLE sandbox_savings (
  id               text PRIMARY KEY,
  idempotency_key  text NOT NULL UNIQUE,
  request_hash     text NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('card', 'wallet')),
  status           text NOT NULL CHECK (status IN ('requires_action', 'succeeded', 'failed', 'cancelled')),
  decline_code     text,
  method_id        text REFERENCES sandbox_methods,
  change_id        text NOT NULL,
  return_url       text NOT NULL,
  cancel_url       text NOT NULL,
  created_at       timestamptz NOT NULL
);
