-- An episode's file on its way into the storage. After a kill the same file goes on under the same asset, so that the parts
-- which an upload has brought serve.
CREATE TABLE arrivals (
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  source_hash  text NOT NULL,
  asset_id     text NOT NULL,
  began_at     timestamptz NOT NULL,
  PRIMARY KEY (episode_id, source_hash)
);
CREATE INDEX arrivals_began ON arrivals (began_at);
