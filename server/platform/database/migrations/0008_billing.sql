-- Plans, payment methods, subscriptions, orders, payments, refunds and the ledger. Amounts are in the currency's smallest unit.

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
  archived_at        timestamptz
);

CREATE TABLE payment_methods (
  id               text PRIMARY KEY,
  user_id          text NOT NULL REFERENCES users,
  gateway          text NOT NULL,
  reference        text NOT NULL,
  brand            text,
  last4            text,
  -- When the card expires; null where its gateway does not say.
  expires_at       timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  detach_attempts  integer NOT NULL DEFAULT 0,
  -- The next attempt to detach it at its gateway, after which the row is deleted; null while it may be charged.
  next_detach_at   timestamptz,
  UNIQUE (gateway, reference)
);
CREATE INDEX payment_methods_user ON payment_methods (user_id);
CREATE INDEX payment_methods_to_detach ON payment_methods (next_detach_at) WHERE next_detach_at IS NOT NULL;
-- A webhook names a method without the customer before the slash.
CREATE INDEX payment_methods_short_reference ON payment_methods (gateway, (regexp_replace(reference, '^.*/', '')));

-- Users who deleted their account and of whom a gateway may still store a name and an address; `next_poll_at` is the next attempt to
-- delete them there.
CREATE TABLE gateway_customers_to_delete (
  -- Deleted with a guest who has bought nothing, and whom no gateway knows.
  id            text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  poll_count    integer NOT NULL DEFAULT 0,
  next_poll_at  timestamptz
);
CREATE INDEX gateway_customers_to_delete_due ON gateway_customers_to_delete (next_poll_at) WHERE next_poll_at IS NOT NULL;

-- Top-ups of the balance that are on sale, each with its bonus.
CREATE TABLE top_up_products (
  id           text PRIMARY KEY,
  price_cents  integer NOT NULL CHECK (price_cents > 0),
  bonus_cents  integer NOT NULL DEFAULT 0 CHECK (bonus_cents >= 0),
  -- Lifetime of its bonus after payment; null if it never expires. Paid money never expires.
  bonus_days   integer CHECK (bonus_days > 0),
  currency     text NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  archived_at  timestamptz
);
INSERT INTO top_up_products (id, price_cents, bonus_cents, bonus_days, currency, position) VALUES
  ('top_5', 500, 0, NULL, 'USD', 0),
  ('top_10', 1000, 100, 365, 'USD', 1),
  ('top_20', 2000, 300, 365, 'USD', 2);

CREATE TABLE subscriptions (
  id                     text PRIMARY KEY,
  user_id                text NOT NULL REFERENCES users,
  plan_id                text NOT NULL REFERENCES plans,
  payment_method_id      text REFERENCES payment_methods,
  status                 text NOT NULL CHECK (status IN ('incomplete', 'active', 'past_due', 'ended', 'expired')),
  period_no              integer NOT NULL DEFAULT 0,
  period_starts_at       timestamptz,
  period_ends_at         timestamptz,
  cancel_at_period_end   boolean NOT NULL DEFAULT false,
  created_at             timestamptz NOT NULL,
  -- The next run of the renewal job on it; while a process works on it, when that process counts as dead.
  next_run_at            timestamptz,
  -- The next charge: the end of the period, then the retries of the dunning schedule; null for no more.
  next_charge_at         timestamptz,
  -- The end of the grace period after a failed renewal.
  grace_ends_at          timestamptz,
  -- When to remind the user of the next charge; null for never, or done.
  remind_at              timestamptz,
  -- The price of a renewal until the user is notified of another one. A lower price of the plan applies at once.
  agreed_price_cents     integer,
  -- The price that the user was notified of last, and from when on it applies.
  announced_price_cents  integer,
  announced_price_from   timestamptz,
  -- When the gateway reported that the payment method was detached there.
  method_detached_at     timestamptz,
  -- When the user began to choose its payment method; null for the one of the first payment.
  method_chosen_at       timestamptz,
  -- Of the whole subscription, over all of its periods.
  started_at             timestamptz,
  ended_at               timestamptz
);
-- One active subscription per user.
CREATE UNIQUE INDEX subscriptions_one_live_per_user ON subscriptions (user_id) WHERE status IN ('active', 'past_due');
CREATE INDEX subscriptions_user ON subscriptions (user_id);
CREATE INDEX subscriptions_incomplete ON subscriptions (created_at) WHERE status = 'incomplete';
CREATE INDEX subscriptions_next_run ON subscriptions (next_run_at) WHERE status IN ('active', 'past_due');
CREATE INDEX subscriptions_reminders ON subscriptions (remind_at)
  WHERE status = 'active' AND NOT cancel_at_period_end AND remind_at IS NOT NULL;
