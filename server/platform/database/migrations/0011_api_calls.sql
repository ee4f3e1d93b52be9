-- How often each person and address called within a stretch of time, summed over all processes. It is worth nothing once
-- the next stretch is over (`until`), so it is not written ahead: a crash may empty it.
CREATE UNLOGGED TABLE api_calls (
  caller   text NOT NULL,
  stretch  bigint NOT NULL,
  calls    integer NOT NULL,
  until    timestamptz NOT NULL,
  PRIMARY KEY (caller, stretch)
);
CREATE INDEX api_calls_over ON api_calls (until);
