-- Categories, tags, videos and the homepage. Texts are one JSON object per record, by language: {"en": "...", "es": "...", ...}.
-- Lists, counts and search rows are kept by triggers, so that no read scans or counts and no write can forget them.

-- Text functions come first, because generated columns use them. With RETURN or BEGIN ATOMIC their calls are bound when they
-- are created, so that a dump can be restored.

-- Normalises a text for searching: without accents, case and punctuation. Two texts that read alike become equal.
CREATE FUNCTION normalized_text(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  trim(regexp_replace(
    replace(replace(replace(
      translate(lower(regexp_replace(normalize(words, NFKD), '[\u0300-\u036f]', '', 'g')), 'øłđðı', 'olddi'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'));

-- Splits a text into words of at most 32 characters, as a tsvector takes no longer ones. Only a blank ends a word: other
-- spaces of Unicode stay in it.
CREATE FUNCTION normalized_words(words text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  array_remove(string_to_array(regexp_replace(normalized_text(words), '([^ ]{32})[^ ]+', '\1', 'g'), ' '), '');

-- The words of names, for a tsvector: as they are, and with their language (es/amor) for suggestions while a viewer types.
CREATE FUNCTION name_lexemes(names jsonb, weight text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(string_agg(
    format('''%1$s'':%2$s%3$s ''%4$s/%1$s'':%2$s%3$s', word, place, weight, language), ' '), '')
  FROM jsonb_each_text(names) name(language, words), unnest(normalized_words(words)) WITH ORDINALITY found(word, place)
);

CREATE FUNCTION normalized_words_of_names(names jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT word), '{}') FROM jsonb_each_text(names) name(language, text), unnest(normalized_words(text)) word
);

CREATE TABLE categories (
  id        text PRIMARY KEY,
  slug      text NOT NULL UNIQUE,
  names     jsonb NOT NULL,
  position  integer NOT NULL DEFAULT 0,
  -- A search looks up categories here. A video's search row has only the category's id, so that a rename writes no video.
  words     text[] NOT NULL GENERATED ALWAYS AS (normalized_words_of_names(names)) STORED
);

CREATE TABLE tags (
  id              text PRIMARY KEY,
  slug            text NOT NULL UNIQUE,
  names           jsonb NOT NULL,
  -- Published videos.
  video_count     integer NOT NULL DEFAULT 0,
  -- The recent plays of its videos as a score, and its rank by that score, from 1.
  trending_score  double precision NOT NULL DEFAULT 0,
  rank            integer NOT NULL DEFAULT 2147483647,
  trending        boolean NOT NULL DEFAULT false,
  words           tsvector GENERATED ALWAYS AS (name_lexemes(names, 'A')::tsvector) STORED,
  -- The rank before that, for a reader who is paging through the tags while they are ranked again.
  previous_rank   integer NOT NULL DEFAULT 2147483647
);
CREATE INDEX tags_rank ON tags (rank, id) WHERE video_count > 0;
CREATE INDEX tags_previous_rank ON tags (previous_rank, id) WHERE video_count > 0;
CREATE INDEX tags_used ON tags (video_count, id);
CREATE INDEX tags_words ON tags USING gin (words) WITH (fastupdate = off);

CREATE TABLE videos (
  id              text PRIMARY KEY,
  slug            text NOT NULL UNIQUE,
  titles          jsonb NOT NULL,
  synopses        jsonb NOT NULL,
  category_id     text REFERENCES categories,
  state           text NOT NULL CHECK (state IN ('draft', 'scheduled', 'published', 'archived')),
  badge           text CHECK (badge IN ('new', 'hot')),
  featured        boolean NOT NULL DEFAULT false,
  free_episodes   integer NOT NULL CHECK (free_episodes >= 0),
  episode_count   integer NOT NULL DEFAULT 0,
  currency        text NOT NULL,
  episode_cents   integer NOT NULL CHECK (episode_cents > 0),
  video_cents     integer NOT NULL CHECK (video_cents > 0),
  cover_path      text,
  cover_color     text NOT NULL DEFAULT '#2a211c',
  -- Covers for one language each, beside the cover for all: {"dy": {"path": "public/covers/….webp", "color": "#2a211c"}}.
  language_covers jsonb NOT NULL DEFAULT '{}',
  -- Transcoding progress of its episodes, in percent; null once all are done.
  progress        integer CHECK (progress BETWEEN 0 AND 100),
  play_count      bigint NOT NULL DEFAULT 0,
  favorite_count  bigint NOT NULL DEFAULT 0,
  share_count     bigint NOT NULL DEFAULT 0,
  released_at     timestamptz(3),
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  -- The play count at the last ranking. Lists are ordered by it, so that pages stay stable and a play updates no index.
  popularity      bigint NOT NULL DEFAULT 0,
  title_words     tsvector GENERATED ALWAYS AS (name_lexemes(titles, 'A')::tsvector) STORED,
  -- The ids of its tags in their order, a copy of `video_tags`: joining them took most of the time of reading cards.
  tag_ids         jsonb NOT NULL DEFAULT '[]'
);
-- Both columns of an index run in the same direction, so that the next page begins at one place of it, however many are equal.
CREATE INDEX videos_newest ON videos (released_at, id) WHERE state = 'published';
CREATE INDEX videos_popular ON videos (popularity, id) WHERE state = 'published';
CREATE INDEX videos_category ON videos (category_id, released_at, id) WHERE state = 'published';
CREATE INDEX videos_category_popular ON videos (category_id, popularity, id) WHERE state = 'published';
CREATE INDEX videos_featured ON videos (released_at, id) WHERE state = 'published' AND featured;
-- The studio lists and searches videos of every state.
CREATE INDEX videos_created ON videos (created_at, id);
CREATE INDEX videos_state_created ON videos (state, created_at, id);
CREATE INDEX videos_title_words ON videos USING gin (title_words) WITH (fastupdate = off);
CREATE INDEX videos_due ON videos (released_at) WHERE state = 'scheduled';
-- For merging and deleting a category.
CREATE INDEX videos_in_category ON videos (category_id) WHERE category_id IS NOT NULL;

CREATE TABLE video_tags (
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  tag_id       text NOT NULL REFERENCES tags,
  position     integer NOT NULL,
  -- Copies of the video's columns that a tag's videos are ordered by; null if the video is not published.
  released_at  timestamptz(3),
  popularity   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (video_id, tag_id)
);
CREATE INDEX video_tags_tag ON video_tags (tag_id, video_id);
CREATE INDEX video_tags_newest ON video_tags (tag_id, released_at, video_id) WHERE released_at IS NOT NULL;
CREATE INDEX video_tags_popular ON video_tags (tag_id, popularity, video_id) WHERE released_at IS NOT NULL;

CREATE FUNCTION copy_sort_columns_of_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT CASE WHEN state = 'published' THEN coalesce(released_at, created_at) END, popularity
  INTO NEW.released_at, NEW.popularity FROM videos WHERE id = NEW.video_id;
  RETURN NEW;
END $$;
CREATE TRIGGER copy_sort_columns_of_video BEFORE INSERT ON video_tags FOR EACH ROW EXECUTE FUNCTION copy_sort_columns_of_video();

CREATE FUNCTION tag_ids_of_video(video text) RETURNS jsonb LANGUAGE sql STABLE RETURN
  (SELECT coalesce(jsonb_agg(tag_id ORDER BY position), '[]') FROM video_tags WHERE video_id = video);

-- Copies the tags of these videos into `videos.tag_ids`. The videos are locked first, so that the second of two concurrent
-- changes sees what the first has left.
CREATE FUNCTION sync_tag_ids(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM videos WHERE id = ANY(ids) ORDER BY id FOR NO KEY UPDATE;
  UPDATE videos SET tag_ids = tag_ids_of_video(id) WHERE id = ANY(ids) AND tag_ids <> tag_ids_of_video(id);
END $$;

CREATE FUNCTION sync_changed_tag_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM sync_tag_ids(array_agg(DISTINCT video_id)) FROM after_rows HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM sync_tag_ids(array_agg(DISTINCT video_id)) FROM before_rows HAVING count(*) > 0;
  ELSE
    -- Ranks and states change these rows far more often, and list nothing anew.
    PERFORM sync_tag_ids(array_agg(DISTINCT video_id)) FROM (
      SELECT video_id, tag_id, position FROM after_rows EXCEPT SELECT video_id, tag_id, position FROM before_rows
    ) changed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sync_added_tag_ids AFTER INSERT ON video_tags
REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION sync_changed_tag_ids();
CREATE TRIGGER sync_removed_tag_ids AFTER DELETE ON video_tags
REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION sync_changed_tag_ids();
CREATE TRIGGER sync_moved_tag_ids AFTER UPDATE ON video_tags
REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
FOR EACH STATEMENT EXECUTE FUNCTION sync_changed_tag_ids();

-- Adds changes to the tags' video counts. The tags are locked in a statement of their own before they are changed: in one
-- statement two transactions that count the same tag could deadlock while a foreign key check of video_tags holds the row.
-- The order of the slugs is that of their bytes, as in the site's own code.
CREATE FUNCTION add_video_counts(tag_ids text[], changes bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed text[] := ARRAY(
    SELECT tag_id FROM unnest(tag_ids, changes) entry(tag_id, change) GROUP BY tag_id HAVING sum(change) <> 0
  );
BEGIN
  PERFORM FROM tags WHERE id = ANY(changed) ORDER BY slug COLLATE "C" FOR NO KEY UPDATE;
  UPDATE tags SET video_count = video_count + (
    SELECT sum(change) FROM unnest(tag_ids, changes) entry(tag_id, change) WHERE tag_id = tags.id
  ) WHERE id = ANY(changed);
END $$;

-- Pending batch work on the videos of a tag that has many: index its new names, give the videos another tag, or remove
-- it. catalog/editing/tag-batch-job.ts does it in batches, each in its own transaction.
CREATE TABLE tag_batch_jobs (
  tag_id         text PRIMARY KEY REFERENCES tags ON DELETE CASCADE,
  task           text NOT NULL CHECK (task IN ('index', 'merge', 'delete')),
  target_tag_id  text REFERENCES tags CHECK ((target_tag_id IS NOT NULL) = (task = 'merge')),
  -- The last video that was indexed. The other tasks need no cursor, as their videos lose the tag.
  last_video_id  text NOT NULL DEFAULT ''
);
CREATE INDEX tag_batch_jobs_target ON tag_batch_jobs (target_tag_id) WHERE target_tag_id IS NOT NULL;

-- The rows of the homepage.
CREATE TABLE sections (
  id        text PRIMARY KEY,
  kind      text NOT NULL CHECK (kind IN ('carousel', 'row', 'ranking', 'grid')),
  titles    jsonb NOT NULL,
  source    jsonb NOT NULL,
  position  integer NOT NULL
);

-- Rankings stay consistent for a reader who is paging through them while they are refreshed: each page by popularity also
-- has the videos that have moved up past the reader since. Popularity only grows, so that no video appears twice.

-- The current versions of the rankings. The row is locked until a refresh commits, so that its version is seen with all of
-- its changes and those before it.
CREATE TABLE ranking_versions (
  singleton     boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version       bigint NOT NULL,
  tags_version  bigint NOT NULL DEFAULT 0
);
INSERT INTO ranking_versions (version) VALUES (0);

-- The changes of each refresh, from one popularity to another; deleted once nobody can be paging through that version.
CREATE TABLE rank_changes (
  video_id    text NOT NULL,
  version     bigint NOT NULL,
  previous    bigint NOT NULL,
  popularity  bigint NOT NULL,
  at          timestamptz(3) NOT NULL,
  PRIMARY KEY (video_id, version)
);
CREATE INDEX rank_changes_range ON rank_changes USING gist (int8range(previous, popularity, '[]'));
CREATE INDEX rank_changes_at ON rank_changes (at);

-- Plays that are counted in `videos.play_count` and not yet in the ranking.
CREATE TABLE unranked_plays (
  video_id  text PRIMARY KEY REFERENCES videos ON DELETE CASCADE,
  plays     bigint NOT NULL
);

CREATE FUNCTION add_unranked_plays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unranked_plays VALUES (NEW.id, NEW.play_count - OLD.play_count)
  ON CONFLICT (video_id) DO UPDATE SET plays = unranked_plays.plays + excluded.plays;
  RETURN NULL;
END $$;
CREATE TRIGGER add_unranked_plays AFTER UPDATE OF play_count ON videos FOR EACH ROW
WHEN (NEW.play_count > OLD.play_count) EXECUTE FUNCTION add_unranked_plays();

-- Recommendations: what viewers of a video watched next, and how many did; at most a hundred for each video.
CREATE TABLE watched_next (
  video_id  text NOT NULL REFERENCES videos ON DELETE CASCADE,
  next_id   text NOT NULL REFERENCES videos ON DELETE CASCADE,
  viewers   integer NOT NULL,
  PRIMARY KEY (video_id, next_id)
);
CREATE INDEX watched_next_viewers ON watched_next (video_id, viewers, next_id);
CREATE INDEX watched_next_next ON watched_next (next_id);
