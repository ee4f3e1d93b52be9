-- What an experiment's arms brought, as a job counted it last: of many viewers that takes longer than anybody wants to wait.
CREATE TABLE experiment_sales (
  experiment_id  text PRIMARY KEY REFERENCES experiments ON DELETE CASCADE,
  counted_at     timestamptz(3) NOT NULL,
  arms           jsonb NOT NULL
);
