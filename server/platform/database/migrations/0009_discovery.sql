-- Discovery: listings, search and recommendations read tables that are kept ready, so that no read scans or counts.
-- Triggers keep them, so that whoever writes a video, in whatever way, cannot forget it. It needs no extension.

-- Popularity: the number of plays as it stood when a job last brought it up to date. Rankings are ordered by it and not by
-- play_count, so that they stand still while somebody turns their pages, and a play touches no index.
ALTER TABLE videos ADD COLUMN popularity bigint NOT NULL DEFAULT 0;
UPDATE videos SET popularity = play_count WHERE play_count > 0;

-- Lists run from high to low in both columns, so that the next page begins at one place of the index, however many are equal.
DROP INDEX videos_newest, videos_popular, videos_category, videos_category_popular, videos_featured;
CREATE INDEX videos_newest ON videos (released_at, id) WHERE state = 'published';
CREATE INDEX videos_popular ON videos (popularity, id) WHERE state = 'published';
CREATE INDEX videos_category ON videos (category_id, released_at, id) WHERE state = 'published';
CREATE INDEX videos_category_popular ON videos (category_id, popularity, id) WHERE state = 'published';
CREATE INDEX videos_featured ON videos (released_at, id) WHERE state = 'published' AND featured;

-- Of a tag's videos, what they are ordered by; released_at is null where the video is not published.
ALTER TABLE video_tags
  ADD COLUMN released_at timestamptz(3),
  ADD COLUMN popularity bigint NOT NULL DEFAULT 0;
UPDATE video_tags SET released_at = coalesce(videos.released_at, videos.created_at), popularity = videos.popularity
FROM videos WHERE videos.id = video_tags.video_id AND videos.state = 'published';
CREATE INDEX video_tags_newest ON video_tags (tag_id, released_at, video_id) WHERE released_at IS NOT NULL;
CREATE INDEX video_tags_popular ON video_tags (tag_id, popularity, video_id) WHERE released_at IS NOT NULL;

