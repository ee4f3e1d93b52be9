-- Who began an attempt: the customer at the checkout, or the merchant (a renewal). It was part of the idempotency key.
ALTER TABLE attempts ADD COLUMN initiator text NOT NULL DEFAULT 'customer' CHECK (initiator IN ('customer', 'merchant'));
UPDATE attempts SET initiator = 'merchant' WHERE idempotency_key LIKE 'renew:%';
DROP INDEX attempts_failed_renewals;
CREATE INDEX attempts_failed_renewals ON attempts (started_at) INCLUDE (order_id)
  WHERE status = 'failed' AND initiator = 'merchant';
