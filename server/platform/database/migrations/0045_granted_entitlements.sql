-- A right that an operator gave belongs to no order; why it was given stands with it.
ALTER TABLE entitlements
  ALTER order_id DROP NOT NULL,
  ADD granted_for text,
  ADD CONSTRAINT entitlements_reason CHECK ((order_id IS NULL) = (granted_for IS NOT NULL));
