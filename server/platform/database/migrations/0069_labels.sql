-- The studio lists tags by their use, the most used first.
CREATE INDEX tags_used ON tags (video_count, id);

-- A category that is merged or deleted finds its videos, and a deleted one that it has none left.
CREATE INDEX videos_in_category ON videos (category_id) WHERE category_id IS NOT NULL;

-- Videos are found by the names of their tags, so a tag's new names are theirs too.
CREATE FUNCTION index_tagged_videos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM index_videos(ARRAY(SELECT video_id FROM video_tags WHERE tag_id = NEW.id AND released_at IS NOT NULL));
  RETURN NULL;
END $$;
CREATE TRIGGER index_tagged_videos AFTER UPDATE OF names ON tags FOR EACH ROW
WHEN (OLD.words <> NEW.words) EXECUTE FUNCTION index_tagged_videos();
