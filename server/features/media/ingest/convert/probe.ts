import { open } from 'node:fs/promises'
import type { Language } from '#contract/languages.ts'
import { inputArgs, type Container } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import {
  chooseCaptions,
  noteSkippedCaptions,
  type CaptionStream,
  type CaptionTrack,
} from '#server/features/media/ingest/captions/choose-captions.ts'
import { tracksNote, type SourceNote } from '#server/features/media/ingest/files/source-notes.ts'
import { isMatroskaJoined } from '#server/features/media/ingest/files/matroska-outline.ts'
import { isMp4Encrypted, isMp4Joined, readBoxOutline } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { findPackets } from '#server/features/media/ingest/files/transport-stream.ts'
import {
  displaySize,
  type Fraction,
  type SourceShape,
} from '#server/features/media/ingest/plan/plan-ladder.ts'
import { mirrorFilterOf, type MirrorFilter } from '#server/features/media/ingest/plan/mirror.ts'
import { runLimited } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import {
  readSourceColours,
  isDolbyVisionOnly,
  type DolbyVision,
  type ProbedColours,
  type SourceColours,
} from '#server/features/media/ingest/plan/source-colours.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/** Properties of a usable source file. */
export interface SourceMedia extends SourceShape {
  container: Container
  /**
   * Duration in seconds as the video stream or the container states it; 0 if unknown. It may be wrong, so the
   * conversion measures the duration by the packets.
   */
  duration: number
  /** Duration of the video stream in seconds, as the container states it. */
  videoDuration: number | undefined
  /** The container's time at the start of the film in seconds. */
  startTime: number
  interlaced: boolean
  /** The filter that mirrors the film, if ffmpeg does not (see `mirrorFilterOf`). */
  mirrorFilter: MirrorFilter | undefined
  /** Size of decoded frames after rotation. */
  codedSize: { width: number; height: number }
  /** Index of the video stream. It is not always 0, because a cover image is a video stream too. */
  streamIndex: number
  /** The index of the audio stream; undefined if there is none. */
  soundIndex: number | undefined
  /** The container's ids of the video and audio streams: packet identifiers (PIDs) in a transport stream. */
  trackIds: number[]
  colours: SourceColours
  /** Caption streams that can be shown, one for each language of the site. */
  captions: ReadonlyMap<Language, CaptionTrack>
  /** Notes on omitted parts of the file. */
  notes: SourceNote[]
}

const maxHours = 3.5
const maxSide = 8192
const timeoutMs = 30_000

/**
 * Probes a file before it is accepted. Refuses a file of several concatenated recordings. The search for a second
 * recording reads the whole file. The conversion calls only `probe`, so it does not repeat the search.
 * @throws UnusableFile
 */
export async function checkSource(ffprobe: string, path: string, signal: AbortSignal): Promise<SourceMedia> {
  const media = await probe(ffprobe, path, signal)
  if (await isJoined(media.container, path)) throw new UnusableFile({ key: 'joined' })
  return media
}

/**
 * Detects a file's container by its first bytes, then probes the file with ffprobe.
 * @throws UnusableFile
 */
