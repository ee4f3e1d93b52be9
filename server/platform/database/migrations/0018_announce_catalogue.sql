-- This release runs without it.
-- Announces changes of what every viewer of an episode reads, so that processes may cache it until it changes.

CREATE FUNCTION announce_catalogue_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('catalogue', '');
  RETURN NULL;
END $$;

-- The tables are locked in the order in which the site changes them: a video before its episodes, and those before their assets.
CREATE TRIGGER videos_announce_deletion AFTER DELETE ON videos
  FOR EACH ROW EXECUTE FUNCTION announce_catalogue_change();
-- Not of counts and ranks, which change all the time.
CREATE TRIGGER videos_announce AFTER UPDATE OF state, free_episodes, episode_cents, video_cents, currency, cover_path ON videos
  FOR EACH ROW WHEN ((OLD.state, OLD.free_episodes, OLD.episode_cents, OLD.video_cents, OLD.currency, OLD.cover_path)
    IS DISTINCT FROM (NEW.state, NEW.free_episodes, NEW.episode_cents, NEW.video_cents, NEW.currency, NEW.cover_path))
  EXECUTE FUNCTION announce_catalogue_change();

CREATE TRIGGER episodes_announce_rows AFTER INSERT OR DELETE ON episodes
  FOR EACH ROW EXECUTE FUNCTION announce_catalogue_change();
-- A repeated import that changes nothing announces nothing.
CREATE TRIGGER episodes_announce AFTER UPDATE ON episodes
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION announce_catalogue_change();

CREATE TRIGGER assets_announce AFTER UPDATE OF state, folder, duration_ms, width, height, captions, media_key ON assets
  FOR EACH ROW WHEN ((OLD.state, OLD.folder, OLD.duration_ms, OLD.width, OLD.height, OLD.captions, OLD.media_key)
    IS DISTINCT FROM (NEW.state, NEW.folder, NEW.duration_ms, NEW.width, NEW.height, NEW.captions, NEW.media_key))
  EXECUTE FUNCTION announce_catalogue_change();

CREATE TRIGGER experiments_announce_rows AFTER INSERT OR DELETE ON experiments
  FOR EACH ROW EXECUTE FUNCTION announce_catalogue_change();
CREATE TRIGGER experiments_announce AFTER UPDATE ON experiments
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION announce_catalogue_change();