-- Functions with RETURN or BEGIN ATOMIC are bound to what they call, so that a dump can be restored.
-- Words for searching: without accents and case, and without what is no letter or digit. Two texts that read alike become equal.
CREATE FUNCTION plain_text(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  trim(regexp_replace(
    replace(replace(replace(
      translate(lower(regexp_replace(normalize(words, NFKD), '[\u0300-\u036f]', '', 'g')), 'øłđðı', 'olddi'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'));

-- A text's words in their order, each of at most 32 characters.
CREATE FUNCTION plain_words(words text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  array_remove(string_to_array(regexp_replace(plain_text(words), '(\S{32})\S+', '\1', 'g'), ' '), '');

-- A word and what is left of it without one of its characters. Two words that are one typo apart (a character too many,
-- too few or wrong, or two that changed places) have one of these in common.
CREATE FUNCTION shortened(word text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
  SELECT word UNION SELECT left(word, place - 1) || substr(word, place + 1) FROM generate_series(1, length(word)) place;
END;

-- What a whole word is found by in spite of a typo, and what one is found by of which only the beginning is typed.
-- A "$" tells the one from the other.
CREATE FUNCTION whole_forms(word text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(form || '$'), '{}') FROM shortened(word) form WHERE length(word) BETWEEN 4 AND 20
);
CREATE FUNCTION beginning_forms(word text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(array_agg(DISTINCT form), '{}')
  FROM generate_series(5, least(7, length(word))) size, shortened(left(word, size)) form
);

-- Every word that was ever in a published text. A typo is looked up among these, however many videos there are.
CREATE TABLE search_words (
  word   text COLLATE "C" PRIMARY KEY,
  forms  text[] NOT NULL GENERATED ALWAYS AS (whole_forms(word) || beginning_forms(word)) STORED
);
CREATE INDEX search_words_forms ON search_words USING gin (forms) WITH (fastupdate = off);

-- The words of names: as they are, and behind their language (es/amor) for what is shown while somebody types.
CREATE FUNCTION name_lexemes(names jsonb, weight text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (
  SELECT coalesce(string_agg(
    format('''%1$s'':%2$s%3$s ''%4$s/%1$s'':%2$s%3$s', word, place, weight, language), ' '), '')
  FROM jsonb_each_text(names) name(language, words), unnest(plain_words(words)) WITH ORDINALITY found(word, place)
);

-- What a video's own texts are found by: the words of its titles (A) and synopses (D), and the whole titles (=love in the rain).
CREATE FUNCTION search_document(titles jsonb, synopses jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT concat_ws(' ',
    name_lexemes(titles, 'A'),
    (SELECT string_agg(DISTINCT format('''=%s'':1A', left(plain_text(title), 200)), ' ')
     FROM jsonb_each_text(titles) name(language, title) WHERE plain_text(title) <> ''),
    (SELECT string_agg(format('''%s'':%sD', word, place), ' ')
     FROM jsonb_each_text(synopses) synopsis(language, words),
       unnest(plain_words(left(words, 4000))) WITH ORDINALITY found(word, place))
  )::tsvector
);

-- Tags: how many published videos each has; how much they were played lately (`heat`), and the place that follows from it.
ALTER TABLE tags
  ADD COLUMN video_count integer NOT NULL DEFAULT 0,
  ADD COLUMN heat double precision NOT NULL DEFAULT 0,
  ADD COLUMN place integer NOT NULL DEFAULT 2147483647,
  ADD COLUMN trending boolean NOT NULL DEFAULT false,
  ADD COLUMN words tsvector GENERATED ALWAYS AS (name_lexemes(names, 'A')::tsvector) STORED;
CREATE INDEX tags_place ON tags (place, id) WHERE video_count > 0;
CREATE INDEX tags_words ON tags USING gin (words) WITH (fastupdate = off);
UPDATE tags SET video_count = counted.videos
FROM (SELECT tag_id, count(*) AS videos FROM video_tags WHERE released_at IS NOT NULL GROUP BY tag_id) counted
WHERE counted.tag_id = tags.id;

-- One row for each published video. The shelves hold the first thousand videos by popularity, the next ten thousand, the
-- next hundred thousand and the rest; what is new begins in front. A search takes shelf after shelf until it has found
-- plenty, so a common word costs as much with a million videos as with a thousand. `fame` is the popularity's magnitude. Rows stay
-- in one piece, because ranking reads their words.
CREATE TABLE video_search (
  video_id  text PRIMARY KEY REFERENCES videos ON DELETE CASCADE,
  shelf     smallint NOT NULL DEFAULT 0 CHECK (shelf BETWEEN 0 AND 3),
  fame      smallint NOT NULL DEFAULT 0,
  words     tsvector NOT NULL
) WITH (fillfactor = 85, toast_tuple_target = 8160);
CREATE INDEX video_search_shelf_0 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 0;
CREATE INDEX video_search_shelf_1 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 1;
CREATE INDEX video_search_shelf_2 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 2;
CREATE INDEX video_search_shelf_3 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 3;
CREATE INDEX video_search_in_front ON video_search (shelf, video_id) WHERE shelf < 3;

CREATE FUNCTION fame_of(popularity bigint) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  floor(log(2, 1 + popularity))::smallint;

-- Brings the search rows of these videos up to date: the words of their texts, and those of their tags (B). New words are
-- added in one order everywhere, so that two that publish at once don't wait for each other in a circle.
CREATE FUNCTION index_videos(ids text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM video_search USING videos
  WHERE video_id = ANY(ids) AND videos.id = video_id AND videos.state <> 'published';

  WITH documents AS MATERIALIZED (
    SELECT id, fame_of(popularity) AS fame, search_document(titles, synopses) || coalesce((
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
  INSERT INTO video_search (video_id, fame, words) SELECT id, fame, words FROM documents ORDER BY id
  ON CONFLICT (video_id) DO UPDATE SET words = excluded.words WHERE video_search.words <> excluded.words;
$$;

SELECT index_videos(ARRAY(SELECT id FROM videos));

-- Plays that are counted in videos.play_count and not yet in what is ordered by them.
CREATE TABLE played_videos (
  video_id  text PRIMARY KEY REFERENCES videos ON DELETE CASCADE,
  plays     bigint NOT NULL
);

CREATE FUNCTION note_plays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO played_videos VALUES (NEW.id, NEW.play_count - OLD.play_count)
  ON CONFLICT (video_id) DO UPDATE SET plays = played_videos.plays + excluded.plays;
  RETURN NULL;
END $$;
CREATE TRIGGER note_plays AFTER UPDATE OF play_count ON videos FOR EACH ROW
WHEN (NEW.play_count > OLD.play_count) EXECUTE FUNCTION note_plays();

CREATE FUNCTION list_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video_tags SET released_at = listed.released_at
  FROM (SELECT CASE WHEN NEW.state = 'published' THEN coalesce(NEW.released_at, NEW.created_at) END AS released_at) listed
  WHERE video_id = NEW.id AND video_tags.released_at IS DISTINCT FROM listed.released_at;
  PERFORM index_videos(ARRAY[NEW.id]);
  RETURN NULL;
END $$;
CREATE TRIGGER list_new_video AFTER INSERT ON videos FOR EACH ROW
WHEN (NEW.state = 'published') EXECUTE FUNCTION list_video();
CREATE TRIGGER list_changed_video AFTER UPDATE OF state, released_at, titles, synopses ON videos FOR EACH ROW
WHEN ((OLD.state, OLD.released_at, OLD.titles, OLD.synopses)
  IS DISTINCT FROM (NEW.state, NEW.released_at, NEW.titles, NEW.synopses)) EXECUTE FUNCTION list_video();

CREATE FUNCTION take_order_of_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT CASE WHEN state = 'published' THEN coalesce(released_at, created_at) END, popularity
  INTO NEW.released_at, NEW.popularity FROM videos WHERE id = NEW.video_id;
  RETURN NEW;
END $$;
CREATE TRIGGER take_order_of_video BEFORE INSERT ON video_tags FOR EACH ROW EXECUTE FUNCTION take_order_of_video();

-- Adds up how many published videos tags won and lost. Tags are locked in the order of their slugs, as everywhere.
CREATE FUNCTION add_video_counts(tag_ids text[], changes bigint[]) RETURNS void LANGUAGE sql AS $$
  WITH changed AS (
    SELECT tag_id, sum(change) AS change FROM unnest(tag_ids, changes) entry(tag_id, change)
    GROUP BY tag_id HAVING sum(change) <> 0
  ), locked AS MATERIALIZED (
    SELECT id, change FROM tags JOIN changed ON changed.tag_id = tags.id ORDER BY slug FOR NO KEY UPDATE OF tags
  )
  UPDATE tags SET video_count = video_count + locked.change FROM locked WHERE locked.id = tags.id
$$;

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

-- Recommendations. Whoever begins to watch a video stands here until a job has looked at what they watched before it.
CREATE TABLE begun_videos (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text NOT NULL,
  video_id  text NOT NULL
);
INSERT INTO begun_videos (user_id, video_id) SELECT user_id, video_id FROM history WHERE NOT removed;

CREATE FUNCTION note_begun_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO begun_videos (user_id, video_id) VALUES (NEW.user_id, NEW.video_id);
  RETURN NULL;
END $$;
CREATE TRIGGER note_begun_video AFTER INSERT ON history FOR EACH ROW EXECUTE FUNCTION note_begun_video();

-- What people who watched a video watched next, and how many did: at most a hundred of them for each video.
CREATE TABLE watched_next (
  video_id  text NOT NULL REFERENCES videos ON DELETE CASCADE,
  next_id   text NOT NULL REFERENCES videos ON DELETE CASCADE,
  viewers   integer NOT NULL,
  PRIMARY KEY (video_id, next_id)
);
CREATE INDEX watched_next_most ON watched_next (video_id, viewers, next_id);
CREATE INDEX watched_next_next ON watched_next (next_id);
