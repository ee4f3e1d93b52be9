import { marked, type Token, type Tokens } from 'marked'
import type { Block, Run } from '#contract/pages.ts'

/** A parsed text. Its first heading of level 1 is the title. */
export interface ParsedText {
  title: string
  blocks: Block[]
}

/** Values of placeholders `{{name}}`; undefined if a value is not set. */
export type PlaceholderValues = Readonly<Record<string, string | undefined>>

/**
 * Parses a Markdown text into headings, paragraphs and lists, with bold, italics and links. Raw HTML is shown as text;
 * images and tables are omitted. Placeholder values are inserted after parsing, so they cannot add markup. A line with
 * an unset placeholder is omitted.
 */
export function parseMarkdown(markdown: string, values: PlaceholderValues): ParsedText {
  const tokens = marked.lexer(markdown)
  const title = tokens.find((token) => token.type === 'heading' && token['depth'] === 1)
  const ids = new Set<string>()
  const blocks = tokens
    .filter((token) => token !== title)
    .flatMap((token) => toBlocks(token))
    .map(({ kind, lines }) => ({ kind, lines: lines.flatMap((line) => fillLine(line, values)) }))
    .filter(({ lines }) => lines.length > 0)
    .map((block) => (isHeading(block) ? { ...block, id: uniqueHeadingId(block, ids) } : block))
  return { title: fillLine(toRuns(title), values).map(plainText).join(''), blocks }
}

/** Returns the names of a text's placeholders that have no value, each once. */
export function unsetPlaceholders(markdown: string, values: PlaceholderValues): string[] {
  const names = [...markdown.matchAll(placeholderPattern)].map(([, name = '']) => name)
  return [...new Set(names)].filter((name) => placeholderValue(values, name) === undefined)
}

const placeholderPattern = /\{\{(\w+)\}\}/g
const placeholderValue = (values: PlaceholderValues, name: string) =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Returns a line without formatting. */
export function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('')
}

type BlockTemplate = Pick<Block, 'kind' | 'lines'>

const isHeading = ({ kind }: BlockTemplate) => kind === 'heading' || kind === 'subheading'

function toBlocks(token: Token): BlockTemplate[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: Number(token['depth']) < 3 ? 'heading' : 'subheading', lines: [toRuns(token)] }]
    case 'paragraph':
      return [{ kind: 'paragraph', lines: [toRuns(token)] }]
    case 'html':
    case 'code':
      return [{ kind: 'paragraph', lines: [[{ text: token.raw.trim() }]] }]
    case 'blockquote':
      return (token.tokens ?? []).flatMap(toBlocks)
    case 'list': {
      const { ordered, items } = token as Tokens.List
      return [{ kind: ordered ? 'steps' : 'list', lines: items.map((item) => toRuns(item)) }]
    }
    default:
      return []
  }
}

type RunStyle = Omit<Run, 'text'>

function toRuns(token: Token | undefined, style: RunStyle = {}): Run[] {
  const inner = token && 'tokens' in token ? (token.tokens ?? []) : []
  return inner.flatMap((part) => inlineToRuns(part, style))
}

function inlineToRuns(part: Token, style: RunStyle): Run[] {
  switch (part.type) {
    case 'strong':
      return toRuns(part, { ...style, strong: true })
    case 'em':
      return toRuns(part, { ...style, emphasis: true })
    case 'link':
      return toRuns(part, isSafeLink(String(part['href'])) ? { ...style, href: String(part['href']) } : style)
    case 'br':
      return [{ ...style, text: ' ' }]
    case 'image':
      return []
    case 'html':
      return [{ ...style, text: part.raw }]
    default:
      if ('tokens' in part && part.tokens) return toRuns(part, style)
      return 'text' in part ? [{ ...style, text: String(part.text) }] : []
  }
}

/**
 * Returns whether a link is a web or mail address, or leads to this site. Other links, such as `javascript:`, become
 * plain text.
 */
function isSafeLink(href: string): boolean {
  return /^(https?:\/\/|mailto:|#|\/(?![/\\]))/.test(href)
}

/**
 * Inserts the placeholder values into a line.
 * @returns the line, or an empty array if a value is missing or the line is blank
 */
function fillLine(line: readonly Run[], values: PlaceholderValues): Run[][] {
  let missing = false
  const fill = (text: string, encode: (value: string) => string = String) =>
    text.replaceAll(placeholderPattern, (_, name: string) => {
      const value = placeholderValue(values, name)
      missing ||= value === undefined
      return encode(value ?? '')
    })
  const filled = line.map(({ text, href, ...formatting }) => ({
    ...formatting,
    text: fill(text).replaceAll('\n', ' '),
    ...(href === undefined ? {} : { href: fill(href, encodeURI) }),
  }))
  return missing || plainText(filled).trim() === '' ? [] : [filled]
}

/** Returns the heading's words joined by hyphens. Adds a number if the result is already the id of another heading. */
function uniqueHeadingId({ lines }: BlockTemplate, usedIds: Set<string>): string {
  const words =
    plainText(lines[0] ?? [])
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const base = words.join('-') || 'part'
  let id = base
  for (let next = 2; usedIds.has(id); next += 1) id = `${base}-${next}`
  usedIds.add(id)
  return id
}
