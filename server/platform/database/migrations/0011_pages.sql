-- The operator's own texts and icon.

-- By text and language; a text without a row is the one that comes with the release.
CREATE TABLE page_texts (
  name        text NOT NULL,
  language    text NOT NULL,
  markdown    text NOT NULL,
  updated_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (name, language)
);

-- Uploaded icons by the hash of their picture; the setting `site` says which one is in use.
CREATE TABLE site_icons (
  hash     text PRIMARY KEY,
  picture  bytea NOT NULL
);
-- Pictures are compressed already.
ALTER TABLE site_icons ALTER picture SET STORAGE EXTERNAL;
