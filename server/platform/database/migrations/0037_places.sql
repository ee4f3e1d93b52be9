-- The folder of an asset's files in media/ and public/, and what links call it: each attempt has one of its own, so that a worker
-- that lost its claim cannot write over the files of the one that made the asset. Null until it is ready.
ALTER TABLE assets ADD COLUMN place text UNIQUE;
UPDATE assets SET place = id WHERE state = 'ready';
ALTER TABLE assets ADD CONSTRAINT assets_ready_has_place CHECK (state <> 'ready' OR place IS NOT NULL);

-- Files and folders of the storage that no row names: those on their way in, until their row is committed, and those whose row
-- is gone, until they are. Whoever dies in between leaves its note, and they are swept by it.
CREATE TABLE loose_files (
  key       text PRIMARY KEY,
  noted_at  timestamptz NOT NULL
);
CREATE INDEX loose_files_noted ON loose_files (noted_at);
