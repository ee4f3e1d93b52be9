import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language, type LocalizedText } from '#contract/languages.ts'
import { episodeListLimits, type Episode, type PlayableEpisode, type Playback } from '#contract/media.ts'
import type { LockedEpisode, Offer } from '#contract/billing.ts'
import { withVariantPrices, type Experiments } from '#server/features/experiments/experiments.ts'
import { noEntitlements } from '#server/features/library/library.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type * as Stills from './ingest/convert/make-images.ts'
import {
  buildAccess,
  episodeState,
  loadAccess,
  recordExposure,
  videoOf,
  type Access,
} from './episode-access.ts'
import type { EpisodeCache } from './episode-cache.ts'
import type { MediaKeys } from './media-keys.ts'
import { issueSignedUrls, type IssuedLinks } from './signed-urls.ts'
import * as queries from './queries.ts'
import type { EpisodeRow } from './queries.ts'

export { createMediaKeys } from './media-keys.ts'
export {
  countPlayable,
  editEpisode,
  listAdminEpisodes,
  loadAdminPlayback,
  editEpisodeTitles,
  reorderEpisodes,
  removeEpisode,
  retryEpisode,
  type AdminMediaContext,
} from './admin-episodes.ts'
export { UnusableFile } from './ingest/files/unusable-file.ts'
export { startUploads, auditRecordOf } from './uploads/start-uploads.ts'
export {
  listArrivedUploads,
  listUploads,
  removeUploads,
  receivePart,
  type UploadContext,
} from './uploads/receive-upload.ts'
export { countFailedEpisodes } from './admin-queries.ts'
export { createEpisodeCache } from './episode-cache.ts'
export { listFailedFiles } from './failed-files.ts'
export { mediaJobs } from './ingest/storage/purge-storage.ts'

/** Parses a `video.yaml`. The parser is loaded on first use, like the cover generator. */
export { parseVideoYamlInThread } from './parse-video-yaml-in-thread.ts'

/** Makes a cover (see make-images.ts, which is loaded on first use). */
export const makeCover: typeof Stills.makeCover = async (...args) =>
  (await import('./ingest/convert/make-images.ts')).makeCover(...args)

export interface MediaContext {
  db: Db
  episodes: EpisodeCache
  clock: Clock
  /** Secrets of signed links. The first secret signs, and all of them verify (signed-urls.ts). */
  mediaSecrets: readonly string[]
  mediaKeys: MediaKeys
  experiments: Experiments
  /** Returns the offer for a locked episode. Billing implements it; context.ts connects the two. */
  offerFor(db: Db, viewer: Viewer | null, episode: LockedEpisode, language: Language): Promise<Offer>
  translate(language: Language, key: string): string
}

/** Subject of links for viewers without a row in the database. Such links are issued only for free episodes. */
export const anonymousSubject = 'anybody'

const priceOf = ({ episode_cents, video_cents, currency }: EpisodeRow) => ({
  episode_cents,
  video_cents,
  currency,
})

function titleOf(titles: Partial<LocalizedText>, language: Language): string {
  return titles.en === undefined ? '' : textInLanguage({ ...titles, en: titles.en }, language)
}

/**
 * Presents an episode. The thumbnail of a locked episode is its blurred still, which is public. Otherwise it is the
 * sharp image, by a signed URL.
 */
function presentEpisode(context: MediaContext, row: EpisodeRow, access: Access, language: Language): Episode {
  const state = episodeState(row, access)
  return {
    id: row.id,
    number: row.number,
    title: titleOf(row.titles, language),
    duration_ms: row.duration_ms,
    ready: row.asset_id !== null,
    thumb_url: thumbUrl(context, row, state, access),
    state,
    price_cents: withVariantPrices(priceOf(row), access.prices).episode_cents,
  }
}

function thumbUrl(
  context: MediaContext,
  row: EpisodeRow,
  state: Episode['state'],
  access: Access,
): string | null {
  if (row.folder === null) return null
  return state === 'locked'
    ? `/public/${row.folder}/still.webp`
    : signLinks(context, row, access).link('thumb.webp')
}