-- Deleting a payment method looks for subscriptions that are charged with it.
CREATE INDEX subscriptions_payment_method ON subscriptions (payment_method_id) WHERE payment_method_id IS NOT NULL;
-- The studio lists a plan's subscribers and counts subscriptions by status, start and end.
CREATE INDEX subscriptions_plan ON subscriptions (plan_id, created_at DESC, id) WHERE status IN ('active', 'past_due');
CREATE INDEX subscriptions_live_status ON subscriptions (status) WHERE status IN ('active', 'past_due');
CREATE INDEX subscriptions_started ON subscriptions (started_at) WHERE started_at IS NOT NULL;
CREATE INDEX subscriptions_ended ON subscriptions (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE orders (
  id                          text PRIMARY KEY,
  user_id                     text NOT NULL REFERENCES users,
  kind                        text NOT NULL CHECK (kind IN ('plan', 'episode', 'video', 'top_up')),
  video_id                    text REFERENCES videos,
  episode_id                  text REFERENCES episodes,
  plan_id                     text REFERENCES plans,
  subscription_id             text REFERENCES subscriptions,
  period_no                   integer,
  top_up_id                   text REFERENCES top_up_products,
  -- The bonus of a top-up, as it was shown.
  bonus_cents                 integer,
  bonus_days                  integer,
  status                      text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'cancelled', 'expired', 'partially_refunded', 'refunded', 'charged_back')),
  amount_cents                integer NOT NULL CHECK (amount_cents > 0),
  refunded_cents              integer NOT NULL DEFAULT 0,
  currency                    text NOT NULL,
  -- The part of a purchase that was paid with bonus money: a discount.
  discount_cents              integer,
  -- Auto-unlock ordered it.
  auto_unlock                 boolean NOT NULL DEFAULT false,
  -- The tax rate included in the price when it was paid, in hundredths of a percent.
  tax_rate                    integer,
  -- At the introductory price of its plan.
  introductory                boolean NOT NULL DEFAULT false,
  gateway                     text NOT NULL,
  method                      text NOT NULL CHECK (method IN ('card', 'wallet')),
  -- The saved payment method to charge. No foreign key: the method may be deleted, and the order must not be paid in another
  -- way by itself then.
  saved_method_id             text,
  email                       text NOT NULL,
  consent                     jsonb,
  attribution                 jsonb NOT NULL DEFAULT '{}',
  referrer_token              text GENERATED ALWAYS AS (attribution->>'referrer_token') STORED,
  created_at                  timestamptz NOT NULL,
  paid_at                     timestamptz,
  expires_at                  timestamptz NOT NULL,
  -- The user deleted their account. The order stays for the ledger; payments that still arrive for it are refunded.
  erased_at                   timestamptz,
  -- When the user withdrew from the contract, which refunds it, and the next attempt of that refund; null for no more.
  withdrawn_at                timestamptz,
  withdrawal_refund_attempts  integer NOT NULL DEFAULT 0,
  next_withdrawal_refund_at   timestamptz,
  -- Why a payment was refunded automatically; the order is closed unless another payment has paid it.
  auto_refund_reason          text,
  -- When the order was recreated from its payment at the gateway, because the database had lost it.
  restored_at                 timestamptz,
  UNIQUE (subscription_id, period_no)
);
CREATE INDEX orders_user ON orders (user_id, created_at DESC, id);
CREATE INDEX orders_auto_unlock ON orders (user_id, video_id, created_at) WHERE auto_unlock;
CREATE INDEX orders_email ON orders (lower(email));
CREATE INDEX orders_pending ON orders (expires_at) WHERE status = 'pending';
-- Orders that were never paid are deleted after a time.
CREATE INDEX orders_unpaid ON orders (expires_at) WHERE status IN ('expired', 'cancelled', 'failed') AND paid_at IS NULL;
-- An order of a subscription without a period is a change of plan at the next renewal; one at a time.
CREATE UNIQUE INDEX orders_scheduled_plan_change ON orders (subscription_id) WHERE status = 'pending' AND period_no IS NULL;
CREATE INDEX orders_withdrawn ON orders (next_withdrawal_refund_at)
  WHERE next_withdrawal_refund_at IS NOT NULL AND status IN ('paid', 'partially_refunded');
