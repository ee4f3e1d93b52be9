-- When a process last took a job up, so that another leaves it alone until its next round. By the database's own time.
ALTER TABLE job_runs ADD COLUMN taken_at timestamptz;

-- The worker hears of a file that waits, instead of looking for one each second.
CREATE TRIGGER assets_announce_new AFTER INSERT ON assets
  FOR EACH ROW WHEN (NEW.state = 'uploaded') EXECUTE FUNCTION announce_work();
CREATE TRIGGER assets_announce AFTER UPDATE OF state ON assets
  FOR EACH ROW WHEN (NEW.state = 'uploaded' AND OLD.state <> 'uploaded') EXECUTE FUNCTION announce_work();
CREATE TRIGGER uploads_announce AFTER UPDATE OF state ON uploads
  FOR EACH ROW WHEN (NEW.state = 'complete') EXECUTE FUNCTION announce_work();

-- Each process hears that the operator changed a setting, instead of asking each second.
CREATE TRIGGER settings_announce AFTER INSERT OR UPDATE OR DELETE ON settings
  FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
