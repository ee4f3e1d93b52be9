-- Runs outside a transaction.
-- This release runs without it.
-- Every minute, a job looks for mails that were not accepted. Without the index, it reads the whole queue.

CREATE INDEX CONCURRENTLY IF NOT EXISTS mails_retried ON mails (id) WHERE attempts > 1;

-- A job deletes abandoned mails that have expired.
CREATE INDEX CONCURRENTLY IF NOT EXISTS abandoned_mails_expiry ON abandoned_mails (expires_at) WHERE expires_at IS NOT NULL;

-- Announces which video has changed, so that processes keep what they have cached of other videos. A transaction that changes many
-- videos announces only the first hundred, and then that all videos may have changed.
CREATE OR REPLACE FUNCTION announce_video_change(video text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- Lasts until the end of the transaction.
  announced text[] := string_to_array(current_setting('catalogue.announced_videos', true), ' ');
BEGIN
  IF video = ANY (announced) THEN RETURN; END IF;
  IF cardinality(announced) >= 100 THEN
    PERFORM pg_notify('catalogue', '');
    RETURN;
  END IF;
  PERFORM set_config('catalogue.announced_videos', array_to_string(announced || video, ' '), true);
  PERFORM pg_notify('catalogue', video);
END $$;

-- An asset belongs to the episodes that play it or wait for it.
CREATE OR REPLACE FUNCTION announce_catalogue_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'videos' THEN PERFORM announce_video_change(OLD.id);
    WHEN 'episodes' THEN
      PERFORM announce_video_change(id) FROM unnest(ARRAY[OLD.video_id, NEW.video_id]) AS id WHERE id IS NOT NULL;
    WHEN 'assets' THEN
      PERFORM announce_video_change(video_id) FROM episodes WHERE asset_id = NEW.id OR next_asset_id = NEW.id;
    ELSE PERFORM pg_notify('catalogue', '');
  END CASE;
  RETURN NULL;
END $$;
