import { extraRenditionIndexes, extraRenditionArgs, type ExtraRendition } from './extra-codec.ts'
import type { LadderPlan, Rendition } from './plan-ladder.ts'
import { planCandidates, planStoryboard } from './plan-storyboard.ts'
import { gainFilters, type Gain } from './loudness.ts'
import type { MirrorFilter } from './mirror.ts'
import {
  colourLabelFilter,
  scaleColourOptions,
  sourceColoursFilter,
  toBt709Filter,
  bt709Args,
  type SourceColours,
  type Target,
} from './source-colours.ts'

export type Container = 'mov' | 'matroska' | 'mpegts'

/** A film's decoded audio in one format: a file that begins with the film, and the index of its audio stream. */
export interface SoundInput {
  input: string
  container: Container
  index: number
}

/** The clock of a source; see `clockArgs`. */
export interface SourceClock {
  /** The container's time at the start of the film in seconds. */
  startTime: number
  /** Seconds by which the clock jumps back in the middle. */
  clockJump: number | undefined
  /** True if the sample rate of AAC changes in the middle of a transport stream. */
  aacRateChanges: boolean
  /** Seconds by which ffmpeg shows the video too late (`readTrackDelay`). The audio is delayed as well. */
  pictureDelay: number
}

export interface TranscodeJob extends SourceClock {
  /** The file to read, an absolute path with a generated name. */
  input: string
  container: Container
  /** Duration of the film, and start of its last frame (`lastPicture`), in seconds. */
  duration: number
  lastPicture: number
  interlaced: boolean
  mirrorFilter: MirrorFilter | undefined
  /** Size of decoded frames after rotation. */
  codedSize: { width: number; height: number }
  /** Indexes of the film's video and audio streams. */
  streamIndex: number
  soundIndex: number | undefined
  /** The audio to encode, and the gain for its loudness. */
  sound: SoundInput | undefined
  gain: Gain | undefined
  colours: SourceColours
  extraRendition?: ExtraRendition | undefined
  plan: LadderPlan
}

/**
 * In a transport stream, the audio may begin long after the video. To detect it, ffmpeg reads up to 5 minutes and 200
 * MB.
 */
const deepProbeArgs = ['-analyzeduration', '300M', '-probesize', '200M']

/**
 * Returns the first arguments of every ffmpeg and ffprobe run. They restrict the run to this local file in this
 * container, so that the file cannot make ffmpeg open anything else.
 */
export function inputArgs(input: string, container: Container): string[] {
  return [
    ...(container === 'mpegts' ? deepProbeArgs : []),
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    'mov,matroska,mpegts',
    '-f',
    container,
    '-i',
    input,
  ]
}

/** By default, ffmpeg assumes a jump if the clock changes by more than this, in seconds. */
const defaultJumpThreshold = 10

/**
 * Returns the options of each input that reads the source.
 *
 * Makes ffmpeg recognise a short backward jump of the clock. In the file, video from after the jump may precede audio
 * from before the jump. Then the clock also jumps forward by the same amount, and ffmpeg must not treat the forward
 * jump as a gap. Shorter gaps remain gaps.
 *
 * For an AAC packet without a time, ffmpeg computes the time from the first sample rate of the stream. If the rate
 * changes, the decoder must continue from the last stated time instead. The option `+nofillin` has this effect. But
 * with it, ffmpeg finds no start time, so `-itsoffset` subtracts the start time.
 */
export function clockArgs({ clockJump, aacRateChanges, startTime }: SourceClock): string[] {
  const isShort = clockJump !== undefined && clockJump <= defaultJumpThreshold
  return [
    ...(isShort ? ['-dts_delta_threshold', (0.8 * clockJump).toFixed(3)] : []),
    ...(aacRateChanges ? ['-fflags', '+nofillin', '-itsoffset', (-startTime).toFixed(6)] : []),
  ]
}

/**
 * Forces keyframes at 0, 1, 2, 3, 4, 6, 8 … seconds, so that the segments of all renditions align. The first four
 * segments last 1 s, the others 2 s. On a slow connection, each short segment arrives before the previous segment ends,
 * even if video and audio are fetched one after the other.
 */
export const forcedKeyframes = ['-force_key_frames', 'expr:gte(t,max(n_forced,2*n_forced-4))']

/**
 * Gives frame n the time of n seconds and writes one frame a second, so that no frame is repeated or dropped. ffmpeg
 * has an option for this, but its name depends on the version: `-vsync` (removed in 9) or `-fps_mode` (unknown before
 * 5.1).
 */
const onePerSecondFilter = 'setpts=N/TB'
const onePerSecondArgs = ['-r', '1']

/**
 * Builds the arguments of one ffmpeg run that decodes the source once and writes everything to its working folder: `v0/
 * v1/ …`, `a/`, `storyboard.jpg`, `candidate-1.jpg …`. Works with ffmpeg 4 (2018) and newer.
 */
