-- The operator's own words for the site's texts, by text and language; where there is no row, the text of the release stands.
CREATE TABLE page_texts (
  name        text NOT NULL,
  language    text NOT NULL,
  markdown    text NOT NULL,
  updated_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (name, language)
);

-- They stood in the settings, with English for a language that was missing.
INSERT INTO page_texts
SELECT substr(key, 6), language, coalesce(value->'markdown'->>language, value->'markdown'->>'en'),
  coalesce((value->>'updated_at')::timestamptz, now())
FROM settings, unnest(ARRAY['en', 'es', 'fy', 'dy', 'pt']) language
WHERE key LIKE 'page:%' AND coalesce(value->'markdown'->>language, value->'markdown'->>'en') IS NOT NULL;
DELETE FROM settings WHERE key LIKE 'page:%';
