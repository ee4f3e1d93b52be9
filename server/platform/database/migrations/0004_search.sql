-- The tiered search index (docs/decisions/0007-tiered-search-index.md). It needs no extension.

-- A word's deletion neighbourhood, as in SymSpell: the word, and the word without any one of its characters. Two words that
-- are one typo apart (a missing, extra, wrong or transposed character) have one of these in common.
CREATE FUNCTION deletions_of(word text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
  SELECT word UNION SELECT left(word, place - 1) || substr(word, place + 1) FROM generate_series(1, length(word)) place;
END;

-- The keys that find a whole word in spite of a typo, and those that find a word of which only the beginning is typed.
-- Keys of whole words end with "$".
CREATE FUNCTION whole_word_deletions(word text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(deletion || '$'), '{}') FROM deletions_of(word) deletion WHERE length(word) BETWEEN 4 AND 20
);
CREATE FUNCTION prefix_deletions(word text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT deletion), '{}')
  FROM generate_series(5, least(7, length(word))) size, deletions_of(left(word, size)) deletion
);

-- Every word of published texts and of categories. Typos are corrected to these, however many videos there are.
CREATE TABLE search_words (
  word       text COLLATE "C" PRIMARY KEY,
  deletions  text[] NOT NULL GENERATED ALWAYS AS (whole_word_deletions(word) || prefix_deletions(word)) STORED
);
CREATE INDEX search_words_deletions ON search_words USING gin (deletions) WITH (fastupdate = off);

-- One row for each published video, in eight tiers by popularity: the first 300, 1000, 3000, 10,000, 30,000, 100,000 and
-- 300,000 videos, and the rest. New videos begin in the first. A search reads tier after tier until it has enough matches, so
-- that a common word costs the same with a thousand videos as with a million. Rows are stored in one piece, because ranking
-- reads their words.
CREATE TABLE video_search (
  video_id          text PRIMARY KEY REFERENCES videos ON DELETE CASCADE,
  tier              smallint NOT NULL DEFAULT 0 CHECK (tier BETWEEN 0 AND 7),
  -- The magnitude of the popularity.
  popularity_score  smallint NOT NULL DEFAULT 0,
  words             tsvector NOT NULL,
  -- A copy of the video's, so that the newest matches are found without reading `videos`.
  released_at       timestamptz(3) NOT NULL
) WITH (fillfactor = 85, toast_tuple_target = 8160);
CREATE INDEX video_search_tier_0 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 0;
CREATE INDEX video_search_tier_1 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 1;
CREATE INDEX video_search_tier_2 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 2;
CREATE INDEX video_search_tier_3 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 3;
CREATE INDEX video_search_tier_4 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 4;
CREATE INDEX video_search_tier_5 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 5;
CREATE INDEX video_search_tier_6 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 6;
CREATE INDEX video_search_tier_7 ON video_search USING gin (words) WITH (fastupdate = off) WHERE tier = 7;
CREATE INDEX video_search_upper_tiers ON video_search (tier, video_id) WHERE tier < 7;

CREATE FUNCTION popularity_score_of(popularity bigint) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  floor(log(2, 1 + popularity))::smallint;

