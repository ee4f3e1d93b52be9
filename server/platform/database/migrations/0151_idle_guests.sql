-- When a guest was last found to have done something, by the site's clock: guests who stay away are forgotten.
ALTER TABLE users ADD COLUMN active_at timestamptz;
-- Those have bought nothing, so that no gateway knows them.
ALTER TABLE payers_to_forget DROP CONSTRAINT payers_to_forget_id_fkey,
  ADD CONSTRAINT payers_to_forget_id_fkey FOREIGN KEY (id) REFERENCES users ON DELETE CASCADE;
