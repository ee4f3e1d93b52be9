import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '#contract/languages.ts'
import {
  clockArgs,
  type SourceClock,
  inputArgs,
  type SoundInput,
} from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import type { CaptionTrack } from '#server/features/media/ingest/captions/choose-captions.ts'
import { toConversionError } from '#server/features/media/ingest/files/conversion-failure.ts'
import { tracksNote, type SourceNote } from '#server/features/media/ingest/files/source-notes.ts'
import { convertCaptions } from '#server/features/media/ingest/captions/convert-captions.ts'
import { collectTimes, type PacketTimes } from '#server/features/media/ingest/plan/packet-times.ts'
import type { SourceMedia } from './probe.ts'
import { runLimited, timeLimit, type RunResult } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import {
  gainFilters,
  compensateLimiter,
  planGain,
  loudnessFilters,
  soundFormat,
  type Gain,
  type Loudness,
} from '#server/features/media/ingest/plan/loudness.ts'
import type { Programs } from './programs.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/** The analysis of a source file, which the conversion requires. */
export interface SourceAnalysis {
  times: PacketTimes
  /**
   * The decoded audio in one format, from the start of the film and without gaps. Undefined if the file has no audio.
   */
  sound: SoundInput | undefined
  gain: Gain | undefined
  /** Captions embedded in the file. */
  captions: ReadonlyMap<Language, string>
  /** Notes on captions that could not be read. */
  notes: SourceNote[]
}

interface AnalyzeOptions {
  programs: Programs
  input: string
  source: SourceMedia & SourceClock
  /** Folder for temporary files. Only the decoded audio is left there. */
  folder: string
  niceness: number
  signal: AbortSignal
}

const rawAudioFile = 'sound-read.mka'
const continuousAudioFile = 'sound.mka'
const pcmArgs = ['-c:a', 'pcm_f32le', '-f', 'matroska']

/**
 * Reads the packet times, the audio and the captions of a file, usually without decoding its video. Writes the audio in
 * one format, because ffmpeg restarts its filters when channels or sample rate change
 * (docs/decisions/0013-loudness-is-measured-first.md).
 * @throws UnusableFile
 * @throws the signal's reason when aborted
 */
export async function analyzeSource(options: AnalyzeOptions): Promise<SourceAnalysis> {
  const { captions, soundIndex } = options.source
  const { times, areCaptionsRead } = await readPackets(options)
  const captionResult = areCaptionsRead ? await collectCaptions(options, captions) : noCaptions(captions)
  const hasSound = soundIndex !== undefined && times.soundEnd !== undefined
  if (!hasSound) return { times, sound: undefined, gain: undefined, ...captionResult }
  const { sound, loudness } = await alignAudio(options)
  const gain = loudness && planGain(loudness)
  return {
    times,
    sound,
    gain: gain?.limited ? await correctForLimiter(options, sound, gain) : gain,
    ...captionResult,
  }
}

