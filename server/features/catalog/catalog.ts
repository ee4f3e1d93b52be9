import { textInLanguage, type Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import { requireFound } from './listing/list-videos.ts'
import type { Catalog } from './create-catalog.ts'
import { presentCard, presentName } from './cards/present-card.ts'
import * as queries from './queries.ts'
import { loadRelatedVideos } from './recommendations/recommend-videos.ts'

export { loadHomepage, personaliseHomepage, type Copyright, type PayTheme } from './homepage/load-homepage.ts'
export { catalogJobs } from './catalog-jobs.ts'
export { loadCoverKind, setCover, setLanguageCover } from './editing/covers.ts'
export { recordEpisodes, releaseIfWaiting, upsertVideo } from './editing/upsert-video.ts'
export {
  createDraft,
  applyTextChanges,
  editVideo,
  loadAdminVideo,
  type TextChanges,
} from './editing/edit-video.ts'
export {
  loadAdminTitles,
  selectAdminVideos,
  selectTagsInUse,
  selectPreviousVideo,
  type AdminVideoRecord,
} from './editing/admin-queries.ts'
export { selectCategories } from './homepage/homepage-queries.ts'
export { reorderCategories, deleteLabel, mergeLabels, renameLabel } from './editing/edit-labels.ts'
export { selectAdminCategories } from './editing/label-batch-queries.ts'
export { selectAdminTags, type LabelKind } from './editing/label-queries.ts'
export { archive, publishNow, schedule, unschedule } from './editing/video-states.ts'
export { placeholderCoverPrefix } from './editing/publish-queries.ts'
export { listMenuIds, loadListingName, type ListingKind } from './listing/load-listing-name.ts'
export { createCatalog, type Catalog } from './create-catalog.ts'
export { presentCover } from './cards/present-card.ts'
export type { CoverColumns } from './queries.ts'
export { loadCards } from './cards/load-cards.ts'
export {
  isSitemapStart,
  listSitemapVideosAfter,
  selectSitemapStarts,
  type ReleasedVideo,
} from './listing/sitemap-queries.ts'
export { listHomepageOptions, loadDraft, previewDraft, saveDraft } from './homepage/homepage-draft.ts'
export { recordWatchedNext } from './recommendations/recommend-videos.ts'

/**
 * Loads the viewer-independent data of a video.
 * @throws Refusal notFound if the video is unknown, a draft or not yet released
 */
export async function loadVideo(catalog: Catalog, id: string, language: Language) {
  const row = requireFound(await queries.selectVideo(catalog.readDb, id))
  return {
    ...presentCard(row, language),
    synopsis: textInLanguage(row.synopses, language),
    category:
      row.category_id && row.category_names
        ? presentName({ id: row.category_id, names: row.category_names }, language)
        : null,
    favorite_count: row.favorite_count,
    share_count: row.share_count,
    released_at: row.released_at?.toISOString() ?? null,
    price: { episode_cents: row.episode_cents, video_cents: row.video_cents, currency: row.currency },
    related: (await loadRelatedVideos(catalog, row.id)).map((other) => presentCard(other, language)),
  }
}

/** Returns whether the site has no video at all, in any state. */
export function isCatalogEmpty(db: Db): Promise<boolean> {
  return queries.hasNoVideo(db)
}

/** Returns a setting, or undefined if it is not stored. Its type is trusted, not validated. */
export async function readSetting<T extends object>(db: Db, key: string): Promise<T | undefined> {
  return (await queries.selectSetting(db, key)) as T | undefined
}

/** Returns a setting's stored value. If there is none, stores `value` and returns it. */
export async function getOrCreateSetting<T extends object>(db: Db, key: string, value: T): Promise<T> {
  await queries.insertSetting(db, key, value)
  return (await readSetting<T>(db, key)) ?? value
}

export function writeSetting(db: Db, key: string, value: object): Promise<void> {
  return queries.upsertSetting(db, key, value)
}