CREATE INDEX orders_terms_hash ON orders ((consent->>'terms_hash')) WHERE consent->>'terms_hash' IS NOT NULL;
-- The studio's lists, newest first.
CREATE INDEX orders_recent ON orders (created_at DESC, id);
CREATE INDEX orders_status ON orders (status, created_at DESC, id);
CREATE INDEX orders_gateway ON orders (gateway, created_at DESC, id);
CREATE INDEX orders_gateway_status ON orders (gateway, status, created_at DESC, id);

-- The consent texts that buyers saw, each once; an order has the hash of its text.
CREATE TABLE accepted_terms (
  hash     text PRIMARY KEY,
  text     text NOT NULL,
  used_at  timestamptz NOT NULL
);

-- The consent to save the payment method of an order for further purchases.
CREATE TABLE payment_method_consents (
  order_id           text PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  -- Null until the order is paid, and once the method is deleted.
  payment_method_id  text REFERENCES payment_methods ON DELETE SET NULL,
  -- The text in `accepted_terms`.
  terms_hash         text NOT NULL,
  consented_at       timestamptz NOT NULL,
  revoked_at         timestamptz
);
CREATE INDEX payment_method_consents_method ON payment_method_consents (payment_method_id) WHERE payment_method_id IS NOT NULL;
CREATE INDEX payment_method_consents_terms_hash ON payment_method_consents (terms_hash);

-- Introductory prices that were used: keyed hashes of the e-mail address and of the card or wallet.
CREATE TABLE used_intro_prices (
  hash      text PRIMARY KEY,
  order_id  text NOT NULL REFERENCES orders
);

-- Payment attempts. The row is committed before the gateway is called with its idempotency key, so that a crash in between
-- leaves no unknown charge.
CREATE TABLE payment_attempts (
  id                     text PRIMARY KEY,
  order_id               text NOT NULL REFERENCES orders,
  number                 integer NOT NULL,
  idempotency_key        text NOT NULL UNIQUE,
  -- Who initiated it: the customer at the checkout, or the merchant with a renewal.
  initiator              text NOT NULL DEFAULT 'customer' CHECK (initiator IN ('customer', 'merchant')),
  gateway                text NOT NULL,
  reference              text,
  status                 text NOT NULL CHECK (status IN ('started', 'requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled')),
  decline_code           text,
  next_step              jsonb,
  started_at             timestamptz NOT NULL,
  poll_count             integer NOT NULL DEFAULT 0,
  next_poll_at           timestamptz,
  -- The network that a card was tried from, as a keyed hash, for as long as failures count.
  network_hash           text,
  dispute_status         text CHECK (dispute_status IN ('open', 'won', 'lost')),
  -- Amount that the dispute has debited and not returned.
  dispute_debited_cents  integer NOT NULL DEFAULT 0 CHECK (dispute_debited_cents >= 0),
  -- When the dispute was opened, its amount, and the gateway's reason, response deadline and reference.
  dispute_opened_at      timestamptz,
  dispute_amount_cents   integer,
  dispute_reason         text,
  dispute_respond_by     timestamptz,
  dispute_reference      text,
  -- A refund may take days and fail in the end: the payment is polled until then.
  refund_pending         boolean NOT NULL DEFAULT false,
  UNIQUE (order_id, number),
  UNIQUE (gateway, reference)
);
CREATE INDEX payment_attempts_to_poll ON payment_attempts (next_poll_at) WHERE status IN ('started', 'requires_action', 'processing', 'unknown');
CREATE INDEX payment_attempts_networks ON payment_attempts (network_hash, started_at) WHERE network_hash IS NOT NULL;
CREATE INDEX payment_attempts_open_disputes ON payment_attempts (gateway) WHERE dispute_status = 'open';
CREATE INDEX payment_attempts_disputes ON payment_attempts (dispute_status, started_at DESC, id) WHERE dispute_status IS NOT NULL;
CREATE INDEX payment_attempts_refund_pending ON payment_attempts (gateway) WHERE refund_pending;
-- Metrics and alerts read the payments of the last quarter of an hour.
CREATE INDEX payment_attempts_started ON payment_attempts (started_at);
-- Failed renewals by day.
CREATE INDEX payment_attempts_failed_renewals ON payment_attempts (started_at) INCLUDE (order_id)
  WHERE status = 'failed' AND initiator = 'merchant';

