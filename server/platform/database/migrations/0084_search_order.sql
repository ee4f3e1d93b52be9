-- Of a word that is rare a search scored all matches beyond the first 100,000 videos, among a million some 250: what comes after
-- the first 300,000 has a shelf of its own now. And a row of the search has the time of its video's release, so that the newest
-- matches are found without a look at the videos of all. An older copy of the site finds nothing on that shelf for as long as it runs
-- beside this one.
DROP INDEX video_search_shelf_0, video_search_shelf_1, video_search_shelf_2, video_search_shelf_3, video_search_shelf_4,
  video_search_shelf_5, video_search_shelf_6, video_search_in_front;
ALTER TABLE video_search DROP CONSTRAINT video_search_shelf_check, ADD COLUMN released_at timestamptz(3);

-- As `arrangeShelves` would have them.
CREATE TEMPORARY TABLE in_front (video_id text PRIMARY KEY) ON COMMIT DROP;
INSERT INTO in_front
  (SELECT id FROM videos WHERE state = 'published' ORDER BY popularity DESC, id DESC LIMIT 300000)
  UNION
  (SELECT id FROM videos WHERE state = 'published' ORDER BY released_at DESC, id DESC LIMIT 150000);

CREATE FUNCTION new_shelf(video text, shelf integer) RETURNS smallint LANGUAGE sql STABLE AS
  $$ SELECT CASE WHEN shelf = 6 AND NOT EXISTS (SELECT FROM in_front WHERE video_id = video) THEN 7 ELSE shelf END $$;
CREATE FUNCTION release_of(video text) RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT coalesce(released_at, created_at) FROM videos WHERE id = video $$;

-- The table is written anew with its indexes, which takes a fraction of changing every row, and leaves no gaps.
ALTER TABLE video_search
  ALTER shelf TYPE smallint USING new_shelf(video_id, shelf),
  ALTER released_at TYPE timestamptz(3) USING release_of(video_id),
  ALTER released_at SET NOT NULL,
  ADD CHECK (shelf BETWEEN 0 AND 7);
DROP FUNCTION new_shelf, release_of;

SET LOCAL maintenance_work_mem = '256MB';
CREATE INDEX video_search_shelf_0 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 0;
CREATE INDEX video_search_shelf_1 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 1;
CREATE INDEX video_search_shelf_2 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 2;
CREATE INDEX video_search_shelf_3 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 3;
CREATE INDEX video_search_shelf_4 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 4;
CREATE INDEX video_search_shelf_5 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 5;
CREATE INDEX video_search_shelf_6 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 6;
CREATE INDEX video_search_shelf_7 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 7;
CREATE INDEX video_search_in_front ON video_search (shelf, video_id) WHERE shelf < 7;

-- What was known of columns that are written anew is forgotten.
ANALYZE video_search (shelf, released_at);

CREATE OR REPLACE FUNCTION index_videos(ids text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM video_search USING videos
  WHERE video_id = ANY(ids) AND videos.id = video_id AND videos.state <> 'published';

  WITH documents AS MATERIALIZED (
    SELECT id, fame_of(popularity) AS fame, coalesce(released_at, created_at) AS released_at,
      search_document(titles, synopses) || coalesce((
        SELECT string_agg(setweight(tags.words, 'B')::text, ' ')::tsvector
        FROM video_tags JOIN tags ON tags.id = tag_id WHERE video_tags.video_id = videos.id
      ), '') AS words
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
