-- Up to when the payments of a gateway were compared with ours.
CREATE TABLE reconciliations (
  gateway        text PRIMARY KEY,
  reconciled_to  timestamptz NOT NULL
);

-- How far the clock of a site without real gateways was moved on, in milliseconds; one row, or none.
CREATE TABLE sandbox_clock (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  ahead_ms  bigint NOT NULL CHECK (ahead_ms >= 0)
);
