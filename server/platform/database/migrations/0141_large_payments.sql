-- This release runs without it.
-- What a gateway lists may be in a currency of small units, or of another shop of the account: more than an integer holds.
ALTER TABLE foreign_payments ALTER COLUMN amount_cents TYPE bigint;
ALTER TABLE payments_to_compare ALTER COLUMN held_cents TYPE bigint;
