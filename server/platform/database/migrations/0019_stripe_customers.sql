-- The customers that Stripe has for our people. Like a foreign gateway's books: no foreign keys into ours.
-- `gone` was deleted at Stripe: another is asked for under another key.
CREATE TABLE stripe_customers (
  user_id   text PRIMARY KEY,
  customer  text,
  gone      text
);
