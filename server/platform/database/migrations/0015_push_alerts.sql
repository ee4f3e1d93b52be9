-- New-episode alerts by Web Push (docs/decisions/0024-push-beside-mail.md).

-- Browsers in which a guest or member turned notifications on. The id is the SHA-256 of the endpoint.
CREATE TABLE push_subscriptions (
  id                  text PRIMARY KEY,
  user_id             text NOT NULL REFERENCES users ON DELETE CASCADE,
  -- A member's, with which it ends; a guest has none.
  session_id          text REFERENCES sessions ON DELETE CASCADE,
  endpoint            text NOT NULL,
  p256dh              text NOT NULL,
  auth                text NOT NULL,
  -- The site's key that the browser takes pushes of, and since when the site has another one.
  public_key          text NOT NULL,
  key_outdated_since  timestamptz,
  created_at          timestamptz NOT NULL
);
CREATE INDEX push_subscriptions_user ON push_subscriptions (user_id, created_at DESC);
CREATE INDEX push_subscriptions_session ON push_subscriptions (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX push_subscriptions_key ON push_subscriptions (public_key, key_outdated_since);

-- Queued notifications. A newer release replaces one that was not sent yet.
CREATE TABLE push_messages (
  subscription_id  text NOT NULL REFERENCES push_subscriptions ON DELETE CASCADE,
  video_id         text NOT NULL REFERENCES videos ON DELETE CASCADE,
  -- The first of the new episodes, and how many there are.
  number           integer NOT NULL,
  count            integer NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  expires_at       timestamptz NOT NULL,
  PRIMARY KEY (subscription_id, video_id)
);
CREATE INDEX push_messages_due ON push_messages (next_attempt_at);
-- The order in which they are sent.
CREATE INDEX push_messages_order ON push_messages (attempts, next_attempt_at);
CREATE INDEX push_messages_video ON push_messages (video_id);
