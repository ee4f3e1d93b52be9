import type { LocalizedText } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './publish-queries.ts'

/** Description of a video to publish. Its category and tags are given by slug. */
export interface VideoDetails {
  slug: string
  titles: LocalizedText
  synopses: LocalizedText
  category: string | null
  tags: readonly string[]
  badge: 'new' | 'hot' | null
  featured: boolean
  freeEpisodes: number
  price: { currency: string; episodeCents: number; videoCents: number }
}

export interface PublishOptions {
  /**
   * When a new video is published. An existing video keeps its state. `whenReady`: with its first converted episode.
   * `now`: immediately, before its episodes are converted.
   */
  release: 'whenReady' | 'now' | 'draft'
  now: Date
  /**
   * Names of the categories and tags that must be created, by slug. A label without names here gets a name made from
   * its slug.
   */
  names?: ReadonlyMap<string, LocalizedText>
}

/**
 * Creates the video with the slug in `details`, or updates it, including its category and tags.
 * @returns its id
 */
export async function upsertVideo(
  tx: Tx,
  details: VideoDetails,
  { release, now, names }: PublishOptions,
): Promise<string> {
  const nameOf = (slug: string): LocalizedText => names?.get(slug) ?? { en: humanise(slug) }
  const category = details.category
  // Locks the video before its labels, as the studio does. In another order, the two could deadlock.
  await queries.lockVideoWithSlug(tx, details.slug)
  const values = {
    slug: details.slug,
    titles: details.titles,
    synopses: details.synopses,
    category_id:
      category === null ? null : await queries.upsertLabel(tx, 'categories', category, nameOf(category)),
    badge: details.badge,
    featured: details.featured,
    free_episodes: details.freeEpisodes,
    currency: details.price.currency,
    episode_cents: details.price.episodeCents,
    video_cents: details.price.videoCents,
  }
  const state = { whenReady: 'scheduled', now: 'published', draft: 'draft' } as const
  const id = await queries.upsertVideo(tx, values, state[release], release === 'now' ? now : null, now)
  const tagIds = new Map<string, string>()
  // Inserts in a fixed order, so that two concurrent imports cannot deadlock.
  for (const tag of [...new Set(details.tags)].toSorted())
    tagIds.set(tag, await queries.upsertLabel(tx, 'tags', tag, nameOf(tag)))
  await queries.replaceVideoTags(
    tx,
    id,
    [...new Set(details.tags)].map((tag) => tagIds.get(tag) ?? ''),
  )
  return id
}

/** Converts `first-love` to "First love". */
function humanise(slug: string): string {
  const words = slug.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Stores the number of a video's episodes, and their conversion progress for its card (percent; null once all episodes
 * are ready).
 */
export async function recordEpisodes(
  db: Db,
  videoId: string,
  episodes: { count: number; progress: number | null },
): Promise<void> {
  await queries.updateEpisodes(db, videoId, episodes)
}

/** Publishes a video that waits for its first episode. Leaves any other video unchanged. */
export async function releaseIfWaiting(tx: Tx, videoId: string, now: Date): Promise<void> {
  await queries.publishWaitingVideo(tx, videoId, now)
}
