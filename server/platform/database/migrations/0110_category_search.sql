-- Videos are found by the names of their category. A search row holds the category's id and not its words, so that a category of
-- any size is renamed without writing a single video. A search looks its words up in `categories.words`.
CREATE FUNCTION category_lexeme(category text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  coalesce(format('''category/%s'':1B', category), '')::tsvector;

CREATE FUNCTION words_of_names(names jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT word), '{}') FROM jsonb_each_text(names) name(language, text), unnest(plain_words(text)) word
);
ALTER TABLE categories ADD COLUMN words text[] NOT NULL GENERATED ALWAYS AS (words_of_names(names)) STORED;

-- The words of categories are known words too, which a typo is corrected to.
CREATE FUNCTION note_category_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_words (word) SELECT word COLLATE "C" AS word FROM unnest(NEW.words) word ORDER BY word
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_category_words AFTER INSERT OR UPDATE OF names ON categories
FOR EACH ROW EXECUTE FUNCTION note_category_words();
INSERT INTO search_words (word) SELECT DISTINCT word COLLATE "C" AS word FROM categories, unnest(words) word ORDER BY word
ON CONFLICT DO NOTHING;

-- The table is written anew with its indexes, which takes a fraction of changing every row.
CREATE FUNCTION category_of(video text) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT category_id FROM videos WHERE id = video $$;
SET LOCAL maintenance_work_mem = '256MB';
ALTER TABLE video_search ALTER words TYPE tsvector USING words || category_lexeme(category_of(video_id));
DROP FUNCTION category_of;
ANALYZE video_search (words);

CREATE OR REPLACE FUNCTION index_videos(ids text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM video_search USING videos
  WHERE video_id = ANY(ids) AND videos.id = video_id AND videos.state <> 'published';

  WITH documents AS MATERIALIZED (
    SELECT id, fame_of(popularity) AS fame, coalesce(released_at, created_at) AS released_at,
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
  INSERT INTO video_search (video_id, fame, released_at, words)
  SELECT id, fame, released_at, words FROM documents ORDER BY id
  ON CONFLICT (video_id) DO UPDATE SET released_at = excluded.released_at, words = excluded.words
  WHERE (video_search.released_at, video_search.words) IS DISTINCT FROM (excluded.released_at::timestamptz(3), excluded.words);
$$;

DROP TRIGGER list_changed_video ON videos;
CREATE TRIGGER list_changed_video AFTER UPDATE OF state, released_at, titles, synopses, category_id ON videos FOR EACH ROW
WHEN ((OLD.state, OLD.released_at, OLD.titles, OLD.synopses, OLD.category_id)
  IS DISTINCT FROM (NEW.state, NEW.released_at, NEW.titles, NEW.synopses, NEW.category_id)) EXECUTE FUNCTION list_video();
