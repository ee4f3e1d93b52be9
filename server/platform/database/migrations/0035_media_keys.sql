-- The key that an asset's segments are encrypted with, sealed; null where they are not.
ALTER TABLE assets ADD COLUMN media_key bytea;
