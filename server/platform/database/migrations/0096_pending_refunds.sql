-- A gateway may take days over a refund, and it may fail in the end: its payment is read again until the refund has ended.
ALTER TABLE attempts ADD refund_pending boolean NOT NULL DEFAULT false;
CREATE INDEX attempts_refund_pending ON attempts (gateway) WHERE refund_pending;
