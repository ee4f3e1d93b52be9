import { createHash } from 'node:crypto'
import { vttTime } from './plan-stills.ts'
import { UnusableFile } from './unusable-file.ts'

const timing =
  /^(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})\s+-->\s+(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})(?:\s+(.*))?$/

/**
 * A caption file, WebVTT or SubRip, as clean WebVTT: UTF-8 without a mark, plain line ends, times in full. Styles, notes and regions
 * are left out, cue settings kept.
 * @throws UnusableFile naming the line that is wrong
 */
export function makeCaptions(bytes: Buffer): string {
  const text = decode(bytes)
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
  if (text.trim() === '') throw new UnusableFile({ key: 'empty' })
  const isVtt = /^WEBVTT(?:[ \t].*)?(?:\n|$)/.test(text)
  const blocks = splitBlocks(text).slice(isVtt ? 1 : 0)
  const cues = blocks.filter(({ lines }) => !/^(NOTE|STYLE|REGION)\b/.test(lines[0] ?? '')).map(readCue)
  if (cues.length === 0) throw new UnusableFile({ key: isVtt ? 'noCaptions' : 'notCaptions' })
  return `WEBVTT\n\n${cues.join('\n\n')}\n`
}

/** Tells whether a caption's text has changed. */
export function captionHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function decode(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (text.includes('\0')) throw new UnusableFile({ key: 'notText' })
    return text
  } catch (error) {
    if (error instanceof UnusableFile) throw error
    throw new UnusableFile({ key: 'notUtf8' })
  }
}

interface Block {
  /** Of its first line, from 1. */
  lineNumber: number
  lines: string[]
}

function splitBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') open = undefined
    else if (open) open.lines.push(line)
    else blocks.push((open = { lineNumber: index + 1, lines: [line] }))
  })
  return blocks
}

function readCue({ lineNumber, lines }: Block): string {
  const at = lines[0]?.includes('-->') ? 0 : 1
  const found = timing.exec(lines[at]?.trim() ?? '')
  if (!found) throw new UnusableFile({ key: 'noTimes', line: lineNumber + Math.min(at, lines.length - 1) })
  const [, h1, m1, s1, f1, h2, m2, s2, f2, settings] = found
  const from = milliseconds(h1, m1, s1, f1)
  const to = milliseconds(h2, m2, s2, f2)
  if (to <= from) throw new UnusableFile({ key: 'timesReversed', line: lineNumber + at })
  const words = lines.slice(at + 1).map((line) => line.replaceAll('-->', '→'))
  return [`${vttTime(from)} --> ${vttTime(to)}${settings ? ` ${settings}` : ''}`, ...words].join('\n')
}

function milliseconds(hours = '0', minutes = '0', seconds = '0', fraction = '0'): number {
  return (
    (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))
  )
}
