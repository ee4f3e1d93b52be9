import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import type { TestReference } from './api-call-tests.ts'

type Node = { type: string } & Record<string, unknown>

const root = join(import.meta.dirname, '../..')

/** Tags of a browser test, which are not part of the title. */
const tags = /( @(phone|desktop|screens|sizes))+$/

/** Returns the references that match no test in their file, or more than one. */
export function findMissingTests(proofs: readonly TestReference[]): TestReference[] {
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
 * Returns the titles of the tests in a file, without the titles of their groups. A value inside a template literal
 * becomes "…". Skipped tests, todos and tests with a computed title are omitted.
 * @throws Error if the file is not valid TypeScript
 */
export function readTestTitles(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  return collectTitles(program)
}

function collectTitles(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(collectTitles)
  if (!isNode(node)) return []
  const { type, callee, arguments: args } = node
  if (type === 'CallExpression' && Array.isArray(args) && ['test', 'it'].includes(nameOf(callee))) {
    const title = textOf(args[0])
    return title === undefined ? [] : [title.replace(tags, '')]
  }
  return Object.values(node).flatMap(collectTitles)
}

/**
 * Returns the name of the called function. For `test.each(…)('title')` and `test.for(…)('title')`, this is also `test`.
 */
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
