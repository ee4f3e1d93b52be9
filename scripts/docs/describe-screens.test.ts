import { readFileSync } from 'node:fs'
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
