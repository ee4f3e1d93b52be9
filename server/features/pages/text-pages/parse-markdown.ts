import { marked, type Token, type Tokens } from 'marked'
import type { Block, Run } from '#contract/pages.ts'

/** A parsed text; its first heading is the title. */
export interface Parsed {
  title: string
  blocks: Block[]
}

/** The value of `{{name}}`; undefined if it is not set. */
export type Values = Readonly<Record<string, string | undefined>>

/**
 * Parses a text into blocks without markup: headings, paragraphs and lists, with bold, italics and links. Raw HTML is shown as
 * text; images and tables are omitted. Values are inserted after parsing, so they cannot be markup either; a line with an unset
 * value is omitted.
 */
export function parseMarkdown(markdown: string, values: Values): Parsed {
  const tokens = marked.lexer(markdown)
  const title = tokens.find((token) => token.type === 'heading' && token['depth'] === 1)
  const ids = new Set<string>()
  const blocks = tokens
    .filter((token) => token !== title)
    .flatMap((token) => blockOf(token))
    .map(({ kind, lines }) => ({ kind, lines: lines.flatMap((line) => fillLine(line, values)) }))
    .filter(({ lines }) => lines.length > 0)
    .map((block) => (isHeading(block) ? { ...block, id: idOf(block, ids) } : block))
  return { title: fillLine(runsOf(title), values).map(textOf).join(''), blocks }
}

/** Returns the placeholders of a text that have no value, each once. */
export function unsetValues(markdown: string, values: Values): string[] {
  const names = [...markdown.matchAll(inBraces)].map(([, name = '']) => name)
  return [...new Set(names)].filter((name) => valueOf(values, name) === undefined)
}

const inBraces = /\{\{(\w+)\}\}/g
const valueOf = (values: Values, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)

/** Returns a line as plain text. */
export function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('')
}

type Unfilled = Pick<Block, 'kind' | 'lines'>

const isHeading = ({ kind }: Unfilled) => kind === 'heading' || kind === 'subheading'

function blockOf(token: Token): Unfilled[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: Number(token['depth']) < 3 ? 'heading' : 'subheading', lines: [runsOf(token)] }]
    case 'paragraph':
      return [{ kind: 'paragraph', lines: [runsOf(token)] }]
    case 'html':
    case 'code':
      return [{ kind: 'paragraph', lines: [[{ text: token.raw.trim() }]] }]
    case 'blockquote':
      return (token.tokens ?? []).flatMap(blockOf)
    case 'list': {
      const { ordered, items } = token as Tokens.List
      return [{ kind: ordered ? 'steps' : 'list', lines: items.map((item) => runsOf(item)) }]
    }
    default:
      return []
  }
}

type Look = Omit<Run, 'text'>

function runsOf(token: Token | undefined, look: Look = {}): Run[] {
  const inner = token && 'tokens' in token ? (token.tokens ?? []) : []
  return inner.flatMap((part) => runOf(part, look))
}

function runOf(part: Token, look: Look): Run[] {
  switch (part.type) {
    case 'strong':
      return runsOf(part, { ...look, strong: true })
    case 'em':
      return runsOf(part, { ...look, emphasis: true })
    case 'link':
      return runsOf(part, safeLink(String(part['href'])) ? { ...look, href: String(part['href']) } : look)
    case 'br':
      return [{ ...look, text: ' ' }]
    case 'image':
      return []
    case 'html':
      return [{ ...look, text: part.raw }]
    default:
      if ('tokens' in part && part.tokens) return runsOf(part, look)
      return 'text' in part ? [{ ...look, text: String(part.text) }] : []
  }
}

/** Returns whether a link runs no code: `javascript:` and similar links are shown as text. */
function safeLink(href: string): boolean {
  return /^(https?:\/\/|mailto:|#|\/(?![/\\]))/.test(href)
}

/** @returns one line, or none if a value is missing */
function fillLine(line: readonly Run[], values: Values): Run[][] {
  let missing = false
  const fill = (text: string, encode: (value: string) => string = String) =>
    text.replaceAll(inBraces, (_, name: string) => {
      const value = valueOf(values, name)
      missing ||= value === undefined
      return encode(value ?? '')
    })
  const filled = line.map(({ text, href, ...look }) => ({
    ...look,
    text: fill(text).replaceAll('\n', ' '),
    ...(href === undefined ? {} : { href: fill(href, encodeURI) }),
  }))
  return missing || textOf(filled).trim() === '' ? [] : [filled]
}

/** Returns a unique id of words joined by hyphens. */
function idOf({ lines }: Unfilled, taken: Set<string>): string {
  const words =
    textOf(lines[0] ?? [])
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const base = words.join('-') || 'part'
  let id = base
  for (let next = 2; taken.has(id); next += 1) id = `${base}-${next}`
  taken.add(id)
  return id
}
