-- What an episode is to be called that there is none of before its file has come: titles by language, out of a video.yaml.
ALTER TABLE uploads ADD titles jsonb;
