import { Refusal } from '#contract/errors.ts'
import { languages, type Language, type LocalizedText } from '#contract/languages.ts'
import { videoLimits, type StudioEpisode } from '#contract/studio/videos.ts'
import { applyTextChanges, recordEpisodes, type TextChanges } from '#server/features/catalog/catalog.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './admin-queries.ts'
import type { AdminEpisodeRow } from './admin-queries.ts'
import { retryFailed } from './ingest/queue/asset-states.ts'
import { countEpisodes, softDeleteAsset, setNextAsset } from './ingest/asset-queries.ts'
import { formatNote } from './ingest/files/source-notes.ts'
import { localizeReason } from './ingest/files/unusable-file.ts'
import { issueSignedUrls, type IssuedLinks } from './signed-urls.ts'
import { selectEpisodeCounts } from './queries.ts'

/**
 * Dependencies of the studio's episode endpoints. `mediaSecrets` sign the media links of both the studio and viewers.
 */
export interface AdminMediaContext {
  db: Db
  clock: Clock
  mediaSecrets: readonly string[]
}

/**
 * Subject of media links for the studio, in place of a user id. No viewer can have such a link, because no user has
 * this id and only the site signs links.
 */
export const studioSubject = 'studio'

/** Lists all episodes of a video, in any state, with the conversion progress of their files. */
export async function listAdminEpisodes(
  context: AdminMediaContext,
  db: Db,
  videoId: string,
  language: Language,
): Promise<StudioEpisode[]> {
  const rows = await queries.selectAdminEpisodesOf(db, videoId)
  return rows.map((row) => presentAdminEpisode(context, row, language))
}

function presentAdminEpisode(
  context: AdminMediaContext,
  row: AdminEpisodeRow,
  language: Language,
): StudioEpisode {
  const hasNextFile = row.next_asset_id !== null
  const name = (hasNextFile ? row.coming_name : row.source_name) ?? ''
  const reason = hasNextFile
    ? localizeReason(language, { reason: row.coming_reason, reason_details: row.coming_reason_details })
    : null
  const captions = row.coming_captions ?? row.captions ?? []
  const captioned = new Set(captions.map(({ lang }) => lang))
  const notes = [
    ...(hasNextFile ? [] : (row.notes ?? [])),
    ...captions.flatMap(({ lang, omittedLine }) =>
      omittedLine === undefined ? [] : [{ key: 'captionTimes' as const, language: lang, line: omittedLine }],
    ),
  ]
  return {
    id: row.id,
    number: row.number,
    titles: row.titles,
    state: episodeState(row),
    playable: row.asset_id !== null,
    progress: hasNextFile ? (row.coming_progress ?? 0) : 100,
    reason: reason ? `${name} ${reason}` : null,
    notes: notes.map((note) => `${name} ${formatNote(note, language)}`),
    source_name: name,
    duration_ms: row.duration_ms,
    captions: languages.filter((language) => captioned.has(language)),
    thumb_url: signAdminLinks(context, row)?.link('thumb.webp') ?? null,
  }
}

function episodeState({ coming_state, coming_path }: AdminEpisodeRow): StudioEpisode['state'] {
  if (coming_state === 'uploaded') return coming_path === null ? 'awaiting_file' : 'queued'
  return coming_state ?? 'ready'
}

/** Returns signed links to an episode's media files for an operator; null if the episode has no playable asset. */
function signAdminLinks(
  { clock, mediaSecrets }: AdminMediaContext,
  { folder, duration_ms }: AdminEpisodeRow,
): IssuedLinks | null {
  return folder === null
    ? null
    : issueSignedUrls(mediaSecrets, { folder, duration_ms }, studioSubject, clock.now())
}

/**
 * Loads an episode for playback by an operator, whatever the state of its video.
 * @throws Refusal notFound; episodeNotReady if the episode has no playable asset yet
 */
export async function loadAdminPlayback(context: AdminMediaContext, id: string) {
  const row = await queries.selectAdminEpisode(context.db, id)
  if (!row) throw new Refusal('notFound')
  const links = signAdminLinks(context, row)
  if (!links) throw new Refusal('episodeNotReady')
  return {
    hls_url: links.link('master.m3u8'),
    poster_url: links.link('poster.webp'),
    expires_at: links.expires.toISOString(),
    encrypted: row.encrypted,
    captions: (row.captions ?? []).map(({ lang }) => ({ lang, url: links.link(`captions/${lang}.vtt`) })),
  }
}

/**
 * Counts a video's episodes. `count` has the playable episodes and those that are not converted yet; `ready` has only
 * the playable ones.
 */
export async function countPlayable(db: Db, videoId: string): Promise<{ count: number; ready: number }> {
  const { episode_count, ready_count } = await selectEpisodeCounts(db, videoId)
  return { count: Number(episode_count), ready: Number(ready_count) }
}

