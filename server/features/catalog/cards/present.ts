import type { VideoCard } from '#contract/catalog.ts'
import { inLanguage, type Language, type Texts } from '#contract/languages.ts'
import type { CardRow } from '#server/features/catalog/queries.ts'

/** A name in the viewer's language, with its id. */
export function presentName(
  { id, names }: { id: string; names: Texts },
  language: Language,
): { id: string; name: string } {
  return { id, name: inLanguage(names, language) }
}

/** A video's row as a card. Covers are public and named by their content. */
export function presentCard(row: CardRow, language: Language): VideoCard {
  return {
    id: row.id,
    title: inLanguage(row.titles, language),
    cover_url: row.cover_path && `/${row.cover_path}`,
    cover_color: row.cover_color,
    episode_count: row.episode_count,
    free_episodes: row.free_episodes,
    play_count: row.play_count,
    tags: row.tags.map((tag) => presentName(tag, language)),
    // A video without plays is never hot.
    badge: row.badge === 'hot' && row.play_count === 0 ? null : row.badge,
    ...(row.progress === null ? {} : { progress: row.progress }),
  }
}
