-- Texts are one JSON object per record, from language code to words: {"en": "...", "es": "...", ...}.
-- `videos.progress`: how far its episodes are made; null once all are.

CREATE TABLE categories (
  id        text PRIMARY KEY,
  slug      text NOT NULL UNIQUE,
  names     jsonb NOT NULL,
  position  integer NOT NULL DEFAULT 0
);

CREATE TABLE tags (
  id     text PRIMARY KEY,
  slug   text NOT NULL UNIQUE,
  names  jsonb NOT NULL
);

CREATE TABLE videos (
  id             text PRIMARY KEY,
  slug           text NOT NULL UNIQUE,
  titles         jsonb NOT NULL,
  synopses       jsonb NOT NULL,
  category_id    text REFERENCES categories,
  state          text NOT NULL CHECK (state IN ('draft', 'scheduled', 'published', 'archived')),
  badge          text CHECK (badge IN ('new', 'hot')),
  featured       boolean NOT NULL DEFAULT false,
  free_episodes  integer NOT NULL CHECK (free_episodes >= 0),
  episode_count  integer NOT NULL DEFAULT 0,
  currency       text NOT NULL,
  episode_cents  integer NOT NULL CHECK (episode_cents > 0),
  video_cents    integer NOT NULL CHECK (video_cents > 0),
  cover_path     text,
  cover_color    text NOT NULL DEFAULT '#2a211c',
  progress       integer CHECK (progress BETWEEN 0 AND 100),
  play_count     bigint NOT NULL DEFAULT 0,
  favorite_count bigint NOT NULL DEFAULT 0,
  share_count    bigint NOT NULL DEFAULT 0,
  released_at    timestamptz(3),
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX videos_newest ON videos (released_at DESC, id) WHERE state = 'published';
CREATE INDEX videos_popular ON videos (play_count DESC, id) WHERE state = 'published';
CREATE INDEX videos_category ON videos (category_id, released_at DESC, id) WHERE state = 'published';
CREATE INDEX videos_category_popular ON videos (category_id, play_count DESC, id) WHERE state = 'published';
CREATE INDEX videos_featured ON videos (released_at DESC, id) WHERE state = 'published' AND featured;

CREATE TABLE video_tags (
  video_id  text NOT NULL REFERENCES videos ON DELETE CASCADE,
  tag_id    text NOT NULL REFERENCES tags,
  position  integer NOT NULL,
  PRIMARY KEY (video_id, tag_id)
);
CREATE INDEX video_tags_tag ON video_tags (tag_id, video_id);

-- An asset is one ingested file and what was made of it. An episode points to the asset it plays (asset_id) and, while
-- a first or changed file is being made, to that one too (next_asset_id).
CREATE TABLE assets (
  id             text PRIMARY KEY,
  state          text NOT NULL CHECK (state IN ('uploaded', 'processing', 'ready', 'failed')),
  progress       integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  attempt        integer NOT NULL DEFAULT 0,
  reason         text,
  original_path  text,
  source_name    text NOT NULL,
  source_hash    text NOT NULL,
  width          integer,
  height         integer,
  duration_ms    integer,
  has_audio      boolean,
  captions       jsonb NOT NULL DEFAULT '[]',
  priority       integer NOT NULL DEFAULT 0,
  retired_at     timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  ready_at       timestamptz
);
CREATE INDEX assets_queue ON assets (priority DESC, created_at, id) WHERE state = 'uploaded' AND original_path IS NOT NULL;
CREATE INDEX assets_processing ON assets (id) WHERE state = 'processing';
CREATE INDEX assets_retired ON assets (retired_at) WHERE retired_at IS NOT NULL;

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

CREATE TABLE sections (
  id        text PRIMARY KEY,
  kind      text NOT NULL CHECK (kind IN ('carousel', 'row', 'ranking', 'grid')),
  titles    jsonb NOT NULL,
  source    jsonb NOT NULL,
  position  integer NOT NULL
);

CREATE TABLE settings (
  key    text PRIMARY KEY,
  value  jsonb NOT NULL
);
