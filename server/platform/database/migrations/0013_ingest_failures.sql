-- How often an asset could not be made by our own fault; that a run was interrupted says nothing about the file.
ALTER TABLE assets ADD COLUMN failures integer NOT NULL DEFAULT 0;
