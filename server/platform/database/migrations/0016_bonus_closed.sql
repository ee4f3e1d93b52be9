-- How much of its top-up was gone when its bonus went with it; null while there is bonus to spend or to put back.
ALTER TABLE balance_lots ADD COLUMN closed_at_cents integer CHECK (closed_at_cents > 0);
