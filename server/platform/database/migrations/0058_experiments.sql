-- Experiments: arms of viewers who meet another number of free episodes, another price or another pay theme.
CREATE TABLE experiments (
  id          text PRIMARY KEY,
  name        text NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('free_episodes', 'plan_price', 'episode_price', 'video_price', 'pay_theme')),
  -- The video or plan that it is about; null for all of the site.
  target      text,
  arms        jsonb NOT NULL,
  state       text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'running', 'stopped')),
  created_at  timestamptz(3) NOT NULL,
  started_at  timestamptz(3),
  stopped_at  timestamptz(3),
  CHECK ((started_at IS NULL) = (state = 'draft')),
  CHECK ((stopped_at IS NOT NULL) = (state = 'stopped'))
);
-- What a viewer meets is decided by one experiment at a time.
CREATE UNIQUE INDEX experiments_running ON experiments (kind, coalesce(target, '')) WHERE state = 'running';
CREATE INDEX experiments_newest ON experiments (created_at DESC, id DESC);

-- When a viewer first met what differs. A guest of whom nothing else is kept has no row in `users`.
CREATE TABLE exposures (
  viewer_id      text NOT NULL,
  experiment_id  text NOT NULL REFERENCES experiments ON DELETE CASCADE,
  arm            smallint NOT NULL,
  at             timestamptz(3) NOT NULL,
  PRIMARY KEY (viewer_id, experiment_id)
);
CREATE INDEX exposures_experiment ON exposures (experiment_id) INCLUDE (viewer_id, arm, at);
