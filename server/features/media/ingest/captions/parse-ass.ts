import {
  escapeCueText,
  settingsForAssAlignment,
  settingsForSsaAlignment,
  cueSettings,
  nonBlankLines,
} from './caption-markup.ts'
import { toMilliseconds } from './caption-times.ts'
import type { Cue, ParsedCaptions, CueTimeError } from './cues.ts'

const defaultColumns = 'Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text'
const timestamp = /^(\d+):(\d{1,2}):(\d{1,2})[.,](\d{1,3})$/

/**
 * Parses the dialogue of ASS and SSA captions and sorts it by time. Uses only the position of a style: top or bottom,
 * and the side. Omits comments and drawings.
 * @param isConverted true if ffmpeg converted the captions from another format; then text in braces remains unless it
 * is an override code
 */
export function parseAss(text: string, isConverted = false): ParsedCaptions {
  let columns = columnsOf(defaultColumns)
  let styleColumns: readonly string[] = []
  const styleSettings = new Map<string, string>()
  let section = ''
  let fault: CueTimeError | undefined
  const cues: Cue[] = []
  for (const [index, line] of text.split('\n').entries()) {
    section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1]?.toLowerCase() ?? section
    const [, kind, rest = ''] = /^(Format|Dialogue|Style):(.*)$/i.exec(line) ?? []
    if (kind === undefined) continue
    if (section.startsWith('v4')) {
      if (kind.toLowerCase() === 'format') styleColumns = columnsOf(rest)
      else styleSettings.set(...readStyle(rest, styleColumns, section))
    }
    if (section !== 'events') continue
    if (kind.toLowerCase() === 'format') columns = columnsOf(rest)
    else if (kind.toLowerCase() === 'dialogue') {
      const cue = readDialogue(rest, columns, { isConverted, places: styleSettings })
      if (!cue) fault ??= { key: 'noTimes', line: index + 1 }
      else if (cue.to <= cue.from) fault ??= { key: 'timesReversed', line: index + 1 }
      else if (cue.lines.length > 0) cues.push(cue)
    }
  }
  return { cues: cues.toSorted((a, b) => a.from - b.from), fault }
}

const columnsOf = (list: string) => list.split(',').map((name) => name.trim().toLowerCase())

function columnReader(line: string, columns: readonly string[]): (column: string) => string {
  const parts = line.split(',')
  return (column) => parts[columns.indexOf(column)]?.trim() ?? ''
}

/** Returns a style's name, and the cue settings of its alignment. */
function readStyle(line: string, columns: readonly string[], section: string): [string, string] {
  const valueOf = columnReader(line, columns)
  const settings = section === 'v4 styles' ? settingsForSsaAlignment : settingsForAssAlignment
  return [valueOf('name'), settings(valueOf('alignment'))]
}

/**
 * Parses a line of dialogue. Returns undefined if its times are invalid. The text is the last column and may contain
 * commas.
 */
function readDialogue(
  line: string,
  columns: readonly string[],
  { isConverted, places }: { isConverted: boolean; places: ReadonlyMap<string, string> },
): Cue | undefined {
  const valueOf = columnReader(line, columns)
  const from = readTime(valueOf('start'))
  const to = readTime(valueOf('end'))
  if (from === undefined || to === undefined) return undefined
  const rawText = line
    .split(',')
    .slice(columns.length - 1)
    .join(',')
  const styleDefault = places.get(valueOf('style').replace(/^\*/, ''))
  const settings = cueSettings(rawText.match(/\{[^{}]*\}/g) ?? [], styleDefault)
  return { from, to, settings, lines: nonBlankLines(toCueText(rawText, isConverted)) }
}

function readTime(text: string): number | undefined {
  const found = timestamp.exec(text)
  return found ? toMilliseconds(...found.slice(1)) : undefined
}

/** Converts `\N` to a line break, `\n` to a space, and `\h` to a non-breaking space. */
function toCueText(text: string, isConverted: boolean): string {
  const plainText = stripOverrideCodes(text, isConverted)
    .replaceAll(String.raw`\N`, '\n')
    .replaceAll(String.raw`\n`, ' ')
    .replaceAll(String.raw`\h`, '\u00A0')
  return escapeCueText(plainText)
}

/** Matches override codes in braces. Also matches an escaped brace (after a backslash), which is text. */
const overrideCodePattern = /(\\[{}]|\{[^{}]*\})/
const ffmpegOverrideCodePattern = /(\\[{}]|\{\\[^{}]*\})/

/** Removes the override codes in braces. Also removes drawings, which are the text between `\p1` and `\p0`. */
function stripOverrideCodes(text: string, isConverted: boolean): string {
  let isDrawing = false
  let plainText = ''
  for (const [index, part] of text
    .split(isConverted ? ffmpegOverrideCodePattern : overrideCodePattern)
    .entries()) {
    const isMark = index % 2 === 1 && part.startsWith('{')
    const depth = isMark ? [...part.matchAll(/\\p(\d)/g)].at(-1)?.[1] : undefined
    if (depth !== undefined) isDrawing = depth !== '0'
    if (!isMark && !isDrawing) plainText += index % 2 === 1 ? part.slice(1) : part
  }
  return plainText
}
