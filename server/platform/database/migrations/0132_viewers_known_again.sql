-- Tells every process that somebody's session has ended, or that a guest is a guest no more, as that is committed: until then they are known
-- again without a look at these tables.
CREATE FUNCTION announce_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('identities', to_jsonb(OLD) ->> TG_ARGV[0]);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_announce AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION announce_identity('user_id');
CREATE TRIGGER users_announce AFTER UPDATE OF member_since, merged_into, deleted_at ON users
  FOR EACH ROW WHEN (OLD.member_since IS DISTINCT FROM NEW.member_since OR OLD.merged_into IS DISTINCT FROM NEW.merged_into
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION announce_identity('id');

-- Steps of the same kind that were noted together are one row.
ALTER TABLE funnel_steps ADD COLUMN count integer NOT NULL DEFAULT 1;
