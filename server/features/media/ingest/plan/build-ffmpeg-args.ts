import { extraRenditionIndexes, extraRenditionArgs, type ExtraRendition } from './extra-codec.ts'
import type { LadderPlan, Rendition } from './plan-ladder.ts'
import { planCandidates, planStoryboard } from './plan-storyboard.ts'
import { gainFilters, type Gain } from './loudness.ts'
import {
  colourLabelFilter,
  scaleColourOptions,
  toBt709Filter,
  bt709Args,
  type SourceColours,
  type Target,
} from './source-colours.ts'

export type Container = 'mov' | 'matroska' | 'mpegts'

/** A film's audio in one format: a file that begins with the film, and the index of its stream. */
export interface SoundInput {
  input: string
  container: Container
  index: number
}

export interface TranscodeJob {
  /** The file to read, an absolute path with a generated name. */
  input: string
  container: Container
  /** The film's duration, and the start of its last frame, in seconds. */
  duration: number
  lastPicture: number
  interlaced: boolean
  /** Size of decoded frames after rotation. */
  codedSize: { width: number; height: number }
  /** Indexes of the film's video and audio streams. */
  streamIndex: number
  soundIndex: number | undefined
  /** Size of the clock's backward jump in the middle, see `clockJumpArgs`. */
  clockJump: number | undefined
  /** The audio to encode, and the gain for its loudness. */
  sound: SoundInput | undefined
  gain: Gain | undefined
  colours: SourceColours
  extraRendition?: ExtraRendition | undefined
  plan: LadderPlan
}

/** In a transport stream the audio may begin long after the video: up to 5 minutes and 200 MB are read to detect it. */
const deepProbeArgs = ['-analyzeduration', '300M', '-probesize', '200M']

/**
 * Returns the first arguments of every call of ffmpeg and ffprobe: only this local file, in this container, and nothing that it
 * may refer to.
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

/** ffmpeg's own limit for a jump of the clock, in seconds. */
const defaultJumpThreshold = 10

/**
 * Makes ffmpeg recognise a short backward jump of the clock. The last audio before the jump may be output after it, and then jumps
 * forward by the same amount: ffmpeg must see that as a jump too, not as a gap. Shorter gaps stay.
 */
export function clockJumpArgs(clockJump: number | undefined): string[] {
  const isShort = clockJump !== undefined && clockJump <= defaultJumpThreshold
  return isShort ? ['-dts_delta_threshold', (0.8 * clockJump).toFixed(3)] : []
}

/**
 * Keyframes at 0, 1, 2, 3, 4, 6, 8 … seconds in every rendition. The first four segments have 1 s, so that on a slow connection
 * each arrives before the previous one ends, even if video and audio are fetched sequentially; the others have 2 s, and all align.
 */
export const forcedKeyframes = ['-force_key_frames', 'expr:gte(t,max(n_forced,2*n_forced-4))']

/**
 * Gives each frame a second of its own and writes one frame a second, so that none is repeated or dropped. ffmpeg's own option for
 * that has no stable name: `-vsync` (removed in 9) or `-fps_mode` (unknown before 5.1).
 */
const onePerSecondFilter = 'setpts=N/TB'
const onePerSecondArgs = ['-r', '1']

/**
 * Builds one run of ffmpeg that makes everything from one decoding in its working folder: `v0/ v1/ …`, `a/`, `storyboard.jpg`,
 * `candidate-1.jpg …`. Supported by ffmpeg 4 (2018) and newer.
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
    // If the frame size changes in the middle, the scaler adapts; a restarted graph would lose its counters.
    '-reinit_filter:v',
    '0',
    ...clockJumpArgs(job.clockJump),
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
 * Reads the same streams of a transport stream as the analysis did. It may restart its clock, which ffmpeg detects in any stream
 * it reads; at a jump they are decoded, since only a decoder knows the duration of an AC-3 packet.
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
 * Adds a second, discarded input. In a graph with one input, ffmpeg up to 5 repeats each frame for the duration of its packet and
 * drops later ones instead, so a frame held for seconds would break the timing.
 */
const secondInput = ({ streamIndex }: TranscodeJob) => `[0:${streamIndex}]nullsink`

/**
 * Makes the storyboard and the poster candidates from the same decoding. They have a graph of their own because ffmpeg 7 holds back
 * every frame of a graph until its slowest output has one, and the storyboard has none before the end of the film.
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

/** Selects the film by its index: in a filter graph, ffmpeg 4 finds no stream by `V` if a cover image precedes it. */
function sourceChain(job: TranscodeJob): string {
  const { streamIndex } = job
  const { num, den } = job.plan.frameRate
  return `[0:${streamIndex}]${deinterlaceFilter(job)}fps=${num}/${den}:start_time=0,${holdLastFrame(job)}`
}

/**
 * Deinterlaces. The filter does not support a size change in the middle: each frame is scaled to the first size, field by field,
 * with its aspect ratio kept.
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

/** Scales the source. After a size change, another aspect ratio gets bars; an almost equal one fills the frame. */
function firstScale({ colours }: TranscodeJob, width: number, height: number): string {
  const scaleOptions = `flags=bicubic${scaleColourOptions(colours, 'video')}`
  const isSimilarRatio = `lt(abs(dar*${height}/${width}-1),0.1)`
  const scaledWidth = `if(${isSimilarRatio},${width},2*trunc(min(${width},${height}*dar)/2))`
  const scaledHeight = `if(${isSimilarRatio},${height},2*trunc(min(${height},${width}/dar)/2))`
  const padFilter = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame`
  return `scale=w='${scaledWidth}':h='${scaledHeight}':eval=frame:${scaleOptions},${padFilter}`
}

/** Runs after scaling, when there are fewer pixels to process. */
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

/** Uses the keyframes of the other renditions, so that a player can switch between them. */
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
 * Encodes audio as long as the video: with shorter audio, players would wait for it. The first 1024 samples are dropped because
 * the encoder adds as many before the audio, so both stay in sync.
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

/** Writes HLS with a target of 1 s: the video is cut at every keyframe; the audio is cut every second and joined to match afterwards. */
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
