import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import type { Proof } from './call-proofs.ts'

type Node = { type: string } & Record<string, unknown>

const root = join(import.meta.dirname, '../..')

/** Where a browser test runs is no part of what it shows. */
const screen = / @(phone|desktop)$/

/** Those of the proofs that name no test of their file, or more than one. */
export function findUnproved(proofs: readonly Proof[]): Proof[] {
  const titlesOf = new Map<string, string[]>()
  return proofs.filter(([file, name]) => {
    const titles = titlesOf.get(file) ?? readTitlesOf(file)
    titlesOf.set(file, titles)
    return titles.filter((title) => title === name).length !== 1
  })
}

function readTitlesOf(file: string): string[] {
  const path = join(root, file)
  return existsSync(path) ? readTestTitles(file, readFileSync(path, 'utf8')) : []
}

/**
 * The titles of the tests in a file, without those of the groups around them. What a template fills in reads "…".
 * A test that is skipped or left to do is none, nor is one whose title only the running file knows.
 * @throws Error where the file is no TypeScript
 */
export function readTestTitles(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  return titlesIn(program)
}

function titlesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(titlesIn)
  if (!isNode(node)) return []
  const { type, callee, arguments: given } = node
  if (type === 'CallExpression' && Array.isArray(given) && ['test', 'it'].includes(nameOf(callee))) {
    const title = textOf(given[0])
    return title === undefined ? [] : [title.replace(screen, '')]
  }
  return Object.values(node).flatMap(titlesIn)
}

/** What is called: `test` for `test.each(…)` and `test.for(…)` too, whose answer takes the title. */
function nameOf(callee: unknown): string {
  if (!isNode(callee)) return ''
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type === 'MemberExpression') return `${nameOf(callee['object'])}.${nameOf(callee['property'])}`
  return nameOf(callee['callee'] ?? callee['tag']).replace(/\.(each|for)$/, '')
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return undefined
  return node['quasis'].map((quasi: { value: { cooked: string } }) => quasi.value.cooked).join('…')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
