-- Episodes, their media assets and the uploads that bring them.

-- An asset is one source file with its renditions. An episode plays the asset in `asset_id`; while its first or a
-- replacement file is being processed, that asset is in `next_asset_id`.
CREATE TABLE assets (
  id              text PRIMARY KEY,
  state           text NOT NULL CHECK (state IN ('uploaded', 'processing', 'ready', 'failed')),
  progress        integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  -- Number of times it was taken from the queue.
  attempt         integer NOT NULL DEFAULT 0,
  -- Number of failures on our side; an interruption says nothing about the file and does not count.
  failures        integer NOT NULL DEFAULT 0,
  -- Why the file cannot be used: an English sentence for the log, and a key with its values for the studio's languages.
  reason          text,
  reason_details  jsonb,
  failed_at       timestamptz(3),
  -- Omitted parts of the file, such as unreadable tracks; an operator reads it before publishing.
  notes           jsonb NOT NULL DEFAULT '[]',
  original_path   text,
  source_name     text NOT NULL,
  source_hash     text NOT NULL,
  width           integer,
  height          integer,
  duration_ms     integer,
  has_audio       boolean,
  captions        jsonb NOT NULL DEFAULT '[]',
  priority        integer NOT NULL DEFAULT 0,
  -- The encryption key of the segments, itself encrypted; null where they are not encrypted.
  media_key       bytea,
  -- The folder of the files in media/ and public/, also in their URLs. Each attempt has its own, so that a worker that has
  -- lost its claim cannot overwrite the files of the one that succeeded.
  folder          text UNIQUE,
  deleted_at      timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  ready_at        timestamptz,
  CONSTRAINT assets_ready_has_folder CHECK (state <> 'ready' OR folder IS NOT NULL)
);
CREATE INDEX assets_queue ON assets (priority DESC, created_at, id) WHERE state = 'uploaded' AND original_path IS NOT NULL;
CREATE INDEX assets_processing ON assets (id) WHERE state = 'processing';
CREATE INDEX assets_failed ON assets (failed_at DESC, id DESC) WHERE state = 'failed' AND deleted_at IS NULL;
CREATE INDEX assets_deleted ON assets (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TRIGGER assets_notify_new AFTER INSERT ON assets
  FOR EACH ROW WHEN (NEW.state = 'uploaded') EXECUTE FUNCTION notify_listeners();
CREATE TRIGGER assets_notify AFTER UPDATE OF state ON assets
  FOR EACH ROW WHEN (NEW.state = 'uploaded' AND OLD.state <> 'uploaded') EXECUTE FUNCTION notify_listeners();

CREATE TABLE episodes (
  id             text PRIMARY KEY,
  video_id       text NOT NULL REFERENCES videos ON DELETE CASCADE,
  number         integer NOT NULL CHECK (number > 0),
  titles         jsonb NOT NULL DEFAULT '{}',
  asset_id       text REFERENCES assets,
  next_asset_id  text REFERENCES assets,
  created_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (video_id, number)
);
CREATE INDEX episodes_asset ON episodes (asset_id);
CREATE INDEX episodes_next_asset ON episodes (next_asset_id);

-- Files of episodes that are being copied to the storage. After a crash the same file continues under the same asset, so that
-- the parts of a multipart upload are used.
CREATE TABLE incoming_files (
  episode_id   text NOT NULL REFERENCES episodes ON DELETE CASCADE,
  source_hash  text NOT NULL,
  asset_id     text NOT NULL,
  started_at   timestamptz NOT NULL,
  PRIMARY KEY (episode_id, source_hash)
);
CREATE INDEX incoming_files_started ON incoming_files (started_at);

-- Files and folders of the storage that no row refers to: new ones until their row is committed, and old ones until they are
-- deleted. A process that crashes in between leaves its entry, by which a job deletes the file.
CREATE TABLE orphaned_files (
  key          text PRIMARY KEY,
  recorded_at  timestamptz NOT NULL
);
CREATE INDEX orphaned_files_recorded ON orphaned_files (recorded_at);

-- Resumable uploads of the studio. The parts lie in the storage until the worker joins them. A browser that was reloaded
-- recognises its file by name, size and modification time.
CREATE TABLE uploads (
  id                text PRIMARY KEY,
  video_id          text NOT NULL REFERENCES videos ON DELETE CASCADE,
  name              text NOT NULL,
  bytes             bigint NOT NULL CHECK (bytes > 0),
  last_modified_at  timestamptz(3) NOT NULL,
  -- The number of the episode that the file is, or has the captions of.
  number            integer NOT NULL CHECK (number > 0),
  language          text,
  state             text NOT NULL CHECK (state IN ('uploading', 'complete', 'queued', 'rejected')),
  -- As in `assets`.
  reason            text,
  reason_details    jsonb,
  -- The titles of an episode that the upload creates, by language, from a video.yaml.
  titles            jsonb,
  updated_at        timestamptz(3) NOT NULL,
  UNIQUE (video_id, name, bytes, last_modified_at)
);
CREATE INDEX uploads_complete ON uploads (updated_at) WHERE state = 'complete';
CREATE INDEX uploads_updated ON uploads (updated_at);
CREATE TRIGGER uploads_notify AFTER UPDATE OF state ON uploads
  FOR EACH ROW WHEN (NEW.state = 'complete') EXECUTE FUNCTION notify_listeners();

CREATE TABLE upload_parts (
  upload_id  text NOT NULL REFERENCES uploads ON DELETE CASCADE,
  part       integer NOT NULL,
  PRIMARY KEY (upload_id, part)
);
