-- The icon that an operator has brought in, by the hash of its picture; the setting `site` says whether it is the one in use.
CREATE TABLE site_icons (
  hash     text PRIMARY KEY,
  picture  bytea NOT NULL
);
ALTER TABLE site_icons ALTER picture SET STORAGE EXTERNAL;
