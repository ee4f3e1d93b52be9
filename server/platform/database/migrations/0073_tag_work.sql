-- What is still to be done to the videos of a tag that has many: they are found by its new names, given another tag in its
-- place, or left without it. It is done in batches, each a transaction, by catalog/editing/tag-batch-job.ts.
CREATE TABLE tag_work (
  tag_id       text PRIMARY KEY REFERENCES tags ON DELETE CASCADE,
  task         text NOT NULL CHECK (task IN ('index', 'merge', 'delete')),
  into_id      text REFERENCES tags CHECK ((into_id IS NOT NULL) = (task = 'merge')),
  -- The last video that was indexed; moved and taken ones no longer have the tag.
  after_video  text NOT NULL DEFAULT ''
);
CREATE INDEX tag_work_into ON tag_work (into_id) WHERE into_id IS NOT NULL;

-- A tag's new names are its videos' too: at once where they are few, else by and by. Whoever is merged or deleted meanwhile
-- needs no new names.
CREATE OR REPLACE FUNCTION index_tagged_videos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM (SELECT FROM video_tags WHERE tag_id = NEW.id LIMIT 201) few) <= 200 THEN
    PERFORM index_videos(ARRAY(SELECT video_id FROM video_tags WHERE tag_id = NEW.id AND released_at IS NOT NULL));
  ELSE
    INSERT INTO tag_work (tag_id, task) VALUES (NEW.id, 'index') ON CONFLICT (tag_id) DO UPDATE SET after_video = '';
    PERFORM pg_notify('tag_work', '');
  END IF;
  RETURN NULL;
END $$;
