-- Events in partitions, one for each month of UTC: a month is dropped as a whole once all of it is older than EVENTS_DAYS
-- (docs/decisions/0022-events-by-month.md).
ALTER TABLE events RENAME TO events_whole;
ALTER TABLE events_whole RENAME CONSTRAINT events_pkey TO events_whole_pkey;
ALTER INDEX events_user RENAME TO events_whole_user;

CREATE TABLE events (
  at       timestamptz(3) NOT NULL,
  id       uuid NOT NULL,
  name     text NOT NULL,
  fields   jsonb NOT NULL DEFAULT '{}',
  user_id  text,
  fbclid   text,
  ttclid   text,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE INDEX events_user ON events (user_id, at) WHERE user_id IS NOT NULL;

-- Makes the partition of the month that a moment is in, unless it exists. Attaching a table waits for no reader or writer and lets
-- them pass; CREATE TABLE ... PARTITION OF would hold them up.
CREATE FUNCTION make_events_month(moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  partition text := 'events_' || to_char(month, 'YYYY_MM');
BEGIN
  IF to_regclass(partition) IS NOT NULL THEN RETURN; END IF;
  LOCK TABLE ONLY events IN SHARE UPDATE EXCLUSIVE MODE;
  -- Another process may have made it meanwhile.
  IF to_regclass(partition) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', partition);
  EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
    month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
END $$;

SELECT make_events_month(now() + ahead * interval '1 month') FROM generate_series(0, 2) AS ahead;
SELECT make_events_month(month) FROM (SELECT DISTINCT date_trunc('month', at, 'UTC') AS month FROM events_whole) AS past;
INSERT INTO events (at, id, name, fields, user_id, fbclid, ttclid)
  SELECT at, id, name, fields, user_id, fbclid, ttclid FROM events_whole;
DROP TABLE events_whole;
