-- Whoever saves a position notes that a video was begun: a guest's history that comes to an account begins nothing again.
DROP TRIGGER note_begun_video ON history;
DROP FUNCTION note_begun_video();
