-- How a dispute of a payment stands at its gateway, and what was taken back for it and has not been returned.
ALTER TABLE attempts
  ADD COLUMN dispute         text CHECK (dispute IN ('open', 'won', 'lost')),
  ADD COLUMN disputed_cents  integer NOT NULL DEFAULT 0 CHECK (disputed_cents >= 0);
CREATE INDEX attempts_disputed ON attempts (gateway) WHERE dispute = 'open';
