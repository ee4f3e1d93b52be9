-- E-mails about new episodes of favorites.

-- Members who were asked whether new episodes of their favorites are mailed to them, and their answer.
CREATE TABLE alert_settings (
  user_id    text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  mail       boolean NOT NULL,
  changed_at timestamptz NOT NULL
);

-- Episodes of published videos that became playable for the first time and that nobody was alerted to yet. `detected_at` is null
-- until the job has seen them.
CREATE TABLE new_episodes (
  episode_id   text PRIMARY KEY REFERENCES episodes ON DELETE CASCADE,
  video_id     text NOT NULL REFERENCES videos ON DELETE CASCADE,
  detected_at  timestamptz
);
CREATE INDEX new_episodes_video ON new_episodes (video_id);
CREATE INDEX new_episodes_undetected ON new_episodes (episode_id) WHERE detected_at IS NULL;
CREATE INDEX new_episodes_detected ON new_episodes (detected_at);

-- Alerts in progress: what one video released at once, and how far its favorites were processed.
CREATE TABLE alert_batches (
  id            text PRIMARY KEY,
  video_id      text NOT NULL REFERENCES videos ON DELETE CASCADE,
  number        integer NOT NULL,
  count         integer NOT NULL,
  detected_at   timestamptz NOT NULL,
  last_user_id  text NOT NULL DEFAULT ''
);
CREATE INDEX alert_batches_video ON alert_batches (video_id);

CREATE INDEX favorites_video ON favorites (video_id, user_id);

CREATE FUNCTION queue_new_episode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO new_episodes (episode_id, video_id)
  SELECT NEW.id, NEW.video_id FROM videos WHERE id = NEW.video_id AND state = 'published'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_new_episode AFTER UPDATE OF asset_id ON episodes
  FOR EACH ROW WHEN (OLD.asset_id IS NULL AND NEW.asset_id IS NOT NULL) EXECUTE FUNCTION queue_new_episode();