-- Set-ups of another payment method for a subscription, without a payment. Like an attempt, the row is committed before the
-- gateway is called with its idempotency key, `method:{id}`.
CREATE TABLE payment_method_setups (
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
  network_hash     text,
  poll_count       integer NOT NULL DEFAULT 0,
  next_poll_at     timestamptz,
  UNIQUE (gateway, reference)
);
CREATE INDEX payment_method_setups_user ON payment_method_setups (user_id, started_at DESC);
CREATE INDEX payment_method_setups_networks ON payment_method_setups (network_hash, started_at) WHERE network_hash IS NOT NULL;
CREATE INDEX payment_method_setups_to_poll ON payment_method_setups (next_poll_at) WHERE status IN ('started', 'requires_action', 'processing', 'unknown');

-- Refunds, committed before the gateway is called, like attempts.
CREATE TABLE refunds (
  id               text PRIMARY KEY,
  attempt_id       text NOT NULL REFERENCES payment_attempts,
  idempotency_key  text NOT NULL UNIQUE,
  amount_cents     integer NOT NULL CHECK (amount_cents > 0),
  -- Why there is a refund: an operator or the customer requested it, the payment paid for nothing, it was refunded at the
  -- gateway, or a chargeback of a top-up took the purchase back.
  origin           text NOT NULL CHECK (origin IN ('requested', 'unwanted_payment', 'gateway', 'chargeback')),
  -- For the ledger and the audit log.
  reason           text NOT NULL,
  status           text NOT NULL CHECK (status IN ('started', 'succeeded', 'failed')),
  poll_count       integer NOT NULL DEFAULT 0,
  next_poll_at     timestamptz,
  created_at       timestamptz NOT NULL,
  -- The operator, where a daily limit of refunds applies to them.
  requested_by     text
);
CREATE INDEX refunds_attempt ON refunds (attempt_id);
CREATE INDEX refunds_to_send ON refunds (next_poll_at) WHERE status = 'started';
CREATE INDEX refunds_requested_by ON refunds (requested_by, created_at) WHERE requested_by IS NOT NULL;

