-- Which episodes a viewer has begun, and which of them they have watched to nine tenths, each once for good.
CREATE TABLE viewings (
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  episode_id  text NOT NULL,
  finished    boolean NOT NULL,
  PRIMARY KEY (user_id, episode_id)
);

-- Viewers who came to an episode's sums (1), or were counted twice (-1): appended with the viewing itself and folded by a job, so that
-- a hot episode is no hot row.
CREATE TABLE viewing_changes (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  episode_id  text NOT NULL,
  began       smallint NOT NULL,
  finished    smallint NOT NULL
);

-- How many viewers began each episode and how many finished it; `since` is when the first was counted.
CREATE TABLE episode_viewers (
  episode_id  text PRIMARY KEY REFERENCES episodes ON DELETE CASCADE,
  began       bigint NOT NULL,
  finished    bigint NOT NULL,
  since       timestamptz NOT NULL
) WITH (fillfactor = 80);
