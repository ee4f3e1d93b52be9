-- Runs outside a transaction.
-- This release runs without it.
-- Money that bought nothing is looked for until it has gone back.
CREATE INDEX CONCURRENTLY IF NOT EXISTS ledger_lines_to_return ON ledger_lines (transaction_id) WHERE account = 'to_return';
