import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeScreens } from './describe-screens.ts'
import { seedRoutes } from './screen-tests.ts'
import { screenParts } from './screen-part-tests.ts'
import { findMissingTests } from './read-test-titles.ts'

const root = join(import.meta.dirname, '../..')
const rows = [...seedRoutes, ...screenParts.flatMap((part) => part.rows)]

test('docs/screens.md is up to date with its lists; `npm run docs` writes it', () => {
  expect(readFileSync(join(root, 'docs/screens.md'), 'utf8')).toBe(describeScreens())
})

test('lists the 23 routes of the seed, each with a test', () => {
  expect(seedRoutes.filter(({ seed }) => seed.startsWith('`/'))).toHaveLength(23)
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
})

test('every referenced test exists once under its full title', () => {
  expect(findMissingTests(rows.flatMap(({ tests }) => tests))).toEqual([])
})

test('every symbol that an implementation names is exported', () => {
  const files = globSync('{web,contract}/**/*.{ts,tsx}', { cwd: root })
  const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  // The names of stored keys and of events are not symbols.
  const named = rows
    .filter(({ implementation }) => !/^keys? /.test(implementation))
    .flatMap(({ implementation }) => [...implementation.matchAll(/`([A-Za-z]+)(?:\(\))?`/g)])
    .map(([, name = '']) => name)
  expect(named).toContain('ApiError')
  const isExported = (name: string) =>
    new RegExp(`^export (async )?(const|class|function) ${name}\\b`, 'm').test(source)
  expect(named.filter((name) => !isExported(name))).toEqual([])
})