export function buildFfmpegArgs(job: TranscodeJob): string[] {
  const { plan } = job
  return [
    '-hide_banner',
    '-nostdin',
    '-y',
    '-loglevel',
    'warning',
    '-nostats',
    '-progress',
    'pipe:1',
    // If the frame size changes in the middle, the scaler adapts. A restarted filter graph would lose its frame
    // counters.
    '-reinit_filter:v',
    '0',
    ...clockArgs(job),
    ...inputArgs(job.input, job.container),
    ...(job.sound ? inputArgs(job.sound.input, job.sound.container) : []),
    '-filter_complex',
    ladderGraph(job),
    '-filter_complex',
    imagesGraph(job),
    ...plan.renditions.flatMap((rendition, index) => renditionArgs(rendition, index)),
    ...extraArgs(job),
    ...audioArgs(job),
    '-map',
    '[sheet]',
    ...onePerSecondArgs,
    '-frames:v',
    '1',
    '-q:v',
    '5',
    '-f',
    'image2',
    '-update',
    '1',
    'storyboard.jpg',
    '-map',
    '[frames]',
    ...onePerSecondArgs,
    '-q:v',
    '2',
    '-f',
    'image2',
    'candidate-%d.jpg',
    ...sameStreamsArgs(job),
  ]
}

/**
 * Reads and discards the audio of a transport stream. ffmpeg detects jumps of the clock in any stream that it reads, so
 * this run must read the same streams as the analysis. If there is a jump, the audio is decoded, because only a decoder
 * knows the duration of an AC-3 packet.
 */
function sameStreamsArgs({ container, soundIndex, clockJump }: TranscodeJob): string[] {
  if (container !== 'mpegts' || soundIndex === undefined) return []
  const coding = clockJump === undefined ? ['-c', 'copy'] : ['-c:a', 'pcm_f32le']
  return ['-map', `0:${soundIndex}`, ...coding, '-f', 'null', '-']
}

/** Scales each rendition from the next larger one. */
function ladderGraph(job: TranscodeJob): string {
  const { plan, extraRendition } = job
  const chains: string[] = []
  let from = sourceChain(job)
  plan.renditions.forEach(({ width, height }, index) => {
    const extraOutputs = extraRendition
      ? extraRenditionIndexes(plan).flatMap((place, at) => (place === index ? [`[x${at}]`] : []))
      : []
    const outputs = [
      `[v${index}]`,
      ...(index < plan.renditions.length - 1 ? [`[s${index}]`] : []),
      ...extraOutputs,
    ]
    const scaled = index === 0 ? firstScale(job, width, height) : `scale=${width}:${height}:flags=bicubic`
    const finish = index === 0 ? finishChain(job, 'video') : ''
    chains.push(`${from}${scaled}${finish},split=${outputs.length}${outputs.join('')}`)
    from = `[s${index}]`
  })
  return [...chains, secondInput(job)].join(';')
}

/**
 * Adds a second input whose frames are discarded. In a graph with one input, ffmpeg up to version 5 repeats each frame
 * for the duration of its packet and then drops later frames. If a frame is shown for seconds, this would break the
 * timing.
 */
const secondInput = ({ streamIndex }: TranscodeJob) => `[0:${streamIndex}]nullsink`

/**
 * Makes the storyboard and the poster candidates from the same decoding. They need a separate graph: ffmpeg 7 delays
 * all frames of a graph until each output has one, and the storyboard has none before the end of the film.
 */
function imagesGraph(job: TranscodeJob): string {
  const { plan, duration } = job
  const { interval, tileWidth, tileHeight, columns, rows } = planStoryboard(plan, duration)
  const candidates = planCandidates(duration)
  const [{ width, height } = { width: tileWidth, height: tileHeight }] = plan.renditions
  const finish = `:flags=bicubic${scaleColourOptions(job.colours, 'jpeg')}${finishChain(job, 'jpeg')}`
  return [
    `${sourceChain(job)}split=2[t][c]`,
    `[t]select='gte(t,selected_n*${interval})',scale=${tileWidth}:${tileHeight}${finish},tile=${columns}x${rows},${onePerSecondFilter}[sheet]`,
    `[c]select='lt(selected_n,${candidates.count})*gte(t,selected_n*${candidates.interval})',scale=${width}:${height}${finish},${onePerSecondFilter}[frames]`,
    secondInput(job),
  ].join(';')
}

/**
 * Selects the video stream by its index. In a filter graph of ffmpeg 4, `V` does not find a stream that follows a cover
 * image.
 */
function sourceChain(job: TranscodeJob): string {
  const { streamIndex, mirrorFilter, colours } = job
  const { num, den } = job.plan.frameRate
  const mirror = mirrorFilter ? `${mirrorFilter},` : ''
  return `[0:${streamIndex}]${sourceColoursFilter(colours)}${mirror}${deinterlaceFilter(job)}fps=${num}/${den}:start_time=0,${holdLastFrame(job)}`
}

