-- Runs outside a transaction.
-- This release runs without it.
-- A job counts the sales of an experiment in slices, in the order of its viewers' ids. Without the index, each slice reads all viewers
-- of the experiment, or those of other experiments too. The new index serves all queries of the former one.

CREATE INDEX CONCURRENTLY IF NOT EXISTS experiment_exposures_viewers
  ON experiment_exposures (experiment_id, viewer_id) INCLUDE (variant, at);

DROP INDEX CONCURRENTLY IF EXISTS experiment_exposures_experiment;
