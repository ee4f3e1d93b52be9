-- The zone of the browser that a person used last, an IANA name. The dates in their mails are days of that zone.
ALTER TABLE users ADD COLUMN time_zone text;
