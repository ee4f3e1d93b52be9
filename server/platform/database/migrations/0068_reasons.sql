-- Why a file was of no use, as a key with its values, so that each operator reads it in their language. Rows from before have the
-- English sentence alone (reason).
ALTER TABLE assets ADD why jsonb;
ALTER TABLE uploads ADD why jsonb;
