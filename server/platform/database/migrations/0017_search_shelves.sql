-- Five shelves for the search instead of four (the first 1000, 5000, 23,000, 111,000 videos and the rest): the less one grows over the
-- last, the fewer matches are scored that a page does not need.
DROP INDEX video_search_shelf_3, video_search_in_front;
ALTER TABLE video_search DROP CONSTRAINT video_search_shelf_check;
UPDATE video_search SET shelf = 4 WHERE shelf = 3;
ALTER TABLE video_search ADD CHECK (shelf BETWEEN 0 AND 4);
CREATE INDEX video_search_shelf_3 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 3;
CREATE INDEX video_search_shelf_4 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 4;
CREATE INDEX video_search_in_front ON video_search (shelf, video_id) WHERE shelf < 4;
