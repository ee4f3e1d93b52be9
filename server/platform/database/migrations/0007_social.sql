-- Who a person is at a social provider. `issuer` is who answers for `subject`: where an operator sets another issuer, the same subject
-- is somebody else.
CREATE TABLE identities (
  issuer      text NOT NULL,
  subject     text NOT NULL,
  provider    text NOT NULL,
  user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);

-- States that came back once; a second time they are refused. A row is of no use once its flow would be too old.
CREATE TABLE spent_social_states (
  state    text PRIMARY KEY,
  ends_at  timestamptz NOT NULL
);
CREATE INDEX spent_social_states_ended ON spent_social_states (ends_at);