/**
 * Reorders a video's episodes by reassigning their existing numbers. A gap in the numbers remains, so that the missing
 * episode can be uploaded later.
 * @returns the episode ids in the previous order
 * @throws Refusal editConflict if `ids` are not exactly the ids of the video's episodes
 */
export async function reorderEpisodes(tx: Tx, videoId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await queries.lockEpisodes(tx, videoId)
  const before = rows.map(({ id }) => id)
  const known = new Set(before)
  if (ids.length !== before.length || new Set(ids).size !== ids.length || ids.some((id) => !known.has(id)))
    throw new Refusal('editConflict')
  const numbers = rows.map(({ number }) => number)
  await queries.renumberEpisodes(tx, videoId, { ids, numbers })
  return before
}

/** Selects an episode and locks its row. @throws Refusal notFound */
async function lockEpisode(tx: Tx, id: string): Promise<AdminEpisodeRow> {
  const row = await queries.lockAdminEpisode(tx, id)
  if (!row) throw new Refusal('notFound')
  return row
}

async function presentEpisode(
  context: AdminMediaContext,
  tx: Tx,
  id: string,
  language: Language,
): Promise<StudioEpisode> {
  return presentAdminEpisode(context, await lockEpisode(tx, id), language)
}

/**
 * Changes titles of an episode.
 * @throws Refusal notFound, textTooLong
 */
export async function editEpisode(
  context: AdminMediaContext,
  tx: Tx,
  id: string,
  changes: TextChanges,
  language: Language,
): Promise<{ before: Partial<LocalizedText>; episode: StudioEpisode }> {
  const { titles: before } = await lockEpisode(tx, id)
  const titles = applyTextChanges(before, changes, videoLimits.title, 'titles')
  await queries.updateEpisodeTitles(tx, [{ id, titles }])
  return { before, episode: await presentEpisode(context, tx, id, language) }
}

/**
 * Changes titles of several episodes of a video.
 * @returns the old and the new titles of the changed episodes, by episode number
 * @throws Refusal textTooLong; editConflict if an id is repeated or belongs to no episode of the video
 */
export async function editEpisodeTitles(
  tx: Tx,
  videoId: string,
  changes: readonly { id: string; titles: TextChanges }[],
): Promise<{ before: TitlesByNumber; after: TitlesByNumber }> {
  const known = new Map((await queries.lockEpisodes(tx, videoId)).map((row) => [row.id, row]))
  if (new Set(changes.map(({ id }) => id)).size !== changes.length) throw new Refusal('editConflict')
  const updated = changes.map(({ id, titles }) => {
    const row = known.get(id)
    if (!row) throw new Refusal('editConflict')
    return {
      ...row,
      was: row.titles,
      titles: applyTextChanges(row.titles, titles, videoLimits.title, 'titles'),
    }
  })
  const changed = updated.filter(({ was, titles }) => languages.some((each) => was[each] !== titles[each]))
  await queries.updateEpisodeTitles(tx, changed)
  return {
    before: Object.fromEntries(changed.map(({ number, was }) => [number, was])),
    after: Object.fromEntries(changed.map(({ number, titles }) => [number, titles])),
  }
}

type TitlesByNumber = Record<string, Partial<LocalizedText>>

/**
 * Requeues the failed asset of an episode for another conversion.
 * @throws Refusal notFound; editConflict if the episode's next asset has not failed
 */
export async function retryEpisode(
  context: AdminMediaContext,
  tx: Tx,
  id: string,
  language: Language,
): Promise<{ reason: string | null; episode: StudioEpisode }> {
  await queries.lockVideoOfEpisode(tx, id)
  const row = await lockEpisode(tx, id)
  const isQueued = row.next_asset_id !== null && (await retryFailed(tx, row.next_asset_id))
  if (!isQueued) throw new Refusal('editConflict')
  await recordEpisodes(tx, row.video_id, await countEpisodes(tx, row.video_id))
  return { reason: row.coming_reason, episode: await presentEpisode(context, tx, id, language) }
}

/**
 * Deletes an episode that was never playable, with its file. If the episode is playable, removes only the failed
 * replacement file.
 * @throws Refusal notFound; editConflict if the episode is playable and no replacement has failed
 */
export async function removeEpisode(tx: Tx, id: string, now: Date): Promise<AdminEpisodeRow> {
  await queries.lockVideoOfEpisode(tx, id)
  const row = await lockEpisode(tx, id)
  const hasFailed = row.coming_state === 'failed'
  if (row.asset_id !== null && !hasFailed) throw new Refusal('editConflict')
  if (row.asset_id === null) await queries.deleteEpisode(tx, id)
  else await setNextAsset(tx, id, null)
  if (row.next_asset_id !== null) await softDeleteAsset(tx, row.next_asset_id, now)
  await recordEpisodes(tx, row.video_id, await countEpisodes(tx, row.video_id))
  return row
}
