import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '#contract/languages.ts'
import { inputArgs } from './build-ffmpeg-args.ts'
import type { CaptionTrack } from './choose-captions.ts'
import { makeCaptions } from './make-captions.ts'
import type { SourceMedia } from './probe.ts'
import { runLimited, timeLimit } from './run-ffmpeg.ts'
import { gainFilters, giveBack, planGain, soundChain, type Gain, type Loudness } from './sound-chain.ts'
import type { Programs } from './transcode.ts'
import { UnusableFile } from './unusable-file.ts'

/** What has to be known before an episode is made: the gain of its sound, and the captions that lie in the file. */
export interface ReadAhead {
  gain: Gain | undefined
  captions: ReadonlyMap<Language, string>
}

interface Reading {
  programs: Programs
  input: string
  source: SourceMedia
  /** Where drafts may lie; none is left. */
  folder: string
  niceness: number
  signal: AbortSignal
}

/**
 * Reads sound and captions of a file, without its picture: for ten minutes that takes two or three seconds, and the episode is then made with one
 * gain throughout (docs/decisions/0013-loudness-is-measured-first.md).
 * @throws UnusableFile
 * @throws the signal's reason when aborted
 */
export async function readAhead(reading: Reading): Promise<ReadAhead> {
  const { captions } = reading.source
  const listen = measuring(reading.source, ['ebur128=peak=true:framelog=verbose'])
  const together = await read(reading, [...textArgs(captions), ...listen])
  // Captions that break the reading are not worth an episode.
  const summary = together ?? (captions.size > 0 ? await read(reading, listen) : undefined)
  const loudness = parseLoudness(summary)
  const gain = loudness && planGain(loudness)
  return {
    gain: gain?.limited ? await behindLimiter(reading, gain) : gain,
    captions: await collectCaptions(reading, captions),
  }
}

/** A limiter takes loudness away with the peaks, so what comes out of it is measured as well. */
async function behindLimiter(reading: Reading, gain: Gain): Promise<Gain> {
  const listen = measuring(reading.source, [...gainFilters(gain), 'ebur128=peak=sample:framelog=verbose'])
  const loudness = parseLoudness(await read(reading, listen))
  return loudness ? giveBack(gain, loudness.integrated) : gain
}

function measuring({ soundIndex }: SourceMedia, filters: readonly string[]): string[] {
  if (soundIndex === undefined) return []
  return ['-map', `0:${soundIndex}`, '-af', [soundChain, ...filters].join(','), '-f', 'null', '-']
}

function textArgs(captions: ReadonlyMap<Language, CaptionTrack>): string[] {
  return [...captions].flatMap(([language, { index, format }]) => [
    '-map',
    `0:${index}`,
    '-c:s',
    format,
    '-f',
    format,
    draftOf(language),
  ])
}

const draftOf = (language: Language) => `embedded-${language}.txt`

/** @returns what ffmpeg said; undefined where there is nothing to read or it can't be read */
async function read(
  { programs, input, source, folder, niceness, signal }: Reading,
  outputs: readonly string[],
): Promise<string | undefined> {
  if (outputs.length === 0) return undefined
  const own = ['-hide_banner', '-nostdin', '-y', '-nostats', '-progress', 'pipe:1']
  const { status, complaints } = await runLimited({
    program: programs.ffmpegPath,
    args: [...own, ...inputArgs(input, source.container), ...outputs],
    cwd: folder,
    niceness,
    limits: programs.limits,
    signal,
    ...timeLimit(source.duration),
  })
  return status === 0 ? complaints : undefined
}

async function collectCaptions(
  { folder }: Reading,
  captions: ReadonlyMap<Language, CaptionTrack>,
): Promise<Map<Language, string>> {
  const texts = new Map<Language, string>()
  for (const language of captions.keys()) {
    const draft = join(folder, draftOf(language))
    try {
      texts.set(language, makeCaptions(await readFile(draft)))
    } catch (error) {
      // A stream without a single caption, or one that was never written: the episode is as good as without.
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!missing && !(error instanceof UnusableFile)) throw error
    }
    await rm(draft, { force: true })
  }
  return texts
}

/** Reads the summary of ffmpeg's `ebur128`; undefined where there is none. */
export function parseLoudness(summary = ''): Loudness | undefined {
  const integrated = Number(/^\s*I:\s+(-?[\d.]+) LUFS/m.exec(summary)?.[1] ?? NaN)
  const peak = Number(/^\s*Peak:\s+(-?[\d.]+) dBFS/m.exec(summary)?.[1] ?? NaN)
  return Number.isFinite(integrated) && Number.isFinite(peak) ? { integrated, peak } : undefined
}