-- The search document of a video's own texts: the words of its titles (A) and synopses (D), and whole titles (=love in the rain).
CREATE FUNCTION search_document(titles jsonb, synopses jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT concat_ws(' ',
    name_lexemes(titles, 'A'),
    (SELECT string_agg(DISTINCT format('''=%s'':1A', left(normalized_text(title), 200)), ' ')
     FROM jsonb_each_text(titles) name(language, title) WHERE normalized_text(title) <> ''),
    (SELECT string_agg(format('''%s'':%sD', word, place), ' ')
     FROM jsonb_each_text(synopses) synopsis(language, words),
       unnest(normalized_words(left(words, 4000))) WITH ORDINALITY found(word, place))
  )::tsvector
);

CREATE FUNCTION category_lexeme(category text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  coalesce(format('''category/%s'':1B', category), '')::tsvector;

-- Updates the search rows of these videos: the words of their texts and of their tags (B), and their category. New words are
-- inserted in one order everywhere, so that two transactions that publish at the same time do not deadlock.
CREATE FUNCTION index_videos(ids text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM video_search USING videos
  WHERE video_id = ANY(ids) AND videos.id = video_id AND videos.state <> 'published';

  WITH documents AS MATERIALIZED (
    SELECT id, popularity_score_of(popularity) AS popularity_score, coalesce(released_at, created_at) AS released_at,
      search_document(titles, synopses) || coalesce((
        SELECT string_agg(setweight(tags.words, 'B')::text, ' ')::tsvector
        FROM video_tags JOIN tags ON tags.id = tag_id WHERE video_tags.video_id = videos.id
      ), '') || category_lexeme(category_id) AS words
    FROM videos WHERE id = ANY(ids) AND state = 'published'
  ), added AS (
    INSERT INTO search_words (word)
    SELECT DISTINCT word COLLATE "C" AS word FROM documents, unnest(tsvector_to_array(words)) word
    WHERE word !~ '[/=]' AND NOT EXISTS (SELECT FROM search_words known WHERE known.word = word.word)
    ORDER BY word
    ON CONFLICT DO NOTHING
  )
  INSERT INTO video_search (video_id, popularity_score, released_at, words)
  SELECT id, popularity_score, released_at, words FROM documents ORDER BY id
  ON CONFLICT (video_id) DO UPDATE SET released_at = excluded.released_at, words = excluded.words
  WHERE (video_search.released_at, video_search.words) IS DISTINCT FROM (excluded.released_at::timestamptz(3), excluded.words);
$$;

CREATE FUNCTION update_video_listings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video_tags SET released_at = listed.released_at
  FROM (SELECT CASE WHEN NEW.state = 'published' THEN coalesce(NEW.released_at, NEW.created_at) END AS released_at) listed
  WHERE video_id = NEW.id AND video_tags.released_at IS DISTINCT FROM listed.released_at;
  PERFORM index_videos(ARRAY[NEW.id]);
  RETURN NULL;
END $$;
CREATE TRIGGER update_new_video_listings AFTER INSERT ON videos FOR EACH ROW
WHEN (NEW.state = 'published') EXECUTE FUNCTION update_video_listings();
CREATE TRIGGER update_changed_video_listings AFTER UPDATE OF state, released_at, titles, synopses, category_id ON videos FOR EACH ROW
WHEN ((OLD.state, OLD.released_at, OLD.titles, OLD.synopses, OLD.category_id)
  IS DISTINCT FROM (NEW.state, NEW.released_at, NEW.titles, NEW.synopses, NEW.category_id)) EXECUTE FUNCTION update_video_listings();

CREATE FUNCTION count_tagged_videos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_video_counts(array_agg(tag_id), array_agg(1)) FROM after_rows WHERE released_at IS NOT NULL;
    PERFORM index_videos(array_agg(DISTINCT video_id)) FROM after_rows WHERE released_at IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_video_counts(array_agg(tag_id), array_agg(-1)) FROM before_rows WHERE released_at IS NOT NULL;
    PERFORM index_videos(array_agg(DISTINCT video_id)) FROM before_rows WHERE released_at IS NOT NULL;
  ELSE
    PERFORM add_video_counts(array_agg(tag_id), array_agg(change)) FROM (
      SELECT tag_id, 1 AS change FROM after_rows WHERE released_at IS NOT NULL
      UNION ALL SELECT tag_id, -1 FROM before_rows WHERE released_at IS NOT NULL
    ) changed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_tags AFTER INSERT ON video_tags
REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_videos();
CREATE TRIGGER count_removed_tags AFTER DELETE ON video_tags
REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_videos();
CREATE TRIGGER count_changed_tags AFTER UPDATE ON video_tags
REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_videos();

-- Indexes the videos of a renamed tag: at once if they are few, else in batches. A tag that is being merged or deleted keeps
-- that task, as it needs no new names.
CREATE FUNCTION index_tagged_videos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM (SELECT FROM video_tags WHERE tag_id = NEW.id LIMIT 201) few) <= 200 THEN
    PERFORM index_videos(ARRAY(SELECT video_id FROM video_tags WHERE tag_id = NEW.id AND released_at IS NOT NULL));
  ELSE
    INSERT INTO tag_batch_jobs (tag_id, task) VALUES (NEW.id, 'index') ON CONFLICT (tag_id) DO UPDATE SET last_video_id = '';
    PERFORM pg_notify('tag_batch_jobs', '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER index_tagged_videos AFTER UPDATE OF names ON tags FOR EACH ROW
WHEN (OLD.words <> NEW.words) EXECUTE FUNCTION index_tagged_videos();

CREATE FUNCTION add_category_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_words (word) SELECT word COLLATE "C" AS word FROM unnest(NEW.words) word ORDER BY word
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER add_category_words AFTER INSERT OR UPDATE OF names ON categories
FOR EACH ROW EXECUTE FUNCTION add_category_words();
