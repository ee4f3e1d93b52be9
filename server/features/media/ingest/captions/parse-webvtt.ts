import type { Cue, ParsedCaptions, CueTimeError } from './cues.ts'
import { toMilliseconds } from './caption-times.ts'

/**
 * Matches a timestamp. Hours are optional and of any length; minutes and seconds have two digits. A comma before the
 * decimals, which is a common mistake, is accepted.
 */
const timestamp = String.raw`(?:(\d+):)?([0-5]\d):([0-5]\d)[.,](\d{3})(?!\d)`
const timing = new RegExp(String.raw`^\s*${timestamp}\s*-->\s*${timestamp}(.*)$`)
/** The cue settings that are kept. `region` is dropped, because the definitions of regions are dropped too. */
const settingPattern = /^(?:vertical|line|position|size|align):\S+$/
/** Matches a "<" that starts neither a tag nor a timestamp. It is text, such as "<3". */
const strayAngleBracket = /<(?![a-z/]|\d+:)/gi

/**
 * Parses WebVTT by the rules of the standard (https://www.w3.org/TR/webvtt1/#file-parsing). An empty line ends a block;
 * a line of spaces does not. A line with an arrow always begins a caption. A caption with invalid times, or without
 * text, is omitted. The lines before the first arrow of a block are ignored: they are a cue's name, a note, a style or
 * a region.
 */
export function parseWebVtt(text: string): ParsedCaptions {
  const cues: Cue[] = []
  let fault: CueTimeError | undefined
  let currentCue: Cue | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line.includes('-->')) {
      currentCue = readTiming(line)
      if (currentCue) cues.push(currentCue)
      if (!currentCue) fault ??= { key: 'noTimes', line: index + 1 }
      else if (currentCue.to <= currentCue.from) fault ??= { key: 'timesReversed', line: index + 1 }
    } else if (line === '') currentCue = undefined
    else currentCue?.lines.push(line.replaceAll(strayAngleBracket, '&lt;'))
  }
  return { cues: cues.filter(({ from, to, lines }) => to > from && lines.length > 0), fault }
}

function readTiming(line: string): Cue | undefined {
  const found = timing.exec(line)
  if (!found) return undefined
  const [, h1, m1, s1, f1, h2, m2, s2, f2, settings = ''] = found
  return {
    from: toMilliseconds(h1, m1, s1, f1),
    to: toMilliseconds(h2, m2, s2, f2),
    settings: settings
      .split(/\s+/)
      .filter((each) => settingPattern.test(each))
      .join(' '),
    lines: [],
  }
}
