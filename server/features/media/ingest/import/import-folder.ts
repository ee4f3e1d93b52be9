import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Language, LocalizedText } from '#contract/languages.ts'
import { priceWarningsOf } from '#contract/studio/video-warnings.ts'
import { loadAdminVideo, upsertVideo, setCover, setLanguageCover } from '#server/features/catalog/catalog.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { requeueAbandoned } from '#server/features/media/ingest/queue/asset-states.ts'
import { enqueueEpisode, type Enqueued } from '#server/features/media/ingest/queue/enqueue-episode.ts'
import {
  exponentialBackoff,
  retryWithBackoff,
  type ExponentialBackoff,
  type BackoffOptions,
} from '#server/features/media/ingest/files/exponential-backoff.ts'
import { formatNote } from '#server/features/media/ingest/files/source-notes.ts'
import {
  convertCaptions,
  type ConvertedCaptions,
} from '#server/features/media/ingest/captions/convert-captions.ts'
import { coverSize, makeCover } from '#server/features/media/ingest/convert/make-images.ts'
import { checkSource } from '#server/features/media/ingest/convert/probe.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import {
  findFolders,
  readFolder,
  type ContentFolder,
  type CoverSource,
  type EpisodeSource,
  type RefusedFile,
} from './read-content-folder.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'
import { purgeWorkFolders } from '#server/platform/storage/work-folder.ts'
import { processNextAsset } from '#server/features/media/ingest/queue/ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

export interface EnqueueOptions {
  signal: AbortSignal
  /**
   * When a new video is published. `whenReady`: with its first converted episode. `now`: at once. `draft`: later, by an
   * operator.
   */
  release: 'whenReady' | 'now' | 'draft'
  /** Priority of an episode in the queue. Episodes with a higher priority are converted first. */
  priority: (number: number) => number
  /** Names of categories and tags by slug. */
  names?: ReadonlyMap<string, LocalizedText>
}

/** An imported episode. */
export interface ImportedEpisode extends Enqueued {
  /** Path shown to the operator, such as my-drama/01.mp4. */
  name: string
  /** Seconds. */
  duration: number
}

export interface EnqueuedFolder {
  /** Undefined if the whole folder was refused. */
  videoId?: string
  episodes: ImportedEpisode[]
  refused: RefusedFile[]
  /** Notes that are not errors: "my-drama: episode 3 …". */
  notes: string[]
}

/**
 * Imports one content folder: updates the video, its covers and captions, and queues new and changed episodes. An
 * episode is not converted again if the hash of its file is known (enqueue-episode.ts). Unusable files are listed in
 * `refused`.
 */
export async function enqueueFolder(
  context: IngestContext,
  path: string,
  options: EnqueueOptions,
): Promise<EnqueuedFolder> {
  const folder = await readFolder(path)
  if ('reason' in folder) return { episodes: [], refused: [folder], notes: [] }
  const refused = [...folder.refused]
  const checked = await checkEpisodes(context, folder, refused, options.signal)
  const videoId = await publishFolderVideo(context, folder, options)
  const coverNotes: string[] = []
  for (const cover of folder.covers)
    coverNotes.push(...(await applyCover(context, folder, videoId, cover, refused)))
  const episodes: ImportedEpisode[] = []
  const captionNotes: string[] = []
  for (const { source, name, duration } of checked) {
    const captions = await readCaptions(folder, source, refused)
    captionNotes.push(...captions.notes)
    const titles = folder.description.episodeTitles[source.number - 1] ?? {}
    const file = {
      videoId,
      number: source.number,
      titles,
      path: source.path,
      name,
      ...captions,
      priority: options.priority(source.number),
    }
    episodes.push({ ...(await enqueueEpisode(context, file, options.signal)), name, duration })
  }
  const notes = [
    ...noteUnused(folder),
    ...coverNotes,
    ...captionNotes,
    ...(await noteLabelAndPriceWarnings(context, folder, videoId)),
    ...(await noteMissingEpisodes(context, folder, videoId)),
  ]
  return { videoId, episodes, refused, notes }
}

async function checkEpisodes(
  context: IngestContext,
  folder: ContentFolder,
  refused: RefusedFile[],
  signal: AbortSignal,
) {
  const usable: { source: EpisodeSource; name: string; duration: number }[] = []
  for (const source of folder.episodes) {
    const name = displayName(folder, source.path)
    try {
      const { duration } = await checkSource(context.programs.ffprobePath, source.path, signal)
      // In the progress display, a file without a stated duration counts as one minute.
      usable.push({ source, name, duration: duration || 60 })
    } catch (error) {
      refused.push({ file: name, reason: refusalReason(error) })
    }
  }
  return usable
}

/**
 * Returns the reason of a refusal.
 * @throws errors that the file did not cause
 */
