import { escapeCueText, cueSettings, nonBlankLines } from './caption-markup.ts'
import { toMilliseconds } from './caption-times.ts'
import type { Cue, ParsedCaptions, CueTimeError } from './cues.ts'

/**
 * Matches hours (optional), minutes and seconds, separated by colons. If all three are present, they may be separated
 * by points. A time with a minus sign, which cutting tools write, is read as 0.
 */
const timestamp = String.raw`(-?)(?:(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?|(\d+)\.(\d{1,2})\.(\d{1,2})[.,:](\d{1,3}))`
const timing = new RegExp(String.raw`^\s*${timestamp}\s*(?:--?|–|—)>\s*${timestamp}(?:\s.*)?$`)
/** Matches a line that looks like the times of a caption, even if they are invalid. */
const timingLike = /^\s*-?\d+:.*-->/

/**
 * Parses SubRip, which has no standard. A caption begins at its line of times. Empty lines do not separate captions,
 * because some files omit them or have them within a caption. A number before the times is the caption's index.
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

/**
 * Converts the groups of `timestamp` to milliseconds. The first group is the sign; the others are the numbers between
 * colons or between points.
 */
function readTime([sign, h1, m1, s1, f1, h2, m2, s2, f2]: readonly (string | undefined)[]): number {
  return sign ? 0 : toMilliseconds(h1 ?? h2, m1 ?? m2, s1 ?? s2, f1 ?? f2)
}

/**
 * Removes the next caption's index from the end of a caption's lines. If empty lines follow the number, it is an index
 * only if it equals `next`.
 */
function withoutNextIndex(lines: readonly string[], next: number): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const count = lines[last]?.trim() ?? ''
  const isNumber = last === lines.length - 1 ? /^\d+$/.test(count) : count === String(next)
  return isNumber ? lines.slice(0, last) : lines
}

/** Names of HTML and WebVTT tags that tools write into SubRip. Any other text between "<" and ">" is not markup. */
const tagNames =
  'b|i|u|s|font|em|strong|span|c|v|lang|ruby|rt|br|p|div|center|big|small|strike|del|ins|sub|sup|tt|blink'
const tagPattern = new RegExp(String.raw`(<\/?(?:${tagNames})(?:[\s./][^<>]*)?>)`, 'i')

const assCode = /\{\\[^{}]*\}/g

/** Keeps bold, italic and underline. Removes other tags, and ASS codes that tools write into SubRip. */
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
