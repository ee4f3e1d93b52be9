-- A word is cut after 32 characters, and only a blank ends one: where any other space of Unicode did, as the Ogham one, words could be
-- longer than PostgreSQL takes in a search.
CREATE OR REPLACE FUNCTION plain_words(words text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  array_remove(string_to_array(regexp_replace(plain_text(words), '([^ ]{32})[^ ]+', '\1', 'g'), ' '), '');
