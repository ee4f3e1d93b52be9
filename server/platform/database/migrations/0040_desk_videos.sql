-- The studio lists videos of every state, the latest made first, and finds them by the words of their titles. Times are kept
-- to the millisecond, as a cursor holds them.
ALTER TABLE videos ALTER created_at TYPE timestamptz(3);
ALTER TABLE videos ADD title_words tsvector GENERATED ALWAYS AS (name_lexemes(titles, 'A')::tsvector) STORED;
CREATE INDEX videos_title_words ON videos USING gin (title_words) WITH (fastupdate = off);
CREATE INDEX videos_made ON videos (created_at, id);
CREATE INDEX videos_state_made ON videos (state, created_at, id);
CREATE INDEX videos_due ON videos (released_at) WHERE state = 'scheduled';
