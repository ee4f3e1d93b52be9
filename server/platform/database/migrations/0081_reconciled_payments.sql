-- What a gateway says of a payment that could not be brought into line: what it holds of it, and whose attempt it was for. Null where
-- it was found before this.
ALTER TABLE payments_to_compare
  ADD attempt_id  text,
  ADD held_cents  integer,
  ADD currency    text,
  -- It is looked up no more: somebody has to look.
  ADD given_up    boolean NOT NULL DEFAULT false;
