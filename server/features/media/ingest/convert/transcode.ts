import { mkdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '#contract/languages.ts'
import type { ExtraCodec } from '#server/platform/config/read-ingest.ts'
import { askAbilities } from '#server/platform/processes/run-abilities.ts'
import { buildFfmpegArgs } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import type { FilmNote } from '#server/features/media/ingest/files/film-notes.ts'
import { diskFull, failure } from '#server/features/media/ingest/files/conversion-failure.ts'
import { extraPlaces, type ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'
import type { Programs } from './programs.ts'
import { joinAudio } from './join-audio.ts'
import { makeStills } from './make-stills.ts'
import { isMatroskaCut } from '#server/features/media/ingest/files/matroska-outline.ts'
import { lengthOf, rateOf, type FilmTimes } from '#server/features/media/ingest/plan/measure-film.ts'
import { outlineOf, readCodec } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { planLadder, type LadderPlan } from '#server/features/media/ingest/plan/plan-ladder.ts'
import { planStoryboard, storyboardVtt } from '#server/features/media/ingest/plan/plan-stills.ts'
import {
  parsePlaylist,
  playlistDuration,
  writeMaster,
  writePlaylist,
  type Rendition,
  type VideoRendition,
} from './playlists.ts'
import { checkLongest, probe, type SourceMedia } from './probe.ts'
import { analyzeSource } from './analyze-source.ts'
import { framesDone, runLimited, timeLimit } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import { findBreaks } from '#server/features/media/ingest/files/transport-stream.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

export interface TranscodeOptions {
  programs: Programs
  /** The file to read, an absolute path. */
  input: string
  /** An existing empty folder; private files are written to `media`, public ones to `public` inside it. */
  folder: string
  niceness: number
  signal: AbortSignal
  /** Percent, 0 to 99. */
  onProgress: (percent: number) => void
}

/** An asset's properties after conversion; width and height of its largest rendition. */
export interface Transcoded {
  width: number
  height: number
  durationMs: number
  hasAudio: boolean
  /** Embedded captions as WebVTT. */
  captions: ReadonlyMap<Language, string>
  /** Notes on omitted parts of the file. */
  notes: FilmNote[]
}

const aacLc = 'mp4a.40.2'
/** Share of the declared duration that may be missing: 5 %, and never less than half a second. */
const lostShare = 0.05
const lostSeconds = 0.5

/**
 * Makes everything of an asset except its captions: renditions, playlists, storyboard, images.
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
}: TranscodeOptions): Promise<Transcoded> {
  const probed = await probe(programs.ffprobePath, input, signal)
  const source = { ...probed, clockJump: await findClockJump(input, probed, signal) }
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
    duration: await measureLength(input, source, times),
    lastPicture: times.lastPicture,
    frameRate: rateOf(times, source.frameRate),
    hasAudio: sound !== undefined,
  }
  const plan = planLadder(film)
  const media = join(folder, 'media')
  await makeFolders(folder, plan, programs.extraRung !== undefined)
  const frames = (film.duration * plan.frameRate.num) / plan.frameRate.den
  const job = { ...film, input, sound, gain, plan, extraRung: programs.extraRung }
  const result = await runLimited({
    program: programs.ffmpegPath,
    args: buildFfmpegArgs(job),
    cwd: media,
    niceness,
    limits: programs.limits,
    signal,
    ...timeLimit(film.duration),
    onLine: (line) => {
      const done = framesDone(line)
      if (done !== undefined) onProgress(Math.min(99, Math.floor((100 * done) / frames)))
    },
  })
  if (sound) await rm(sound.input, { force: true })
  // The build of 2018 exits with success and without a message on a full disk.
  if (isFull(await statfs(folder))) throw diskFull()
  if (result.status !== 0) throw failure(result)
  return {
    ...(await finish(folder, film, plan, programs.extraRung)),
    captions,
    notes: [...source.notes, ...notes],
  }
}

/**
 * Returns by how much the clock jumps back in the middle.
 * @throws UnusableFile if a codec changes there
 */
async function findClockJump(
  input: string,
  { container, trackIds }: SourceMedia,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (container !== 'mpegts') return undefined
  const { clockJump, codecChanges } = await findBreaks(input, trackIds, signal)
  if (codecChanges) throw new UnusableFile({ key: 'codecChanges' })
  return clockJump
}

/**
 * Checks that ffmpeg has the filters of the colour conversion, since grossly wrong colours would be worse than no episode.
 * @throws UnusableFile
 */
async function checkColours(ffmpegPath: string): Promise<void> {
  const { filters } = await askAbilities(ffmpegPath)
  if (!filters.has('zscale') || !filters.has('tonemap')) throw new UnusableFile({ key: 'highRange' })
}

async function makeFolders(folder: string, plan: LadderPlan, extra: boolean): Promise<void> {
  const folders = [
    ...plan.rungs.map((_, index) => `media/v${index}`),
    ...(plan.hasAudio ? ['media/a'] : []),
    ...(extra ? extraPlaces(plan).map((_, index) => `media/x${index}`) : []),
    'public',
  ]
  for (const name of folders) await mkdir(join(folder, name), { recursive: true })
}

const leastRoom = 1024 ** 2

/** Returns whether a file system reports that it is full; one without figures is not. */
export function isFull({
  blocks,
  bavail,
  bsize,
}: {
  blocks: number
  bavail: number
  bsize: number
}): boolean {
  return blocks > 0 && bavail * bsize < leastRoom
}

async function finish(
  folder: string,
  source: SourceMedia,
  plan: LadderPlan,
  extra: ExtraRendition | undefined,
): Promise<Omit<Transcoded, 'captions' | 'notes'>> {
  const media = join(folder, 'media')
  const videos = await readVideos(media, plan)
  const more = extra ? await readExtra(media, plan, extra.codec) : []
  const seconds = playlistDuration(videos[0]?.segments ?? [])
  checkLength(seconds, source.duration)
  const hasAudio = plan.hasAudio && (await hasSegments(join(media, 'a')))
  if (hasAudio) await joinAudio(join(media, 'a'))
  const audio = hasAudio ? await measure(media, 'a', aacLc) : undefined
  const durationMs = Math.round(1000 * seconds)
  await writeMasters(media, videos, more, audio, plan.frameRate.num / plan.frameRate.den)
  await writeFile(
    join(media, 'storyboard.vtt'),
    storyboardVtt(planStoryboard(plan, source.duration), durationMs),
  )
  await makeStills(media, join(folder, 'public'))
  return { width: plan.rungs[0]?.width ?? 0, height: plan.rungs[0]?.height ?? 0, durationMs, hasAudio }
}

async function readVideos(media: string, plan: LadderPlan): Promise<VideoRendition[]> {
  const videos: VideoRendition[] = []
  for (const [index, { width, height }] of plan.rungs.entries())
    videos.push({ ...(await readVideo(media, `v${index}`, 'avc')), width, height })
  return videos
}

async function readExtra(media: string, plan: LadderPlan, codec: ExtraCodec): Promise<VideoRendition[]> {
  const videos: VideoRendition[] = []
  for (const [index, place] of extraPlaces(plan).entries()) {
    const { width = 0, height = 0 } = plan.rungs[place] ?? {}
    videos.push({ ...(await readVideo(media, `x${index}`, codec)), width, height })
  }
  return videos
}

/** Writes the master playlist for every player and, with an extra codec, one with all renditions, to which capable players switch. */
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

/** Measures a rendition. Every segment of the playlist must exist, be non-empty and be complete. */
async function measure(media: string, name: string, codec: string): Promise<Rendition> {
  const segments = []
  for (const segment of parsePlaylist(await readFile(join(media, name, 'index.m3u8'), 'utf8'))) {
    const file = join(media, name, segment.uri)
    const { size } = await stat(file)
    if (size === 0) throw new Error(`The segment ${name}/${segment.uri} is empty.`)
    if (!(await outlineOf(file)).isWhole) throw new Error(`The segment ${name}/${segment.uri} is incomplete.`)
    segments.push({ ...segment, bytes: size })
  }
  return { folder: name, segments, codec }
}

async function hasSegments(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'index.m3u8'), 'utf8').catch(() => '')
  return parsePlaylist(text).length > 0
}

/**
 * Measures a film's duration by its packets. The container's duration of the video only tells whether the file is truncated, and
 * how long the last frame is held.
 * @throws UnusableFile
 */
async function measureLength(
  input: string,
  { container, pictureLength = 0 }: SourceMedia,
  times: FilmTimes,
): Promise<number> {
  const measured = lengthOf(times)
  const isCut = container === 'mov' || (container === 'matroska' && (await isMatroskaCut(input)))
  if (isCut) checkLength(measured, pictureLength)
  const length = Math.max(measured, container === 'matroska' ? pictureLength : 0)
  if (!(length > 0)) throw new UnusableFile({ key: 'noLength' })
  checkLongest(length)
  return length
}

function checkLength(made: number, declared: number): void {
  const missing = declared - made
  if (missing <= Math.max(lostSeconds, lostShare * declared)) return
  throw new UnusableFile({ key: 'cutOff', made, declared })
}
