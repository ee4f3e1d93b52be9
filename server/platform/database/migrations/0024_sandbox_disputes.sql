-- A refund of the sandbox may fail after it was made, as at a bank that sends it back.
ALTER TABLE sandbox_refunds ADD COLUMN failed_at timestamptz;

-- What the person behind a test card has had their bank take back.
CREATE TABLE sandbox_disputes (
  payment_id    text PRIMARY KEY REFERENCES sandbox_payments,
  status        text NOT NULL CHECK (status IN ('open', 'won', 'lost')),
  amount_cents  integer NOT NULL CHECK (amount_cents > 0),
  changed_at    timestamptz NOT NULL
);
