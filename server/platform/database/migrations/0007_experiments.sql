-- Experiments: variants with another number of free episodes, another price or another theme of the payment pages.
CREATE TABLE experiments (
  id          text PRIMARY KEY,
  name        text NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('free_episodes', 'plan_price', 'episode_price', 'video_price', 'pay_theme')),
  -- The video or plan that it is about; null for the whole site.
  target      text,
  variants    jsonb NOT NULL,
  state       text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'running', 'stopped')),
  created_at  timestamptz(3) NOT NULL,
  started_at  timestamptz(3),
  stopped_at  timestamptz(3),
  -- The currency of its prices since the start. A video that is sold in another currency since then keeps its own prices.
  currency    text,
  CHECK ((started_at IS NULL) = (state = 'draft')),
  CHECK ((stopped_at IS NOT NULL) = (state = 'stopped'))
);
-- One experiment at a time decides what a viewer gets.
CREATE UNIQUE INDEX experiments_running ON experiments (kind, coalesce(target, '')) WHERE state = 'running';
CREATE INDEX experiments_newest ON experiments (created_at DESC, id DESC);

-- When a viewer first saw the difference. A guest without other stored data has no row in `users`.
CREATE TABLE experiment_exposures (
  viewer_id      text NOT NULL,
  experiment_id  text NOT NULL REFERENCES experiments ON DELETE CASCADE,
  variant        smallint NOT NULL,
  at             timestamptz(3) NOT NULL,
  PRIMARY KEY (viewer_id, experiment_id)
);
CREATE INDEX experiment_exposures_experiment ON experiment_exposures (experiment_id) INCLUDE (viewer_id, variant, at);

-- The variants' sales at the last count. A job counts them, because with many viewers it takes longer than a page may load.
CREATE TABLE experiment_sales (
  experiment_id  text PRIMARY KEY REFERENCES experiments ON DELETE CASCADE,
  counted_at     timestamptz(3) NOT NULL,
  variants       jsonb NOT NULL
);