async function readPackets(
  options: AnalyzeOptions,
): Promise<{ times: PacketTimes; areCaptionsRead: boolean }> {
  const { input, source } = options
  const { streamIndex, soundIndex, container, captions, aacRateChanges } = source
  const sound = soundIndex === undefined ? [] : ['-map', `0:${soundIndex}`]
  const packets = ['-map', `0:${streamIndex}`, ...sound, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const decoded = sound.length > 0 ? [...sound, '-af', soundFormat, ...pcmArgs, rawAudioFile] : []
  // If ffmpeg does not compute times (see `clockArgs`), it must decode the same streams as the conversion. Otherwise it
  // would find jumps of the clock at other places.
  const pictures = aacRateChanges ? ['-map', `0:${streamIndex}`, '-f', 'null', '-'] : []
  const readWith = async (more: readonly string[]) => {
    const collected = collectTimes()
    const result = await run(
      options,
      [...clockArgs(source), ...inputArgs(input, container), ...packets, ...decoded, ...pictures, ...more],
      collected.addLine,
    )
    return { result, times: collected.times() }
  }
  const fullRun = await readWith(captionArgs(captions))
  // Captions that cannot be read must not fail the episode, so the file is read again without them.
  const areCaptionsRead = fullRun.result.status === 0 || captions.size === 0
  const { result, times } = areCaptionsRead ? fullRun : await readWith([])
  if (result.status !== 0) throw toConversionError(result)
  if (!times) throw new UnusableFile({ key: 'undecodable' })
  const soundEnd = times.soundEnd === undefined ? undefined : times.soundEnd + source.pictureDelay
  return { times: { ...times, soundEnd }, areCaptionsRead }
}

/** Fills gaps in the audio, aligns its start with the start of the film, and measures its loudness. */
async function alignAudio(options: AnalyzeOptions) {
  const from = join(options.folder, rawAudioFile)
  if (!existsSync(from)) throw new UnusableFile({ key: 'unreadableSound' })
  // `-copyts` keeps the film's timestamps; without it, ffmpeg would shift the audio to begin at 0.
  const delay = ['-itsoffset', options.source.pictureDelay.toFixed(6)]
  const input = ['-copyts', ...delay, ...inputArgs(from, 'matroska')]
  const filters = [loudnessFilters, 'ebur128=peak=true:framelog=verbose'].join(',')
  const result = await run(options, [
    ...input,
    '-map',
    '0:a',
    '-af',
    filters,
    ...pcmArgs,
    continuousAudioFile,
  ])
  if (result.status !== 0) throw new UnusableFile({ key: 'unreadableSound' })
  await rm(from)
  const sound: SoundInput = {
    input: join(options.folder, continuousAudioFile),
    container: 'matroska',
    index: 0,
  }
  return { sound, loudness: parseLoudness(result.stderr) }
}

/**
 * Corrects the gain after measuring the limiter's output, because a limiter reduces loudness together with the peaks.
 */
async function correctForLimiter(
  options: AnalyzeOptions,
  { input, container }: SoundInput,
  gain: Gain,
): Promise<Gain> {
  const filters = [...gainFilters(gain), 'ebur128=peak=sample:framelog=verbose'].join(',')
  const { stderr } = await run(options, [...inputArgs(input, container), '-af', filters, '-f', 'null', '-'])
  const loudness = parseLoudness(stderr)
  return loudness ? compensateLimiter(gain, loudness.integrated) : gain
}

function captionArgs(captions: ReadonlyMap<Language, CaptionTrack>): string[] {
  return [...captions].flatMap(([language, { index, format }]) => [
    '-map',
    `0:${index}`,
    '-c:s',
    format,
    '-f',
    format,
    captionDraftName(language),
  ])
}

const captionDraftName = (language: Language) => `embedded-${language}.txt`

/**
 * The time limit is computed for at least this duration (seconds), because the container may state a duration that is
 * too short.
 */
const minLimitSeconds = 600

function run(
  { programs, source, folder, niceness, signal }: AnalyzeOptions,
  args: readonly string[],
  onLine?: (line: string) => void,
): Promise<RunResult> {
  // A run that prints nothing counts as hung. So a run without `onLine` prints its progress.
  const progress = onLine ? [] : ['-progress', 'pipe:1']
  return runLimited({
    program: programs.ffmpegPath,
    args: ['-hide_banner', '-nostdin', '-y', '-nostats', ...progress, ...args],
    cwd: folder,
    niceness,
    limits: programs.limits,
    signal,
    ...timeLimit(Math.max(minLimitSeconds, source.duration)),
    ...(onLine ? { onLine } : {}),
  })
}

type ReadCaptions = Pick<SourceAnalysis, 'captions' | 'notes'>

const noCaptions = (captions: ReadonlyMap<Language, CaptionTrack>): ReadCaptions => ({
  captions: new Map(),
  notes: tracksNote(
    'captionTracks',
    [...captions.values()].map(({ track }) => track),
  ),
})

async function collectCaptions(
  { folder }: AnalyzeOptions,
  captions: ReadonlyMap<Language, CaptionTrack>,
): Promise<ReadCaptions> {
  const texts = new Map<Language, string>()
  const unreadable: number[] = []
  for (const [language, { isConverted, track }] of captions) {
    const draft = join(folder, captionDraftName(language))
    try {
      texts.set(language, convertCaptions(await readFile(draft), { isConverted }).text)
    } catch (error) {
      // An empty caption stream, or one for which ffmpeg wrote no file, must not fail the episode.
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!missing && !(error instanceof UnusableFile)) throw error
      const isEmpty = error instanceof UnusableFile && ['empty', 'noCaptions'].includes(error.reason.key)
      if (!missing && !isEmpty) unreadable.push(track)
    }
    await rm(draft, { force: true })
  }
  return { captions: texts, notes: tracksNote('captionTracks', unreadable) }
}

/** Parses the summary of ffmpeg's `ebur128` filter; undefined if there is none. */
export function parseLoudness(summary = ''): Loudness | undefined {
  const integrated = Number(/^\s*I:\s+(-?[\d.]+) LUFS/m.exec(summary)?.[1] ?? NaN)
  const peak = Number(/^\s*Peak:\s+(-?[\d.]+) dBFS/m.exec(summary)?.[1] ?? NaN)
  return Number.isFinite(integrated) && Number.isFinite(peak) ? { integrated, peak } : undefined
}
