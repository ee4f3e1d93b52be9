-- Covers for one language each, beside the cover for all: {"dy": {"path": "public/covers/….webp", "color": "#2a211c"}}.
ALTER TABLE videos ADD COLUMN language_covers jsonb NOT NULL DEFAULT '{}';
