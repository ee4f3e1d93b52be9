-- Runs outside a transaction.
-- This release runs without it.
-- Without these indexes, the list of featured videos by popularity may read all videos, and so does the index of the sitemap.

CREATE INDEX CONCURRENTLY IF NOT EXISTS videos_featured_popular ON videos (popularity, id) WHERE state = 'published' AND featured;

-- The videos with which a file of the sitemap starts (catalog/listing/sitemap-queries.ts).
CREATE INDEX CONCURRENTLY IF NOT EXISTS videos_sitemap_starts ON videos (released_at, id)
  WHERE state = 'published' AND (hashtext(id) & 2047) = 0;
