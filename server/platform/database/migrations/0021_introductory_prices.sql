-- An order at the introductory price of its plan.
ALTER TABLE orders ADD COLUMN introductory boolean NOT NULL DEFAULT false;

-- Who has had an introductory price: keyed hashes of the e-mail and of what identifies the card or the wallet.
CREATE TABLE introductions (
  hash      text PRIMARY KEY,
  order_id  text NOT NULL REFERENCES orders
);
