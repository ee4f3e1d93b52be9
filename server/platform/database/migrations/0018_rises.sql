-- Rankings stay whole while they are refreshed: who turns the pages of a list by popularity is given, beside what comes after the last
-- page, what has risen past it since. Popularity only grows, so nothing comes twice.

-- Each batch of a refresh is one generation; the row is locked until it is committed, so who sees a generation sees all before it.
CREATE TABLE ranks (
  one         boolean PRIMARY KEY DEFAULT true CHECK (one),
  generation  bigint NOT NULL
);
INSERT INTO ranks (generation) VALUES (0);

-- From where to where a video's popularity rose; kept for as long as somebody may be turning pages.
CREATE TABLE rises (
  video_id    text NOT NULL,
  generation  bigint NOT NULL,
  former      bigint NOT NULL,
  popularity  bigint NOT NULL,
  at          timestamptz(3) NOT NULL,
  PRIMARY KEY (video_id, generation)
);
CREATE INDEX rises_past ON rises USING gist (int8range(former, popularity, '[]'));
CREATE INDEX rises_at ON rises (at);
