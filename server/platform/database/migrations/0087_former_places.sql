-- Who turns the pages of the tags while they are ranked anew goes on by their places of before, which a tag has beside its new one.
ALTER TABLE ranks ADD COLUMN tags_generation bigint NOT NULL DEFAULT 0;
ALTER TABLE tags ADD COLUMN former_place integer NOT NULL DEFAULT 2147483647;
CREATE INDEX tags_former_place ON tags (former_place, id) WHERE video_count > 0;
