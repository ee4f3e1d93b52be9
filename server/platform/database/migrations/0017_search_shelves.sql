-- Seven shelves for the search instead of four (the first 300, 1000, 3000, 10,000, 30,000 and 100,000 videos, and the rest): the less one
-- grows over the last, the fewer matches are scored that a page does not need.
DROP INDEX video_search_shelf_1, video_search_shelf_2, video_search_shelf_3, video_search_in_front;
ALTER TABLE video_search DROP CONSTRAINT video_search_shelf_check;
UPDATE video_search SET shelf = CASE shelf WHEN 1 THEN 3 WHEN 2 THEN 5 ELSE 6 END WHERE shelf > 0;
ALTER TABLE video_search ADD CHECK (shelf BETWEEN 0 AND 6);
CREATE INDEX video_search_shelf_1 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 1;
CREATE INDEX video_search_shelf_2 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 2;
CREATE INDEX video_search_shelf_3 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 3;
CREATE INDEX video_search_shelf_4 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 4;
CREATE INDEX video_search_shelf_5 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 5;
CREATE INDEX video_search_shelf_6 ON video_search USING gin (words) WITH (fastupdate = off) WHERE shelf = 6;
CREATE INDEX video_search_in_front ON video_search (shelf, video_id) WHERE shelf < 6;
