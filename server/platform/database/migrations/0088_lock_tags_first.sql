-- Tags are locked in a statement of their own before the next one changes them. In one statement the change starts at the version
-- that the statement saw at its start: while a foreign key check of video_tags holds that version, two transactions that count one
-- tag wait for each other. The order of the slugs is that of their bytes, as in the site's own code.
CREATE OR REPLACE FUNCTION add_video_counts(tag_ids text[], changes bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
