import { extraPlaces, extraRenditionArgs, type ExtraRendition } from './extra-codec.ts'
import type { LadderPlan, Rendition } from './plan-ladder.ts'
import { planCandidates, planStoryboard } from './plan-stills.ts'
import { gainFilters, type Gain } from './loudness.ts'
import {
  labelColours,
  scaleColours,
  toUsualRange,
  usualColours,
  type SourceColours,
  type Target,
} from './source-colours.ts'

export type Container = 'mov' | 'matroska' | 'mpegts'

/** The sound of a film in one format: a file that begins with the film, and the number of its stream. */
export interface SoundInput {
  input: string
  container: Container
  index: number
}

export interface TranscodeJob {
  /** The file to read, an absolute path with a name of our own making. */
  input: string
  container: Container
  /** How long the film lasts, and when its last picture begins, in seconds. */
  duration: number
  lastPicture: number
  interlaced: boolean
  /** The size of the decoded picture, turned upright. */
  codedSize: { width: number; height: number }
  /** Which stream of the file is the film, and which its sound. */
  streamIndex: number
  soundIndex: number | undefined
  /** By how much the clock jumps back in the middle, see `clockArgs`. */
  clockJump: number | undefined
  /** The sound to encode, and what brings it to its loudness. */
  sound: SoundInput | undefined
  gain: Gain | undefined
  colours: SourceColours
  extraRung?: ExtraRendition | undefined
  plan: LadderPlan
}

/** In a transport stream the sound may begin long after the picture: up to 5 minutes and 200 MB are read to know what it is. */
const farLook = ['-analyzeduration', '300M', '-probesize', '200M']

