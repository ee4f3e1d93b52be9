-- Files on their way in from the studio's pages. Their parts lie in the storage until the worker puts them together; which are
-- there stands here, so that a browser can go on after a reload. A browser knows a file again by its name, size and last change.
CREATE TABLE uploads (
  id          text PRIMARY KEY,
  video_id    text NOT NULL REFERENCES videos ON DELETE CASCADE,
  name        text NOT NULL,
  bytes       bigint NOT NULL CHECK (bytes > 0),
  changed_at  timestamptz(3) NOT NULL,
  -- The episode that it is, or is the captions of.
  number      integer NOT NULL CHECK (number > 0),
  language    text,
  state       text NOT NULL CHECK (state IN ('arriving', 'complete', 'taken', 'refused')),
  reason      text,
  touched_at  timestamptz(3) NOT NULL,
  UNIQUE (video_id, name, bytes, changed_at)
);
CREATE INDEX uploads_complete ON uploads (touched_at) WHERE state = 'complete';
CREATE INDEX uploads_touched ON uploads (touched_at);

CREATE TABLE upload_parts (
  upload_id  text NOT NULL REFERENCES uploads ON DELETE CASCADE,
  part       integer NOT NULL,
  PRIMARY KEY (upload_id, part)
);
