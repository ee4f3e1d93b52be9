-- A video's row has the ids of its tags in their order, so that cards are read without a look at video_tags, which took most of
-- their time. video_tags stays what is true; these triggers follow it.
CREATE FUNCTION listed_tags(video text) RETURNS jsonb LANGUAGE sql STABLE RETURN
  (SELECT coalesce(jsonb_agg(tag_id ORDER BY position), '[]') FROM video_tags WHERE video_id = video);

ALTER TABLE videos ADD COLUMN tag_ids jsonb NOT NULL DEFAULT '[]';
-- The table is written anew with its indexes, which takes a fraction of changing every row.
ALTER TABLE videos ALTER tag_ids TYPE jsonb USING listed_tags(id);

-- The videos are held first: of two that change the tags of one at once, the second lists what the first has left.
CREATE FUNCTION list_tags(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM videos WHERE id = ANY(ids) ORDER BY id FOR NO KEY UPDATE;
  UPDATE videos SET tag_ids = listed_tags(id) WHERE id = ANY(ids) AND tag_ids <> listed_tags(id);
END $$;

CREATE FUNCTION list_changed_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM list_tags(array_agg(DISTINCT video_id)) FROM after_rows HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM list_tags(array_agg(DISTINCT video_id)) FROM before_rows HAVING count(*) > 0;
  ELSE
    -- Ranks and states change these rows far more often, and list nothing anew.
    PERFORM list_tags(array_agg(DISTINCT video_id)) FROM (
      SELECT video_id, tag_id, position FROM after_rows EXCEPT SELECT video_id, tag_id, position FROM before_rows
    ) changed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER list_added_tags AFTER INSERT ON video_tags
REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION list_changed_tags();
CREATE TRIGGER list_removed_tags AFTER DELETE ON video_tags
REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION list_changed_tags();
CREATE TRIGGER list_moved_tags AFTER UPDATE ON video_tags
REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
FOR EACH STATEMENT EXECUTE FUNCTION list_changed_tags();
