import type { VideoCard } from '#contract/catalog.ts'
import { textInLanguage, type Language, type LocalizedText } from '#contract/languages.ts'
import type { CardRow, CoverColumns } from '#server/features/catalog/queries.ts'

/** Returns the id of a category or tag, and its name in the viewer's language. */
export function presentName(
  { id, names }: { id: string; names: LocalizedText },
  language: Language,
): { id: string; name: string } {
  return { id, name: textInLanguage(names, language) }
}

/**
 * Returns the URL and colour of a video's cover for viewers of a language. Covers are
 * public, and named by a hash of their content.
 */
export function presentCover(
  { cover_path, cover_color, language_covers }: CoverColumns,
  language: Language,
): Pick<VideoCard, 'cover_url' | 'cover_color'> {
  const languageCover = language_covers[language]
  if (languageCover) return { cover_url: `/${languageCover.path}`, cover_color: languageCover.color }
  return { cover_url: cover_path && `/${cover_path}`, cover_color }
}

/** Converts a video's row to a card. */
export function presentCard(row: CardRow, language: Language): VideoCard {
  return {
    id: row.id,
    title: textInLanguage(row.titles, language),
    ...presentCover(row, language),
    episode_count: row.episode_count,
    free_episodes: row.free_episodes,
    play_count: row.play_count,
    tags: row.tags.map((tag) => presentName(tag, language)),
    // A video without plays is never marked as hot.
    badge: row.badge === 'hot' && row.play_count === 0 ? null : row.badge,
    ...(row.progress === null ? {} : { progress: row.progress }),
  }
}