function refusalReason(error: unknown): string {
  if (error instanceof UnusableFile) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: this user has no permission'
  if (code === 'EISDIR') return 'is a folder, not a file'
  if (code === 'ENOENT') return 'is a link to a missing file'
  throw error
}

async function publishFolderVideo(
  { db, clock }: IngestContext,
  { slug, description }: ContentFolder,
  { release, names }: EnqueueOptions,
): Promise<string> {
  return inTransaction(db, (tx) =>
    upsertVideo(tx, { slug, ...description }, { release, names, now: clock.now() }),
  )
}

async function applyCover(
  { db, storage }: IngestContext,
  folder: ContentFolder,
  videoId: string,
  { language, path }: CoverSource,
  refused: RefusedFile[],
): Promise<string[]> {
  const name = displayName(folder, path)
  try {
    const { isSmall, ...cover } = await makeCover(storage, await readFile(path))
    if (language) await setLanguageCover(db, videoId, language, cover)
    else await setCover(db, videoId, cover)
    const { width, height } = coverSize
    return isSmall
      ? [`${name} is small and will look blurred: use at least ${width} × ${height} pixels.`]
      : []
  } catch (error) {
    refused.push({ file: name, reason: refusalReason(error) })
    return []
  }
}

const priceWarningTexts = {
  episodePriceAboveVideo: 'an episode costs more than the whole video',
  allEpisodesFree: 'every episode is free, so nothing is for sale',
}

/** Returns notes on implausible prices, and on categories and tags that have only English names. */
async function noteLabelAndPriceWarnings(
  { db }: IngestContext,
  { slug, episodes }: ContentFolder,
  videoId: string,
): Promise<string[]> {
  const video = await loadAdminVideo(db, videoId)
  const prices = priceWarningsOf({ ...video, episode_count: Math.max(video.episode_count, episodes.length) })
  const labels = [...(video.category ? [video.category] : []), ...video.tags]
  const english = labels.filter(({ names }) => Object.keys(names).length === 1).map(({ names }) => names.en)
  return [
    ...prices.map((warning) => `${slug}: ${priceWarningTexts[warning]}.`),
    ...(english.length === 0
      ? []
      : [
          `${slug}: ${english.join(', ')} have names in English only: translate them in the studio, under Videos.`,
        ]),
  ]
}

async function readCaptions(folder: ContentFolder, source: EpisodeSource, refused: RefusedFile[]) {
  const captions = new Map<Language, ConvertedCaptions>()
  const keptCaptions = new Set<Language>()
  const notes: string[] = []
  for (const { language, path } of source.captions) {
    try {
      const converted = convertCaptions(await readFile(path))
      captions.set(language, converted)
      if (converted.omittedLine === undefined) continue
      const sentence = formatNote({ key: 'captionTimes', language, line: converted.omittedLine }, 'en')
      notes.push(`${displayName(folder, path)} ${sentence}.`)
    } catch (error) {
      keptCaptions.add(language)
      refused.push({ file: displayName(folder, path), reason: refusalReason(error) })
    }
  }
  return { captions, keptCaptions, notes }
}

/** Returns a file's name for the operator: "my-drama/02.mp4". */
function displayName({ slug, path }: ContentFolder, file: string): string {
  return `${slug}/${relative(path, file)}`
}

function noteUnused({ slug, unused }: ContentFolder): string[] {
  return unused.length === 0 ? [] : [`${slug}: not used: ${unused.join(', ')}.`]
}

async function noteMissingEpisodes(
  { db }: IngestContext,
  { slug, episodes }: ContentFolder,
  videoId: string,
): Promise<string[]> {
  const presentNumbers = new Set(episodes.map(({ number }) => number))
  const known = await queries.selectPlayingNumbers(db, videoId)
  const missing = known.filter((number) => !presentNumbers.has(number))
  return missing.map(
    (number) => `${slug}: episode ${number} is not in the folder any more, but remains on the site.`,
  )
}

/** An episode's processing state, for the output. */
export interface EpisodeProgress {
  name: string
  duration: number
  state: 'uploaded' | 'processing' | 'ready' | 'failed'
  percent: number
}

export interface ImportOptions {
  signal: AbortSignal
  niceness: number
  /** Delays between retries while the storage is unreachable. */
  backoff?: BackoffOptions
  onProgress: (episodes: EpisodeProgress[]) => void
}

export interface ImportReport {
  made: string[]
  unchanged: string[]
  recaptioned: string[]
  refused: RefusedFile[]
  notes: string[]
}

/** Queue priority of imported episodes, so that an operator's videos are converted before the demo. */
export const importPriority = 10
const pollMs = 400

/**
 * Imports a content folder, or a folder of content folders, and returns when all episodes are converted. Other workers
 * on the same database share the work. A stopped import can be repeated; finished episodes are not converted again.
 * @throws Error with a readable message if the path has no content; the signal's reason when aborted
 */
