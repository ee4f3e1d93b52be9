import { mkdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '#contract/languages.ts'
import type { ExtraCodec } from '#server/platform/config/read-ingest.ts'
import { queryCapabilities } from '#server/platform/processes/run-ffmpeg-capabilities.ts'
import { buildFfmpegArgs, type SourceClock } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import type { SourceNote } from '#server/features/media/ingest/files/source-notes.ts'
import { diskFullError, toConversionError } from '#server/features/media/ingest/files/conversion-failure.ts'
import { extraRenditionIndexes, type ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'
import type { Programs } from './programs.ts'
import { joinAudio } from './join-audio.ts'
import { makeEpisodeImages } from './make-images.ts'
import { isMatroskaTruncated } from '#server/features/media/ingest/files/matroska-outline.ts'
import {
  filmDuration,
  chooseFrameRate,
  type PacketTimes,
} from '#server/features/media/ingest/plan/packet-times.ts'
import { readBoxOutline, readCodec, readTrackDelay } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { planLadder, type LadderPlan } from '#server/features/media/ingest/plan/plan-ladder.ts'
import { planStoryboard, storyboardVtt } from '#server/features/media/ingest/plan/plan-storyboard.ts'
import {
  parsePlaylist,
  playlistDuration,
  writeMaster,
  writePlaylist,
  type Rendition,
  type VideoRendition,
} from './playlists.ts'
import { checkMaxDuration, probe, type SourceMedia } from './probe.ts'
import { readFilmColours } from './read-film-colours.ts'
import { analyzeSource } from './analyze-source.ts'
import { parseFrameCount, runLimited, timeLimit } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import { findStreamBreaks } from '#server/features/media/ingest/files/transport-stream.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

export interface TranscodeOptions {
  programs: Programs
  /** The file to read, an absolute path. */
  input: string
  /** An existing empty folder. Private files are written to its subfolder `media`, public ones to `public`. */
  folder: string
  niceness: number
  signal: AbortSignal
  /** Percent, 0 to 99. */
  onProgress: (percent: number) => void
}

/** An asset's properties after conversion. Width and height are those of its largest rendition. */
export interface TranscodeResult {
  width: number
  height: number
  durationMs: number
  hasAudio: boolean
  /** Embedded captions as WebVTT. */
  captions: ReadonlyMap<Language, string>
  /** Notes on omitted parts of the file. */
  notes: SourceNote[]
}

const aacLc = 'mp4a.40.2'
/**
 * Maximum difference between the declared and the actual duration of a film: 5 %, or half a second if that is more. A
 * file with a larger difference is considered truncated.
 */
const maxMissingShare = 0.05
const maxMissingSeconds = 0.5

/**
 * Makes all files of an asset except captions: renditions, playlists, storyboard and images. Returns embedded captions
 * as text.
 * @throws UnusableFile
 * @throws the signal's reason when aborted
 */
export async function transcode({
  programs,
  input,
  folder,
  niceness,
  signal,
  onProgress,
}: TranscodeOptions): Promise<TranscodeResult> {
  const probed = await probe(programs.ffprobePath, input, signal)
  const breaks = await findBreaks(input, probed, signal)
  const colours = await readFilmColours(programs, input, probed, { niceness, signal })
  const source = { ...probed, ...breaks, colours }
  if (source.colours.wide) await checkColours(programs.ffmpegPath)
  const { times, sound, gain, captions, notes } = await analyzeSource({
    programs,
    input,
    source,
    folder,
    niceness,
    signal,
  })
  const film = {
    ...source,
    duration: await measureDuration(input, source, times),
    lastPicture: times.lastPicture,
    frameRate: chooseFrameRate(times, source.frameRate),
    hasAudio: sound !== undefined,
    mirrorFilter: programs.bundled ? source.mirrorFilter : undefined,
  }
  const plan = planLadder(film)
  const media = join(folder, 'media')
  await makeFolders(folder, plan, programs.extraRendition !== undefined)
  const frames = (film.duration * plan.frameRate.num) / plan.frameRate.den
  const job = { ...film, input, sound, gain, plan, extraRendition: programs.extraRendition }
  const result = await runLimited({
    program: programs.ffmpegPath,
    args: buildFfmpegArgs(job),
    cwd: media,
    niceness,
    limits: programs.limits,
    signal,
    ...timeLimit(film.duration),
    onLine: (line) => {
      const done = parseFrameCount(line)
      if (done !== undefined) onProgress(Math.min(99, Math.floor((100 * done) / frames)))
    },
  })
  // On a full disk, the ffmpeg of 2018 exits with status 0 and without a message. The temporary files are deleted only
  // after this check, because that frees space.
  if (isFull(await statfs(folder))) throw diskFullError()
  if (sound) await rm(sound.input, { force: true })
  if (result.status !== 0) throw toConversionError(result)
  return {
    ...(await assembleAsset(folder, film, plan, programs.extraRendition)),
    captions,
    notes: [...source.notes, ...notes],
  }
}

/**
 * Finds the discontinuities of a transport stream, and the delay of the video in a fragmented MP4. Other containers
 * have neither.
 * @throws UnusableFile if a track changes its codec
 */
async function findBreaks(
  input: string,
  { container, trackIds }: SourceMedia,
  signal: AbortSignal,
): Promise<Omit<SourceClock, 'startTime'>> {
  const [videoId = NaN] = trackIds
  const pictureDelay = container === 'mov' ? await readTrackDelay(input, videoId) : 0
  if (container !== 'mpegts') return { clockJump: undefined, aacRateChanges: false, pictureDelay }
  const { codecChanges, ...breaks } = await findStreamBreaks(input, trackIds, signal)
  if (codecChanges) throw new UnusableFile({ key: 'codecChanges' })
  return { ...breaks, pictureDelay }
}

/**
 * Checks that ffmpeg has the filters of the colour conversion. It is better to refuse a file than to show grossly wrong
 * colours.
 * @throws UnusableFile
 */
async function checkColours(ffmpegPath: string): Promise<void> {
  const { filters } = await queryCapabilities(ffmpegPath)
  if (!filters.has('zscale') || !filters.has('tonemap')) throw new UnusableFile({ key: 'highRange' })
}

async function makeFolders(folder: string, plan: LadderPlan, hasExtraRendition: boolean): Promise<void> {
  const folders = [
    ...plan.renditions.map((_, index) => `media/v${index}`),
    ...(plan.hasAudio ? ['media/a'] : []),
    ...(hasExtraRendition ? extraRenditionIndexes(plan).map((_, index) => `media/x${index}`) : []),
    'public',
  ]
  for (const name of folders) await mkdir(join(folder, name), { recursive: true })
}

const minFreeBytes = 1024 ** 2

/**
 * Returns whether a file system has less than 1 MB free. A file system that reports no blocks is not considered full.
 */
export function isFull({
  blocks,
  bavail,
  bsize,
}: {
  blocks: number
  bavail: number
  bsize: number
}): boolean {
  return blocks > 0 && bavail * bsize < minFreeBytes
}

async function assembleAsset(
  folder: string,
  source: SourceMedia,
  plan: LadderPlan,
  extraRendition: ExtraRendition | undefined,
): Promise<Omit<TranscodeResult, 'captions' | 'notes'>> {
  const media = join(folder, 'media')
  const videos = await readVideos(media, plan)
  const extraVideos = extraRendition ? await readExtra(media, plan, extraRendition.codec) : []
  const seconds = playlistDuration(videos[0]?.segments ?? [])
  checkLength(seconds, source.duration)
  const hasAudio = plan.hasAudio && (await hasSegments(join(media, 'a')))
  if (hasAudio) await joinAudio(join(media, 'a'))
  const audio = hasAudio ? await measure(media, 'a', aacLc) : undefined
  const durationMs = Math.round(1000 * seconds)
  await writeMasters(media, videos, extraVideos, audio, plan.frameRate.num / plan.frameRate.den)
  await writeFile(
    join(media, 'storyboard.vtt'),
    storyboardVtt(planStoryboard(plan, source.duration), durationMs),
  )
  await makeEpisodeImages(media, join(folder, 'public'))
  return {
    width: plan.renditions[0]?.width ?? 0,
    height: plan.renditions[0]?.height ?? 0,
    durationMs,
    hasAudio,
  }
}

async function readVideos(media: string, plan: LadderPlan): Promise<VideoRendition[]> {
  const videos: VideoRendition[] = []
  for (const [index, { width, height }] of plan.renditions.entries())
    videos.push({ ...(await readVideo(media, `v${index}`, 'avc')), width, height })
  return videos
}

async function readExtra(media: string, plan: LadderPlan, codec: ExtraCodec): Promise<VideoRendition[]> {
  const videos: VideoRendition[] = []
  for (const [index, place] of extraRenditionIndexes(plan).entries()) {
    const { width = 0, height = 0 } = plan.renditions[place] ?? {}
    videos.push({ ...(await readVideo(media, `x${index}`, codec)), width, height })
  }
  return videos
}

/**
 * Writes `master.m3u8` for every player. With an extra codec, also writes `extra.m3u8` with all renditions, for players
 * that support both codecs.
 */
async function writeMasters(
  media: string,
  videos: readonly VideoRendition[],
  extra: readonly VideoRendition[],
  audio: Rendition | undefined,
  frameRate: number,
): Promise<void> {
  const master = writeMaster(videos, audio, frameRate, extra[0]?.codec)
  await writeFile(join(media, 'master.m3u8'), master)
  if (extra.length === 0) return
  await writeFile(join(media, 'extra.m3u8'), writeMaster([...videos, ...extra], audio, frameRate))
}

async function readVideo(media: string, name: string, codec: 'avc' | ExtraCodec): Promise<Rendition> {
  if (!(await hasSegments(join(media, name)))) throw new UnusableFile({ key: 'undecodable' })
  const playlist = join(media, name, 'index.m3u8')
  const rendition = await measure(
    media,
    name,
    readCodec(codec, await readFile(join(media, name, 'init.mp4'))),
  )
  await writeFile(playlist, writePlaylist(rendition.segments))
  return rendition
}

/**
 * Measures the segments of a rendition.
 * @throws Error if a segment is missing, empty or incomplete
 */
async function measure(media: string, name: string, codec: string): Promise<Rendition> {
  const segments = []
  for (const segment of parsePlaylist(await readFile(join(media, name, 'index.m3u8'), 'utf8'))) {
    const file = join(media, name, segment.uri)
    const { size } = await stat(file)
    if (size === 0) throw new Error(`The segment ${name}/${segment.uri} is empty.`)
    if (!(await readBoxOutline(file)).isWhole)
      throw new Error(`The segment ${name}/${segment.uri} is incomplete.`)
    segments.push({ ...segment, bytes: size })
  }
  return { folder: name, segments, codec }
}

async function hasSegments(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'index.m3u8'), 'utf8').catch(() => '')
  return parsePlaylist(text).length > 0
}

/**
 * Measures a film's duration in seconds by its packets. The duration that the container states has only two uses: to
 * detect a truncated file and, in Matroska, to extend the last frame.
 * @throws UnusableFile
 */
async function measureDuration(
  input: string,
  { container, videoDuration = 0 }: SourceMedia,
  times: PacketTimes,
): Promise<number> {
  const measured = filmDuration(times)
  const isCut = container === 'mov' || (container === 'matroska' && (await isMatroskaTruncated(input)))
  if (isCut) checkLength(measured, videoDuration)
  const length = Math.max(measured, container === 'matroska' ? videoDuration : 0)
  if (!(length > 0)) throw new UnusableFile({ key: 'noLength' })
  checkMaxDuration(length)
  return length
}

function checkLength(actual: number, declared: number): void {
  const missing = declared - actual
  if (missing <= Math.max(maxMissingSeconds, maxMissingShare * declared)) return
  throw new UnusableFile({ key: 'cutOff', made: actual, declared })
}