export async function probe(ffprobe: string, path: string, signal?: AbortSignal): Promise<SourceMedia> {
  const container = detectContainer(await readStart(path))
  if (container === 'mov' && (await isMp4Encrypted(path))) throw new UnusableFile({ key: 'encrypted' })
  const lines: string[] = []
  const args = [
    '-v',
    'error',
    '-print_format',
    'json',
    '-show_format',
    '-show_streams',
    ...inputArgs(path, container),
  ]
  const { status } = await runLimited({
    program: ffprobe,
    args,
    timeoutMs,
    signal,
    onLine: (line) => lines.push(line),
  })
  if (status !== 0) throw new UnusableFile({ key: await unreadableReason(container, path) })
  return toSourceMedia(container, parseProbe(lines.join('\n')))
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Recognises the container by a file's first bytes, whatever its name.
 * @throws UnusableFile for anything but MP4/MOV, Matroska/WebM and MPEG-TS
 */
export function detectContainer(start: Buffer): Container {
  if (start.length === 0) throw new UnusableFile({ key: 'empty' })
  if (mp4Boxes.has(start.toString('latin1', 4, 8))) return 'mov'
  if (start.toString('hex', 0, 4) === '1a45dfa3') return 'matroska'
  if (findPackets(start)) return 'mpegts'
  const text = start.toString('utf8').replace(/^\uFEFF/, '')
  if (text.startsWith('#EXTM3U')) throw new UnusableFile({ key: 'playlist' })
  if (isText(start)) throw new UnusableFile({ key: 'textFile' })
  throw new UnusableFile({ key: 'notVideo' })
}

/** Possible first boxes of an MP4 or MOV file. A fragmented recording may begin with a box of a fragment. */
const mp4Boxes = new Set(
  'ftyp styp moov moof mdat sidx ssix prft emsg pdin free skip wide junk pnot pict udta uuid meta'.split(' '),
)

function isText(start: Buffer): boolean {
  return start.every((byte) => byte === 9 || byte === 10 || byte === 13 || byte >= 32)
}

/**
 * Returns whether a file has several recordings of which ffmpeg would read only the first. In a transport stream,
 * ffmpeg reads all recordings.
 */
async function isJoined(container: Container, path: string): Promise<boolean> {
  if (container === 'mpegts') return false
  return container === 'mov' ? isMp4Joined(path) : isMatroskaJoined(path)
}

async function unreadableReason(container: Container, path: string): Promise<'noIndex' | 'damaged'> {
  return container === 'mov' && !(await readBoxOutline(path)).types.includes('moov') ? 'noIndex' : 'damaged'
}

interface ProbedStream extends CaptionStream, ProbedColours {
  /** A container's id of a stream, such as 0x100. Some containers have no ids. */
  id?: string
  width?: number
  height?: number
  sample_aspect_ratio?: string
  avg_frame_rate?: string
  r_frame_rate?: string
  field_order?: string
  duration?: string
  sample_rate?: string
  side_data_list?: ({ rotation?: number; displaymatrix?: string } & DolbyVision)[]
}

interface Probed {
  streams: ProbedStream[]
  format: { start_time?: string; duration?: string }
}

function parseProbe(json: string): Probed {
  // The cast is safe: the value is ffprobe's output, and all fields of the type are optional except a stream's index.
  const { streams = [], format = {} } = JSON.parse(json) as Partial<Probed>
  return { streams, format }
}

function toSourceMedia(container: Container, { streams, format }: Probed): SourceMedia {
  const { video, unreadable: unreadableVideoTracks } = chooseVideoStream(streams)
  const { width = 0, height = 0 } = video
  if (width > maxSide || height > maxSide)
    throw new UnusableFile({ key: 'tooWide', width, height, max: maxSide })
  const videoDuration = videoDurationOf(container, video, format)
  const duration = videoDuration ?? parseSeconds(format.duration) ?? 0
  checkMaxDuration(videoDuration ?? 0)
  const rotation =
    video.side_data_list?.find((data) => data.rotation !== undefined)?.rotation ??
    Number(video.tags?.['rotate'] ?? 0)
  if (isDolbyVisionOnly(video.side_data_list ?? [])) throw new UnusableFile({ key: 'dolbyVision' })
  const { sound, unreadable, unused } = chooseAudioStream(streams)
  const shown = displaySize({ width, height, pixelShape: parseFraction(video.sample_aspect_ratio), rotation })
  return {
    container,
    duration,
    videoDuration,
    startTime: parseSeconds(format.start_time) ?? 0,
    streamIndex: video.index,
    ...shown,
    frameRate: frameRateOf(video),
    mirrorFilter: mirrorFilterOf(video.side_data_list?.find((data) => data.displaymatrix)?.displaymatrix),
    interlaced: ['tt', 'bb', 'tb', 'bt'].includes(video.field_order ?? ''),
    codedSize: displaySize({ width, height, pixelShape: { num: 1, den: 1 }, rotation }),
    hasAudio: sound !== undefined,
    soundIndex: sound?.index,
    trackIds: [video, ...(sound ? [sound] : [])].map(({ id }) => Number(id ?? NaN)),
    colours: readSourceColours(video, shown.height),
    captions: chooseCaptions(streams),
    notes: [
      ...tracksNote('pictureTracks', unreadableVideoTracks),
      ...tracksNote('soundTracks', unreadable),
      ...tracksNote('otherSoundTracks', unused),
      ...noteSkippedCaptions(streams),
    ],
  }
}

/**
 * Checks a film's duration in seconds.
 * @throws UnusableFile if it exceeds the maximum
 */
export function checkMaxDuration(duration: number): void {
  if (duration > maxHours * 3600)
    throw new UnusableFile({ key: 'tooLong', hours: duration / 3600, max: maxHours })
}

/**
 * Returns the duration of the video stream in seconds; undefined if unknown. Matroska's DURATION tag states the end of
 * a track, so the file's start time is subtracted. A tag that exceeds the file's duration was copied from another file
 * and is ignored.
 */
function videoDurationOf(
  container: Container,
  video: ProbedStream,
  format: Probed['format'],
): number | undefined {
  if (container === 'mov') return parseSeconds(video.duration)
  const tagDuration = parseClock(video.tags?.['DURATION'])
  const totalDuration = parseSeconds(format.duration)
  if (tagDuration === undefined || totalDuration === undefined || tagDuration > totalDuration + 1)
    return undefined
  const length = tagDuration - (parseSeconds(format.start_time) ?? 0)
  return length > 0 ? length : undefined
}

/**
 * Chooses the default video stream if it is readable, otherwise the first readable one. Also lists the numbers of the
 * unreadable streams. Excludes cover images, which are video streams too.
 * @throws UnusableFile if no video stream is readable
 */
function chooseVideoStream(streams: readonly ProbedStream[]): { video: ProbedStream; unreadable: number[] } {
  const videoStreams = streams.filter(
    ({ codec_type, disposition }) =>
      codec_type === 'video' &&
      disposition?.['attached_pic'] !== 1 &&
      disposition?.['timed_thumbnails'] !== 1,
  )
  if (videoStreams.length === 0) throw new UnusableFile({ key: 'noPicture' })
  const isReadable = ({ codec_name, width = 0, height = 0 }: ProbedStream) =>
    codec_name !== undefined && width > 0 && height > 0
  const readable = videoStreams.filter(isReadable)
  // A stream with a single frame is a cover image that is not marked as such.
  const multiFrameStreams = readable.filter(({ nb_frames = '' }) => !['0', '1'].includes(nb_frames))
  const video = defaultStream(multiFrameStreams) ?? readable[0]
  if (!video) throw new UnusableFile({ key: 'unknownPicture' })
  return { video, unreadable: streamNumbers(videoStreams, (stream) => !isReadable(stream)) }
}

/**
 * Chooses the default audio stream if it is readable, otherwise the first readable one. An audio description or a
 * commentary is chosen only if there is nothing else. Also lists the numbers of the unreadable streams, and those of
 * the unused streams.
 * @throws UnusableFile if there is audio but no stream is readable
 */
function chooseAudioStream(streams: readonly ProbedStream[]): {
  sound: ProbedStream | undefined
  unreadable: number[]
  unused: number[]
} {
  const audioStreams = streams.filter(
    ({ codec_type, nb_frames }) => codec_type === 'audio' && nb_frames !== '0',
  )
  const isReadable = ({ codec_name, sample_rate }: ProbedStream) =>
    codec_name !== undefined && Number(sample_rate) > 0
  const readable = audioStreams.filter(isReadable)
  if (audioStreams.length > 0 && readable.length === 0) throw new UnusableFile({ key: 'unreadableSound' })
  const main = readable.filter(
    ({ disposition }) => disposition?.['visual_impaired'] !== 1 && disposition?.['comment'] !== 1,
  )
  const sound = defaultStream(main) ?? defaultStream(readable)
  return {
    sound,
    unreadable: streamNumbers(audioStreams, (stream) => !isReadable(stream)),
    unused: streamNumbers(audioStreams, (stream) => isReadable(stream) && stream !== sound),
  }
}

/** Returns the stream that the file marks as default, otherwise the first. */
function defaultStream(streams: readonly ProbedStream[]): ProbedStream | undefined {
  return streams.find(({ disposition }) => disposition?.['default'] === 1) ?? streams[0]
}

/** Returns the numbers, from 1, of the streams that match. */
function streamNumbers(
  streams: readonly ProbedStream[],
  matches: (stream: ProbedStream) => boolean,
): number[] {
  return streams.flatMap((stream, at) => (matches(stream) ? [at + 1] : []))
}

function parseSeconds(text: string | undefined): number | undefined {
  const value = Number(text)
  return text !== undefined && Number.isFinite(value) ? value : undefined
}

/** Parses Matroska's DURATION tag of a stream, such as 00:01:02.345, to seconds. */
function parseClock(text: string | undefined): number | undefined {
  const [, hours, minutes, rest] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
}

function frameRateOf({ avg_frame_rate, r_frame_rate }: ProbedStream): Fraction {
  const mean = parseFraction(avg_frame_rate)
  return mean.num > 0 && mean.den > 0 ? mean : parseFraction(r_frame_rate)
}

/** Parses "30000/1001" or "4:3"; returns 0/0 if there is no text. */
function parseFraction(text: string | undefined): Fraction {
  const [num = 0, den = 0] = (text ?? '').split(/[/:]/).map(Number)
  return { num, den }
}