/**
 * Deinterlaces an interlaced film. yadif does not support a change of the frame size. So each frame is first scaled to
 * the size of the first frame, field by field. The scaler adapts the pixel shape, so the display aspect ratio remains.
 */
function deinterlaceFilter({ interlaced, codedSize: { width, height } }: TranscodeJob): string {
  return interlaced ? `scale=${width}:${height}:flags=bicubic:interl=-1,yadif=deint=interlaced,` : ''
}

/** Holds the last frame until the end of the film. */
function holdLastFrame({ plan, duration, lastPicture }: TranscodeJob): string {
  const rate = plan.frameRate.num / plan.frameRate.den
  const holdSeconds = duration - lastPicture
  if (holdSeconds * rate < 1.5) return ''
  return `tpad=stop_mode=clone:stop_duration=${holdSeconds.toFixed(6)},trim=end_frame=${Math.max(1, Math.round(duration * rate))},`
}

/**
 * Scales the source to the largest rendition. After a change of the frame size, a frame with a different aspect ratio
 * gets bars. A frame with almost the same aspect ratio is stretched.
 */
function firstScale({ colours }: TranscodeJob, width: number, height: number): string {
  const scaleOptions = `flags=bicubic${scaleColourOptions(colours, 'video')}`
  const isSimilarRatio = `lt(abs(dar*${height}/${width}-1),0.1)`
  const scaledWidth = `if(${isSimilarRatio},${width},2*trunc(min(${width},${height}*dar)/2))`
  const scaledHeight = `if(${isSimilarRatio},${height},2*trunc(min(${height},${width}/dar)/2))`
  const padFilter = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame`
  return `scale=w='${scaledWidth}':h='${scaledHeight}':eval=frame:${scaleOptions},${padFilter}`
}

/** Converts and labels the colours. Used after scaling, when there are fewer pixels to process. */
function finishChain({ colours }: TranscodeJob, target: Target): string {
  return `${toBt709Filter(colours, target)},setsar=1${colourLabelFilter(target)}`
}

function renditionArgs(rendition: Rendition, index: number): string[] {
  return [
    '-map',
    `[v${index}]`,
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-profile:v',
    'high',
    '-bf',
    '0',
    '-crf',
    String(rendition.crf),
    '-maxrate',
    `${rendition.maxRate}k`,
    '-bufsize',
    `${rendition.buffer}k`,
    '-x264-params',
    'vbv-init=0.5',
    '-g',
    '250',
    '-sc_threshold',
    '0',
    ...forcedKeyframes,
    ...bt709Args,
    ...hlsArgs(`v${index}`),
  ]
}

/**
 * Encodes the extra renditions with the keyframes of the other renditions, so that a player can switch between them.
 */
function extraArgs({ extraRendition, plan }: TranscodeJob): string[] {
  if (!extraRendition) return []
  return extraRenditionIndexes(plan).flatMap((place, index) => {
    const rendition = plan.renditions[place]
    if (!rendition) return []
    const coding = extraRenditionArgs(extraRendition, rendition)
    return ['-map', `[x${index}]`, ...coding, ...forcedKeyframes, ...bt709Args, ...hlsArgs(`x${index}`)]
  })
}

/**
 * Encodes audio of the same length as the video, because players would wait for missing audio. Drops the first 1024
 * samples, because the encoder inserts as many before the audio. So audio and video remain in sync.
 */
function audioArgs({ sound, gain, duration }: TranscodeJob): string[] {
  if (!sound) return []
  const samples = Math.ceil(duration * 48_000)
  const filters = [
    ...gainFilters(gain),
    `apad=whole_len=${samples}`,
    `atrim=start_sample=1024:end_sample=${samples}`,
    'asetpts=PTS-STARTPTS',
  ]
  return [
    '-map',
    `1:${sound.index}`,
    '-af',
    filters.join(','),
    '-c:a',
    'aac',
    '-b:a',
    '96k',
    '-ac',
    '2',
    '-ar',
    '48000',
    ...hlsArgs('a'),
  ]
}

/**
 * Returns the arguments of an HLS output with segments of 1 s. Video is cut at every keyframe. Audio is cut every
 * second, and `joinAudio` then joins its segments to match the video.
 */
function hlsArgs(folder: string): string[] {
  return [
    '-map_metadata',
    '-1',
    '-f',
    'hls',
    '-hls_time',
    '1',
    '-hls_list_size',
    '0',
    '-hls_playlist_type',
    'vod',
    '-hls_segment_type',
    'fmp4',
    '-hls_fmp4_init_filename',
    'init.mp4',
    '-hls_segment_filename',
    `${folder}/%05d.m4s`,
    `${folder}/index.m3u8`,
  ]
}
