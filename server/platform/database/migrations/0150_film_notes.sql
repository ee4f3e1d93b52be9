-- What of an episode's file was left out, such as tracks that can't be read, for the operator to see before publishing.
ALTER TABLE assets ADD COLUMN notes jsonb NOT NULL DEFAULT '[]';
