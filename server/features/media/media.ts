import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language, type Texts } from '#contract/languages.ts'
import { episodeListLimits, type Episode, type PlayableEpisode, type Playback } from '#contract/media.ts'
import type { LockedEpisode, Offer } from '#contract/billing.ts'
import { loadRights, noRights, type Rights } from '#server/features/library/library.ts'
import { cutPage, decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { Episodes } from './load-episodes.ts'
import type { MediaKeys } from './media-keys.ts'
import { issueLinks, type IssuedLinks } from './passes.ts'
import * as queries from './queries.ts'
import type { EpisodeRow } from './queries.ts'

export { createMediaKeys } from './media-keys.ts'
export {
  countPlayable,
  editEpisode,
  listDeskEpisodes,
  loadDeskPlayback,
  orderEpisodes,
  removeEpisode,
  retryEpisode,
  type DeskMediaContext,
} from './desk-episodes.ts'
export { makeCover } from './ingest/make-stills.ts'
export { UnusableFile } from './ingest/unusable-file.ts'
export {
  beginUpload,
  listUploads,
  removeUpload,
  takePart,
  type UploadContext,
} from './uploads/receive-upload.ts'
export { countFailed } from './desk-queries.ts'
export { createEpisodes, type Episodes } from './load-episodes.ts'
export { listFailedFiles } from './failed-files.ts'

export interface MediaContext {
  db: Db
  episodes: Episodes
  clock: Clock
  /** The first signs links; see passes.ts. */
  mediaSecrets: readonly string[]
  mediaKeys: MediaKeys
  /** What a viewer may buy to see a locked episode. Billing knows; context.ts joins the two. */
  offerFor(db: Db, episode: LockedEpisode, language: Language): Promise<Offer>
  translate(language: Language, key: string): string
}

/** The subject of links for whoever has no rights of their own: they open free episodes only. */
const anybody = 'anybody'

/** The state of an episode for one viewer (product.md, section 5). */
function stateOf(row: EpisodeRow, rights: Rights): Episode['state'] {
  if (row.number <= row.free_episodes) return 'free'
  return rights.covers(row.id) ? 'unlocked' : 'locked'
}

function rightsOf({ db, clock }: MediaContext, viewer: Viewer | null, videoId: string): Promise<Rights> {
  return viewer?.kept ? loadRights(db, viewer.userId, videoId, clock.now()) : Promise.resolve(noRights)
}

function titleOf(titles: Partial<Texts>, language: Language): string {
  return titles.en === undefined ? '' : inLanguage({ ...titles, en: titles.en }, language)
}

/** A locked episode shows its own blurred still, which is public; any other its sharp picture, behind a pass. */
function presentEpisode(
  context: MediaContext,
  row: EpisodeRow,
  state: Episode['state'],
  viewer: Viewer | null,
  language: Language,
): Episode {
  return {
    id: row.id,
    number: row.number,
    title: titleOf(row.titles, language),
    duration_ms: row.duration_ms,
    ready: row.asset_id !== null,
    thumb_url: thumbOf(context, row, state, viewer),
    state,
    price_cents: row.episode_cents,
  }
}

function thumbOf(
  context: MediaContext,
  row: EpisodeRow,
  state: Episode['state'],
  viewer: Viewer | null,
): string | null {
  if (row.place === null) return null
  return state === 'locked'
    ? `/public/${row.place}/still.webp`
    : linksFor(context, row, viewer).link('thumb.webp')
}

/** Links to the files of an episode's asset for this viewer. They name its place. */
function linksFor(
  { mediaSecrets, clock }: MediaContext,
  row: EpisodeRow,
  viewer: Viewer | null,
): IssuedLinks {
  const asset = { place: row.place ?? '', duration_ms: row.duration_ms }
  return issueLinks(mediaSecrets, asset, viewer?.kept ? viewer.userId : anybody, clock.now())
}

/**
 * The episodes of a video as one viewer may see them, in order.
 * @throws Refusal notFound where there is no such video, Fault badCursor
 */
export async function listEpisodes(
  context: MediaContext,
  viewer: Viewer | null,
  query: { video_id: string; cursor?: string; limit?: number },
  language: Language,
) {
  const size = pageSize(query.limit, episodeListLimits)
  const list = `episodes ${query.video_id}`
  const [after] = decodeCursor(list, query.cursor, ['integer']) ?? [0]
  const [rows, rights] = await Promise.all([
    context.episodes.after(query.video_id, after, size + 1),
    rightsOf(context, viewer, query.video_id),
  ])
  if (rows.length === 0 && !(await queries.videoIsSeen(context.db, query.video_id)))
    throw new Refusal('notFound')
  const { page, last } = cutPage(rows, size)
  return {
    list: page.map((row) => presentEpisode(context, row, stateOf(row, rights), viewer, language)),
    next_cursor: last ? encodeCursor(list, [last.number]) : null,
  }
}

/** One episode of a video by its number, as a viewer may see it. */
export async function findEpisode(
  context: MediaContext,
  viewer: Viewer | null,
  { videoId, number }: { videoId: string; number: number },
  language: Language,
): Promise<Episode | undefined> {
  const [row] = await context.episodes.after(videoId, number - 1, 1)
  if (row?.number !== number) return undefined
  const rights = await rightsOf(context, viewer, videoId)
  return presentEpisode(context, row, stateOf(row, rights), viewer, language)
}

/**
 * What is needed to play an episode. Entitlement is checked here, each time a link is issued (security.md, "Media").
 * @throws Refusal notFound; locked with the offer; beingMade with the progress
 */
export async function loadPlayable(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
): Promise<PlayableEpisode> {
  const { row, rights, after } = await openEpisode(context, viewer, episodeId, language, 1)
  return presentPlayable(context, { row, next: after[0], rights }, viewer, language)
}

/** The same with the episode after it, where that may be played too; it costs no further read. @throws as `loadPlayable` */
export async function loadPlayableAndNext(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
): Promise<{ playable: PlayableEpisode; following: PlayableEpisode | undefined }> {
  const { row, rights, after } = await openEpisode(context, viewer, episodeId, language, 2)
  const [next, afterNext] = after
  const opens = next?.asset_id && stateOf(next, rights) !== 'locked'
  return {
    playable: presentPlayable(context, { row, next, rights }, viewer, language),
    following: opens
      ? presentPlayable(context, { row: next, next: afterNext, rights }, viewer, language)
      : undefined,
  }
}

/** An episode that this viewer may play, and so many after it. @throws as `loadPlayable` */
async function openEpisode(
  context: MediaContext,
  viewer: Viewer | null,
  episodeId: string,
  language: Language,
  ahead: number,
) {
  const row = await context.episodes.find(episodeId)
  if (!row) throw new Refusal('notFound')
  const [rights, after] = await Promise.all([
    rightsOf(context, viewer, row.video_id),
    context.episodes.after(row.video_id, row.number, ahead),
  ])
  if (stateOf(row, rights) === 'locked') return refuseLocked(context, row, language)
  if (!row.asset_id) throw beingMade(row)
  return { row, rights, after }
}

function presentPlayable(
  context: MediaContext,
  { row, next, rights }: { row: EpisodeRow; next: EpisodeRow | undefined; rights: Rights },
  viewer: Viewer | null,
  language: Language,
): PlayableEpisode {
  return {
    episode: presentEpisode(context, row, stateOf(row, rights), viewer, language),
    playback: presentPlayback(context, row, viewer, language),
    next: next ? { id: next.id, number: next.number, state: stateOf(next, rights) } : null,
  }
}

function presentPlayback(
  context: MediaContext,
  row: EpisodeRow,
  viewer: Viewer | null,
  language: Language,
): Playback {
  const { expires, link } = linksFor(context, row, viewer)
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

function beingMade(row: EpisodeRow): Refusal {
  return new Refusal('beingMade', { progress: row.coming_progress ?? 0 })
}

/** Only what can be played is offered, and nothing of a video that was taken off sale. */
async function refuseLocked(context: MediaContext, row: EpisodeRow, language: Language): Promise<never> {
  if (row.video_state === 'archived') throw new Refusal('notFound')
  if (!row.asset_id) throw beingMade(row)
  throw new Refusal('locked', await offerOf(context, row, language))
}

async function offerOf(
  context: MediaContext,
  row: EpisodeRow,
  language: Language,
): Promise<Record<string, unknown>> {
  const price = { episode_cents: row.episode_cents, video_cents: row.video_cents, currency: row.currency }
  const thumb_url = row.place === null ? null : `/public/${row.place}/still.webp`
  const { id, video_id, number } = row
  const video = await queries.selectCounts(context.db, video_id)
  return context.offerFor(
    context.db,
    { id, video_id, number, title: titleOf(row.titles, language), thumb_url, price, video },
    language,
  )
}

/**
 * The entitlement that covers an episode for a viewer (POST /api/video/unlock).
 * @throws Refusal notFound; locked with the offer; beingMade with the progress
 */
export async function findCover(
  context: MediaContext,
  viewer: Viewer,
  episodeId: string,
  language: Language,
) {
  const row = await queries.selectEpisode(context.db, episodeId)
  if (!row) throw new Refusal('notFound')
  const entitlement = (await rightsOf(context, viewer, row.video_id)).entitlementFor(row.id)
  return entitlement ?? refuseLocked(context, row, language)
}
