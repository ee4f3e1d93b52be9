import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeScreens } from './describe-screens.ts'
import { seedRoutes } from './route-proofs.ts'
import { seedParts } from './screen-part-proofs.ts'
import { findUnproved } from './read-test-titles.ts'

const root = join(import.meta.dirname, '../..')
const rows = [...seedRoutes, ...seedParts.flatMap((part) => part.rows)]

test('docs/screens.md is what the list says now; `npm run docs` writes it', () => {
  expect(readFileSync(join(root, 'docs/screens.md'), 'utf8')).toBe(describeScreens())
})

test('it has the 23 routes of the seed, and every line has a test', () => {
  expect(seedRoutes.filter(({ seed }) => seed.startsWith('`/'))).toHaveLength(23)
  expect(rows.filter(({ proofs }) => proofs.length === 0)).toEqual([])
})

test('every test that it names is there, once and by its whole title', () => {
  expect(findUnproved(rows.flatMap(({ proofs }) => proofs))).toEqual([])
})