/**
 * Returns signed links to an episode's media files for this viewer. If the episode is free only in the viewer's
 * experiment variant, the links are signed for this viewer. This also applies to a viewer without a row in the
 * database.
 */
function signLinks(
  { mediaSecrets, clock }: MediaContext,
  row: EpisodeRow,
  { viewer, free }: Access,
): IssuedLinks {
  const asset = { folder: row.folder ?? '', duration_ms: row.duration_ms }
  const subject = viewer && (viewer.isStored || row.number > free.minCount) ? viewer.userId : anonymousSubject
  return issueSignedUrls(mediaSecrets, asset, subject, clock.now())
}

/**
 * Returns a video's episodes for one viewer, in order.
 * @throws Refusal notFound if the video does not exist or is not visible; Fault invalidCursor
 */
export async function listEpisodes(
  context: MediaContext,
  viewer: Viewer | null,
  query: { video_id: string; cursor?: string; limit?: number },
  language: Language,
) {
  const size = choosePageSize(query.limit, episodeListLimits)
  const list = `episodes ${query.video_id}`
  const [after] = decodeCursor(list, query.cursor, ['integer']) ?? [0]
  const rows = await context.episodes.after(query.video_id, after, size + 1)
  const [first] = rows
  if (!first) {
    if (!(await queries.isVideoVisible(context.db, query.video_id))) throw new Refusal('notFound')
    return { list: [], next_cursor: null }
  }
  const access = await loadAccess(context, viewer, videoOf(first))
  const { page, last } = cutPage(rows, size)
  return {
    list: page.map((row) => presentEpisode(context, row, access, language)),
    next_cursor: last ? encodeCursor(list, [last.number]) : null,
  }
}

/**
 * Returns the episode of a video with this number, as a viewer sees it. Returns undefined if there is no such episode.
 */
export async function findEpisode(
  context: MediaContext,
  viewer: Viewer | null,
  { videoId, number }: { videoId: string; number: number },
  language: Language,
): Promise<Episode | undefined> {
  const [row] = await context.episodes.after(videoId, number - 1, 1)
  if (row?.number !== number) return undefined
  return presentEpisode(context, row, await loadAccess(context, viewer, videoOf(row)), language)
}

/**
 * Loads an episode for playback. Access is checked here, each time links are issued.
 * @throws Refusal notFound; locked with the offer; episodeNotReady with the progress
 */
export async function loadPlayable(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
): Promise<PlayableEpisode> {
  const { row, access, after } = await loadPlayableRow(context, viewer, episodeId, language, 1)
  return presentPlayable(context, { row, next: after[0], access }, language)
}

/**
 * Loads an episode for playback without reading entitlements, if this episode and the next one are free for everyone.
 * Both are cached for all viewers until the catalogue changes.
 * @returns undefined if access may depend on entitlements or an experiment, or if the episode is not playable
 */
export async function loadFreePlayable(
  context: MediaContext,
  viewer: Viewer,
  episodeId: string,
  language: Language,
): Promise<PlayableEpisode | undefined> {
  const { episodes, experiments } = context
  const running = await experiments.running()
  const row = await episodes.find(episodeId)
  if (running.length > 0 || !row?.asset_id) return undefined
  const access = buildAccess(running, viewer, videoOf(row), noEntitlements)
  if (episodeState(row, access) !== 'free') return undefined
  const [next] = await episodes.next(row, 1)
  if (next && episodeState(next, access) !== 'free') return undefined
  return presentPlayable(context, { row, next, access }, language)
}

/**
 * Loads an episode like `loadPlayable`. If the viewer may play the next episode, also returns that episode, without
 * another query.
 */