-- Double entry: the lines of a transaction add up to zero. Positive is debit. Lines are never changed.
CREATE TABLE ledger_lines (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id  text NOT NULL,
  order_id        text NOT NULL REFERENCES orders,
  account         text NOT NULL,
  amount_cents    bigint NOT NULL CHECK (amount_cents <> 0),
  currency        text NOT NULL,
  at              timestamptz NOT NULL,
  -- The day on which the figures count the line, if not `at`. The outcome of a dispute and a failed refund count when the
  -- dispute was opened or the refund was sent, so that no day nets more than it grossed.
  effective_at    timestamptz
);
CREATE UNIQUE INDEX ledger_lines_once ON ledger_lines (transaction_id, account);
CREATE INDEX ledger_lines_order ON ledger_lines (order_id);
CREATE INDEX ledger_lines_at ON ledger_lines (at);
-- Revenue is summed up by day from these indexes alone.
CREATE INDEX ledger_lines_revenue ON ledger_lines (at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE effective_at IS NULL AND (account LIKE 'sales:%' OR account IN ('charged_back', 'dispute_lost'));
CREATE INDEX ledger_lines_backdated ON ledger_lines (effective_at) INCLUDE (account, currency, amount_cents, transaction_id)
  WHERE effective_at IS NOT NULL;
-- Payments that bought nothing, until they are refunded.
CREATE INDEX ledger_lines_refunds_payable ON ledger_lines (transaction_id) WHERE account = 'refunds_payable';

-- Ledger lines that the funnel's sums do not include yet.
CREATE TABLE unaggregated_ledger_lines (
  line_id  bigint PRIMARY KEY REFERENCES ledger_lines
);

-- Revenue of past days in UTC, summed up once by a job. No line is dated into such a day any more.
CREATE TABLE daily_revenue (
  day   date PRIMARY KEY,
  sums  jsonb NOT NULL
);

-- A repeated request with the same key and body gets the same response. Until there is one, `lease_owner` works on it and renews
-- its lease; after a crash the next request takes over. `reserved_id` is the id of what the request creates, the same for both.
CREATE TABLE idempotency_keys (
  user_id           text NOT NULL,
  key               text NOT NULL,
  request_path      text NOT NULL,
  request_hash      text NOT NULL,
  reserved_id       text NOT NULL,
  lease_owner       text NOT NULL,
  lease_expires_at  timestamptz NOT NULL,
  response          jsonb,
  created_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Webhook events, recorded before they are applied.
CREATE TABLE webhook_events (
  gateway       text NOT NULL,
  event_id      text NOT NULL,
  reference     text NOT NULL,
  received_at   timestamptz NOT NULL,
  applied_at    timestamptz,
  poll_count    integer NOT NULL DEFAULT 0,
  -- The next attempt to apply it, with exponential backoff; null for no more.
  next_poll_at  timestamptz,
  PRIMARY KEY (gateway, event_id)
);
CREATE INDEX webhook_events_to_apply ON webhook_events (next_poll_at) WHERE applied_at IS NULL;
CREATE INDEX webhook_events_reference ON webhook_events (gateway, reference);

-- The time up to which each gateway's payments were reconciled with the ledger.
CREATE TABLE reconciliations (
  gateway           text PRIMARY KEY,
  reconciled_until  timestamptz NOT NULL,
  -- The end of the last run: what was entered later is not compared yet.
  last_run_at       timestamptz
);

-- Payments that a gateway listed and that could not be synced. They are retried one by one, so that the run continues.
CREATE TABLE payment_discrepancies (
  gateway        text NOT NULL,
  reference      text NOT NULL,
  detected_at    timestamptz NOT NULL,
  -- The amount and attempt that the gateway reports.
  attempt_id     text,
  gateway_cents  bigint,
  currency       text,
  -- It is not retried any more and needs an operator.
  abandoned      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (gateway, reference)
);

-- Payments at a gateway that belong to no order and need an operator.
CREATE TABLE unmatched_payments (
  gateway       text NOT NULL,
  reference     text NOT NULL,
  amount_cents  bigint NOT NULL,
  currency      text NOT NULL,
  detected_at   timestamptz NOT NULL,
  PRIMARY KEY (gateway, reference)
);
CREATE INDEX unmatched_payments_detected ON unmatched_payments (detected_at DESC);

-- Links in mails about an order: the SHA-256 of the secret.
CREATE TABLE order_links (
  hash        bytea PRIMARY KEY,
  purpose     text NOT NULL CHECK (purpose IN ('claim', 'cancel', 'withdraw')),
  order_id    text NOT NULL REFERENCES orders ON DELETE CASCADE,
  -- Null for a link that is valid as long as its order can be claimed, cancelled or withdrawn from.
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL
);
CREATE INDEX order_links_order ON order_links (order_id);
CREATE INDEX order_links_expiry ON order_links (expires_at);

-- Requests by e-mail address for a link to cancel or to withdraw. A job finds out whether the address is known, so that the
-- call's duration does not reveal it.
CREATE TABLE link_requests (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose     text NOT NULL CHECK (purpose IN ('cancel', 'withdraw')),
  email       text NOT NULL,
  -- As typed; null for every order that may be meant.
  order_id    text,
  language    text NOT NULL,
  created_at  timestamptz NOT NULL
);
CREATE TRIGGER link_requests_notify AFTER INSERT ON link_requests FOR EACH STATEMENT EXECUTE FUNCTION notify_listeners();
