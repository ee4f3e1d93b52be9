-- Why an operator took a right away; it is not given back with the order's money then.
ALTER TABLE entitlements ADD revoked_for text;