export async function loadPlayableAndNext(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
): Promise<{ playable: PlayableEpisode; following: PlayableEpisode | undefined }> {
  const { row, access, after } = await loadPlayableRow(context, viewer, episodeId, language, 2)
  const [next, afterNext] = after
  // If at least one variant locks the next episode, viewers request it themselves. So exposures are counted in the same
  // way in all variants.
  const isSameInAllVariants = next && (!access.free.experiment || next.number <= access.free.minCount)
  const isPlayable = isSameInAllVariants && next.asset_id && episodeState(next, access) !== 'locked'
  return {
    playable: presentPlayable(context, { row, next, access }, language),
    following: isPlayable
      ? presentPlayable(context, { row: next, next: afterNext, access }, language)
      : undefined,
  }
}

/**
 * Loads an episode that this viewer may play, and at most `nextCount` following episodes.
 * @throws like `loadPlayable`
 */
async function loadPlayableRow(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
  nextCount: number,
) {
  const row = await context.episodes.find(episodeId)
  if (!row) throw new Refusal('notFound')
  const [access, after] = await Promise.all([
    loadAccess(context, viewer, videoOf(row)),
    context.episodes.next(row, nextCount),
  ])
  await recordExposure(context, row, access)
  if (episodeState(row, access) === 'locked') return refuseLocked(context, row, access, language)
  if (!row.asset_id) throw notReadyRefusal(row)
  return { row, access, after }
}

function presentPlayable(
  context: MediaContext,
  { row, next, access }: { row: EpisodeRow; next: EpisodeRow | undefined; access: Access },
  language: Language,
): PlayableEpisode {
  return {
    episode: presentEpisode(context, row, access, language),
    playback: presentPlayback(context, row, access, language),
    next: next ? { id: next.id, number: next.number, state: episodeState(next, access) } : null,
  }
}

function presentPlayback(
  context: MediaContext,
  row: EpisodeRow,
  access: Access,
  language: Language,
): Playback {
  const { expires, link } = signLinks(context, row, access)
  return {
    hls_url: link('master.m3u8'),
    expires_at: expires.toISOString(),
    poster_url: link('poster.webp'),
    width: row.width ?? 0,
    height: row.height ?? 0,
    captions: (row.captions ?? []).map(({ lang }) => ({
      lang,
      label: context.translate(language, `captions.${lang}`),
      url: link(`captions/${lang}.vtt`),
    })),
    storyboard_url: link('storyboard.vtt'),
    encrypted: row.encrypted,
  }
}

function notReadyRefusal(row: EpisodeRow): Refusal {
  return new Refusal('episodeNotReady', { progress: row.coming_progress ?? 0 })
}

/** Refuses a locked episode. The refusal has an offer only if the episode is playable and its video is for sale. */
async function refuseLocked(
  context: MediaContext,
  row: EpisodeRow,
  access: Access,
  language: Language,
): Promise<never> {
  if (row.video_state === 'archived') throw new Refusal('notFound')
  if (!row.asset_id) throw notReadyRefusal(row)
  throw new Refusal('locked', await loadOffer(context, row, access, language))
}

async function loadOffer(
  context: MediaContext,
  row: EpisodeRow,
  { viewer, prices }: Access,
  language: Language,
): Promise<Record<string, unknown>> {
  const price = withVariantPrices(priceOf(row), prices)
  const thumb_url = row.folder === null ? null : `/public/${row.folder}/still.webp`
  const { id, video_id, number } = row
  const video = await queries.selectEpisodeCounts(context.db, video_id)
  return context.offerFor(
    context.db,
    viewer,
    { id, video_id, number, title: titleOf(row.titles, language), thumb_url, price, video },
    language,
  )
}

/**
 * Returns the entitlement that covers an episode for a viewer (POST /api/video/unlock).
 * @throws Refusal notFound; locked with the offer; episodeNotReady with the progress
 */
export async function findCoveringEntitlement(
  context: MediaContext,
  viewer: Viewer,
  episodeId: string,
  language: Language,
) {
  const row = await queries.selectEpisode(context.db, episodeId)
  if (!row) throw new Refusal('notFound')
  const access = await loadAccess(context, viewer, videoOf(row))
  await recordExposure(context, row, access)
  return access.entitlements.entitlementFor(row.id) ?? refuseLocked(context, row, access, language)
}