/** What every call of ffmpeg and ffprobe starts with: this one local file, in this container, and nothing that it may point to (security.md). */
export function inputArgs(input: string, container: Container): string[] {
  return [
    ...(container === 'mpegts' ? farLook : []),
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
const usualJump = 10

/**
 * Where a clock jumps back, the last sound before the jump may come out behind it: it jumps forth by as much, and ffmpeg has to see that as a
 * jump too, not as a gap. Shorter gaps stay.
 */
export function clockArgs(clockJump: number | undefined): string[] {
  const isShort = clockJump !== undefined && clockJump <= usualJump
  return isShort ? ['-dts_delta_threshold', (0.8 * clockJump).toFixed(3)] : []
}

/**
 * A keyframe at 0, 1, 2, 3, 4, 6, 8 … seconds in every rung: the first four segments are 1 s, so that on a thin connection each is
 * there before the one before it is over, also where picture and sound are fetched one after the other; the others 2 s, and all
 * line up.
 */
export const forcedKeyframes = ['-force_key_frames', 'expr:gte(t,max(n_forced,2*n_forced-4))']

/**
 * Pictures are numbered to the second and written at one a second, so that none is repeated or dropped. The option that says so
 * has another name in each age of ffmpeg: `-vsync`, gone since 9, and `-fps_mode`, unknown before 5.1.
 */
const oneEachSecond = 'setpts=N/TB'
const eachFrameOnce = ['-r', '1']

/**
 * One run of ffmpeg that makes everything from one decoding, into its working folder: `v0/ v1/ …`, `a/`, `storyboard.jpg`,
 * `candidate-1.jpg …`. Understood by ffmpeg 4 (2018) and newer.
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
    // Where the size of the picture changes in the middle, the scaling follows; a graph that begins anew would forget what it has counted.
    '-reinit_filter:v',
    '0',
    ...clockArgs(job.clockJump),
    ...inputArgs(job.input, job.container),
    ...(job.sound ? inputArgs(job.sound.input, job.sound.container) : []),
    '-filter_complex',
    ladderGraph(job),
    '-filter_complex',
    picturesGraph(job),
    ...plan.rungs.flatMap((rung, index) => rungArgs(rung, index)),
    ...extraArgs(job),
    ...audioArgs(job),
    '-map',
    '[sheet]',
    ...eachFrameOnce,
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
    ...eachFrameOnce,
    '-q:v',
    '2',
    '-f',
    'image2',
    'candidate-%d.jpg',
    ...sameClock(job),
  ]
}

/**
 * A transport stream may begin its clock anew. ffmpeg sees that in any stream it reads, so the same are read as when the sound was, and
 * decoded where the clock jumps: how long a packet of AC-3 lasts ffmpeg knows only then.
 */
function sameClock({ container, soundIndex, clockJump }: TranscodeJob): string[] {
  if (container !== 'mpegts' || soundIndex === undefined) return []
  const coding = clockJump === undefined ? ['-c', 'copy'] : ['-c:a', 'pcm_f32le']
  return ['-map', `0:${soundIndex}`, ...coding, '-f', 'null', '-']
}

/** Each rung is scaled from the one above it. */
function ladderGraph(job: TranscodeJob): string {
  const { plan, extraRung } = job
  const chains: string[] = []
  let from = sourceChain(job)
  plan.rungs.forEach(({ width, height }, index) => {
    const more = extraRung
      ? extraPlaces(plan).flatMap((place, at) => (place === index ? [`[x${at}]`] : []))
      : []
    const outputs = [`[v${index}]`, ...(index < plan.rungs.length - 1 ? [`[s${index}]`] : []), ...more]
    const scaled = index === 0 ? firstScale(job, width, height) : `scale=${width}:${height}:flags=bicubic`
    const finish = index === 0 ? finishChain(job, 'video') : ''
    chains.push(`${from}${scaled}${finish},split=${outputs.length}${outputs.join('')}`)
    from = `[s${index}]`
  })
  return [...chains, secondInput(job)].join(';')
}

/**
 * In a graph with one input, ffmpeg up to 5 repeats each picture for as long as its packet lasts, and drops later ones instead: a picture that
 * holds for seconds would put the film out of time. A second input that leads nowhere prevents it.
 */
const secondInput = ({ streamIndex }: TranscodeJob) => `[0:${streamIndex}]nullsink`

/**
 * The storyboard and the candidates for the poster, from the same decoding. They have a graph of their own because ffmpeg 7 holds
 * back every frame of a graph until its slowest output has one, and the storyboard has none before the end of the film.
 */
function picturesGraph(job: TranscodeJob): string {
  const { plan, duration } = job
  const { interval, tileWidth, tileHeight, columns, rows } = planStoryboard(plan, duration)
  const candidates = planCandidates(duration)
  const [{ width, height } = { width: tileWidth, height: tileHeight }] = plan.rungs
  const finish = `:flags=bicubic${scaleColours(job.colours, 'jpeg')}${finishChain(job, 'jpeg')}`
  return [
    `${sourceChain(job)}split=2[t][c]`,
    `[t]select='gte(t,selected_n*${interval})',scale=${tileWidth}:${tileHeight}${finish},tile=${columns}x${rows},${oneEachSecond}[sheet]`,
    `[c]select='lt(selected_n,${candidates.count})*gte(t,selected_n*${candidates.interval})',scale=${width}:${height}${finish},${oneEachSecond}[frames]`,
    secondInput(job),
  ].join(';')
}

/** The film is named by its number: in a filter graph ffmpeg 4 finds none by `V` where a cover picture precedes it. */
function sourceChain(job: TranscodeJob): string {
  const { streamIndex } = job
  const { num, den } = job.plan.frameRate
  return `[0:${streamIndex}]${oneField(job)}fps=${num}/${den}:start_time=0,${holdLast(job)}`
}

/** Deinterlaces. The filter for it can't bear another size in the middle: each picture is brought to the first size, field by field, and keeps its shape. */
function oneField({ interlaced, codedSize: { width, height } }: TranscodeJob): string {
  return interlaced ? `scale=${width}:${height}:flags=bicubic:interl=-1,yadif=deint=interlaced,` : ''
}

/** The last picture holds up to the end of the film. */
function holdLast({ plan, duration, lastPicture }: TranscodeJob): string {
  const rate = plan.frameRate.num / plan.frameRate.den
  const hold = duration - lastPicture
  if (hold * rate < 1.5) return ''
  return `tpad=stop_mode=clone:stop_duration=${hold.toFixed(6)},trim=end_frame=${Math.max(1, Math.round(duration * rate))},`
}

/** Of another shape the picture may be after its size has changed: then bars are added. A shape that is almost the same fills the frame. */
function firstScale({ colours }: TranscodeJob, width: number, height: number): string {
  const how = `flags=bicubic${scaleColours(colours, 'video')}`
  const isAlike = `lt(abs(dar*${height}/${width}-1),0.1)`
  const across = `if(${isAlike},${width},2*trunc(min(${width},${height}*dar)/2))`
  const down = `if(${isAlike},${height},2*trunc(min(${height},${width}/dar)/2))`
  const bars = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame`
  return `scale=w='${across}':h='${down}':eval=frame:${how},${bars}`
}

/** Follows the scaling, when there are fewer pixels to work on. */
function finishChain({ colours }: TranscodeJob, target: Target): string {
  return `${toUsualRange(colours, target)},setsar=1${labelColours(target)}`
}

function rungArgs(rung: Rendition, index: number): string[] {
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
    String(rung.crf),
    '-maxrate',
    `${rung.maxRate}k`,
    '-bufsize',
    `${rung.buffer}k`,
    '-x264-params',
    'vbv-init=0.5',
    '-g',
    '250',
    '-sc_threshold',
    '0',
    ...forcedKeyframes,
    ...usualColours,
    ...hlsArgs(`v${index}`),
  ]
}

/** The keyframes are those of the other rungs, so that a player can change to them and back. */
function extraArgs({ extraRung, plan }: TranscodeJob): string[] {
  if (!extraRung) return []
  return extraPlaces(plan).flatMap((place, index) => {
    const rung = plan.rungs[place]
    if (!rung) return []
    const coding = extraRenditionArgs(extraRung, rung)
    return ['-map', `[x${index}]`, ...coding, ...forcedKeyframes, ...usualColours, ...hlsArgs(`x${index}`)]
  })
}

/**
 * As long as the picture: shorter sound would leave players waiting for it. The first 1024 samples are dropped because the encoder
 * adds as many before the sound: picture and sound stay together.
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

/** With a target of 1 s the picture is cut at every keyframe; sound is cut every second and joined to match afterwards. */
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
