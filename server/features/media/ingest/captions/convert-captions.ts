import { createHash } from 'node:crypto'
import { decodeCaptions } from './decode-captions.ts'
import { parseAss } from './parse-ass.ts'
import { parseSrt } from './parse-srt.ts'
import { parseWebVtt } from './parse-webvtt.ts'
import { vttTime } from '#server/features/media/ingest/plan/plan-storyboard.ts'
import type { Cue } from './cues.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/** Captions as WebVTT. `omittedLine` is the line of the first caption that was omitted because of invalid times. */
export interface ConvertedCaptions {
  text: string
  omittedLine?: number | undefined
}

/**
 * Converts a caption file (WebVTT, SubRip or ASS) to plain WebVTT: UTF-8 without a byte order mark, LF line ends, full
 * timestamps. Omits styles, notes and regions. Like browsers, also omits captions with invalid times. Set `isConverted`
 * for ASS that ffmpeg made from another format.
 * @throws UnusableFile if no caption can be shown; the reason names the line with invalid times, if there is one
 */
export function convertCaptions(bytes: Buffer, { isConverted = false } = {}): ConvertedCaptions {
  const text = decodeCaptions(bytes).replaceAll(/\r\n?/g, '\n')
  if (text.trim() === '') throw new UnusableFile({ key: 'empty' })
  const isVtt = /^WEBVTT(?:[ \t\n]|$)/.test(text)
  const isAss = /^\s*(?:;.*\n\s*)*\[Script Info\]/i.test(text)
  const { cues, fault } = isVtt ? parseWebVtt(text) : isAss ? parseAss(text, isConverted) : parseSrt(text)
  if (cues.length === 0)
    throw new UnusableFile(fault ?? { key: isVtt || isAss ? 'noCaptions' : 'notCaptions' })
  return { text: `WEBVTT\n\n${cues.map(formatCue).join('\n\n')}\n`, omittedLine: fault?.line }
}

/** Hashes a caption's text, to detect changes. */
export function captionHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function formatCue({ from, to, settings, lines }: Cue): string {
  return [`${vttTime(from)} --> ${vttTime(to)}${settings && ` ${settings}`}`, ...lines].join('\n')
}
