-- Signing in, leaving and exporting look at all entitlements of a person, also those that were taken back.
CREATE INDEX entitlements_owner ON entitlements (user_id, video_id);
DROP INDEX entitlements_user;
