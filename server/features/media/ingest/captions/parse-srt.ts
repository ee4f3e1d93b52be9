import { escapeCueText, cueSettings, nonBlankLines } from './caption-markup.ts'
import { toMilliseconds } from './caption-times.ts'
import type { Cue, ParsedCaptions, CueTimeError } from './cues.ts'

/** Hours are optional with colons; tools that write points write all three parts. A negative time, left over from cutting, counts as 0. */
const timestamp = String.raw`(-?)(?:(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?|(\d+)\.(\d{1,2})\.(\d{1,2})[.,:](\d{1,3}))`
const timing = new RegExp(String.raw`^\s*${timestamp}\s*(?:--?|–|—)>\s*${timestamp}(?:\s.*)?$`)
/** A line that looks like times. */
const timingLike = /^\s*-?\d+:.*-->/

/**
 * Parses SubRip, which has no standard: a caption begins at its times, not at an empty line, which may be missing or be between its
 * lines. A number before the times is the caption's index.
 */
export function parseSrt(text: string): ParsedCaptions {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (timingLike.test(line) || timing.test(line) ? [index] : []))
  let fault: CueTimeError | undefined
  const cues = starts.flatMap((start, at): Cue[] => {
    const times = readTimes(lines[start] ?? '')
    if (!times) fault ??= { key: 'noTimes', line: start + 1 }
    else if (times.to <= times.from) fault ??= { key: 'timesReversed', line: start + 1 }
    const textLines = lines.slice(start + 1, starts[at + 1])
    const isLast = at === starts.length - 1
    const text = (isLast ? textLines : withoutNextIndex(textLines, at + 2)).join('\n')
    const cueLines = nonBlankLines(toCueMarkup(text))
    const settings = cueSettings(text.match(assCode) ?? [])
    return times && times.to > times.from && cueLines.length > 0
      ? [{ ...times, settings, lines: cueLines }]
      : []
  })
  return { cues, fault }
}

function readTimes(line: string): { from: number; to: number } | undefined {
  const found = timing.exec(line)
  if (!found) return undefined
  const times = found.slice(1)
  return { from: readTime(times.slice(0, times.length / 2)), to: readTime(times.slice(times.length / 2)) }
}

/** Reads the parts of `timestamp`: its sign, then the numbers between colons or between points. */
function readTime([sign, h1, m1, s1, f1, h2, m2, s2, f2]: readonly (string | undefined)[]): number {
  return sign ? 0 : toMilliseconds(h1 ?? h2, m1 ?? m2, s1 ?? s2, f1 ?? f2)
}

/**
 * Removes the index of the next caption from a caption's lines. With empty lines between index and times, only the expected number
 * is an index.
 */
function withoutNextIndex(lines: readonly string[], next: number): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const count = lines[last]?.trim() ?? ''
  const isNumber = last === lines.length - 1 ? /^\d+$/.test(count) : count === String(next)
  return isNumber ? lines.slice(0, last) : lines
}

/** Tag names of HTML or WebVTT that other tools write. Anything else between "<" and ">" is text. */
const tagNames =
  'b|i|u|s|font|em|strong|span|c|v|lang|ruby|rt|br|p|div|center|big|small|strike|del|ins|sub|sup|tt|blink'
const tagPattern = new RegExp(String.raw`(<\/?(?:${tagNames})(?:[\s./][^<>]*)?>)`, 'i')

const assCode = /\{\\[^{}]*\}/g

/** Keeps bold, italic and underline. Removes other tags, and ASS codes that tools leave in SubRip. */
function toCueMarkup(text: string): string {
  return text
    .replaceAll(assCode, '')
    .replaceAll(String.raw`\N`, '\n')
    .replaceAll(String.raw`\n`, ' ')
    .replaceAll(String.raw`\h`, '\u00A0')
    .split(tagPattern)
    .map((part, index) => (index % 2 === 0 ? escapeCueText(part) : convertTag(part)))
    .join('')
}

const supportedTags: Record<string, string> = { b: 'b', strong: 'b', i: 'i', em: 'i', u: 'u' }

function convertTag(tag: string): string {
  const [, slash = '', name = ''] = /^<(\/?)(\w+)/.exec(tag) ?? []
  if (name.toLowerCase() === 'br') return '\n'
  const shown = supportedTags[name.toLowerCase()]
  return shown === undefined ? '' : `<${slash}${shown}>`
}