export async function importFolder(
  context: IngestContext,
  path: string,
  options: ImportOptions,
): Promise<ImportReport> {
  await purgeWorkFolders(context.storage)
  const backoff = exponentialBackoff(context.log, options.backoff)
  const parts: EnqueuedFolder[] = []
  const found = await findFolders(path)
  for (const folder of found.folders) {
    const enqueueOptions = {
      signal: options.signal,
      release: 'whenReady',
      priority: () => importPriority,
    } as const
    parts.push(
      await retryWithBackoff(backoff, options.signal, () => enqueueFolder(context, folder, enqueueOptions)),
    )
  }
  const episodes = parts.flatMap((part) => part.episodes)
  const pending = episodes.filter(({ state }) => state !== 'unchanged')
  const failed = await processEpisodes(context, pending, options, backoff)
  const failedNames = new Set(failed.map(({ file }) => file))
  const unchanged = episodes.filter(({ state }) => state === 'unchanged')
  return {
    made: pending.map(({ name }) => name).filter((name) => !failedNames.has(name)),
    unchanged: unchanged.filter(({ captionsChanged }) => !captionsChanged).map(({ name }) => name),
    recaptioned: unchanged.filter(({ captionsChanged }) => captionsChanged).map(({ name }) => name),
    refused: [...found.refused, ...parts.flatMap((part) => part.refused), ...failed],
    notes: [
      ...(found.unused.length === 0 ? [] : [`not used: ${found.unused.join(', ')}.`]),
      ...parts.flatMap((part) => part.notes),
      ...(await noteOmittedParts(context, episodes)),
    ],
  }
}

/** Returns notes on the parts of the episodes' files that were not converted. */
async function noteOmittedParts(
  { db }: IngestContext,
  episodes: readonly ImportedEpisode[],
): Promise<string[]> {
  if (episodes.length === 0) return []
  const ids = episodes.map(({ assetId }) => assetId)
  const notes = new Map((await queries.selectAssets(db, ids)).map((asset) => [asset.id, asset.notes]))
  return episodes.flatMap(({ name, assetId }) =>
    (notes.get(assetId) ?? []).map((note) => `${name} ${formatNote(note, 'en')}.`),
  )
}

/**
 * Converts these assets, and waits for assets that other workers convert.
 * @returns the failed assets
 */
async function processEpisodes(
  context: IngestContext,
  episodes: readonly ImportedEpisode[],
  options: ImportOptions,
  backoff: ExponentialBackoff,
): Promise<RefusedFile[]> {
  if (episodes.length === 0) return []
  const unfinished = new Set(episodes.map(({ assetId }) => assetId))
  const liveProgress = new Map<string, number>()
  const onProgress = (id: string, percent: number) => void liveProgress.set(id, percent)
  const loadProgress = () => loadImportProgress(context, episodes, unfinished, liveProgress)
  const reportProgress = async () => options.onProgress(await loadProgress().then(({ progress }) => progress))
  const timer = setInterval(() => void reportProgress().catch(() => {}), pollMs)
  try {
    for (;;) {
      options.signal.throwIfAborted()
      const processedId = await retryWithBackoff(backoff, options.signal, async () => {
        await requeueAbandoned(context.db)
        return processNextAsset(context, { ...options, assetIds: [...unfinished], onProgress })
      })
      if (processedId !== undefined) liveProgress.delete(processedId)
      const { progress, failed, open } = await loadProgress()
      options.onProgress(progress)
      if (!open) return failed
      if (processedId === undefined) await delay(pollMs, undefined, { signal: options.signal })
    }
  } finally {
    clearInterval(timer)
  }
}

/**
 * Loads the progress of all episodes. Reads only the `unfinished` assets, and removes those from it that are ready. A
 * failed asset is read again, because an operator may retry it.
 */
async function loadImportProgress(
  { db }: IngestContext,
  episodes: readonly ImportedEpisode[],
  unfinished: Set<string>,
  live: ReadonlyMap<string, number>,
) {
  const rows = await queries.selectAssets(db, [...unfinished])
  const assets = new Map(rows.map((asset) => [asset.id, asset]))
  const failed: RefusedFile[] = []
  const progress: EpisodeProgress[] = []
  for (const { name, duration, assetId } of episodes) {
    const asset = assets.get(assetId)
    const state = asset?.state ?? 'ready'
    const percent =
      state === 'ready' || state === 'failed' ? 100 : (live.get(assetId) ?? asset?.progress ?? 0)
    progress.push({ name, duration, state, percent })
    if (state === 'ready') unfinished.delete(assetId)
    if (state === 'failed') failed.push({ file: name, reason: asset?.reason ?? 'could not be converted' })
  }
  return {
    progress,
    failed,
    open: progress.some(({ state }) => state === 'uploaded' || state === 'processing'),
  }
}
