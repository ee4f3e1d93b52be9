-- What buyers agreed to when they had their card saved for further purchases: one agreement for each such order.
CREATE TABLE method_agreements (
  order_id           text PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  -- Null until the order is paid, and once the gateway has forgotten the method.
  payment_method_id  text REFERENCES payment_methods ON DELETE SET NULL,
  -- Of the words in `shown_words`.
  shown_hash         text NOT NULL,
  agreed_at          timestamptz NOT NULL,
  revoked_at         timestamptz
);
CREATE INDEX method_agreements_method ON method_agreements (payment_method_id) WHERE payment_method_id IS NOT NULL;
CREATE INDEX method_agreements_shown ON method_agreements (shown_hash);

-- When a card is valid no more; null where its gateway does not tell.
ALTER TABLE payment_methods ADD COLUMN expires_at timestamptz;
-- The saved method that an order is to be paid with. No foreign key: the method may be forgotten, and the order must not
-- be paid in another way by itself then.
ALTER TABLE orders ADD COLUMN saved_method_id text;

ALTER TABLE sandbox_tokens ADD COLUMN card_expires_at timestamptz;
ALTER TABLE sandbox_methods ADD COLUMN card_expires_at timestamptz;
