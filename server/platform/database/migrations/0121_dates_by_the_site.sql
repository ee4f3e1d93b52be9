-- When a comparison with a gateway was last finished: what was entered later is not compared yet.
ALTER TABLE reconciliations ADD COLUMN compared_at timestamptz;
UPDATE reconciliations SET compared_at = reconciled_to;
