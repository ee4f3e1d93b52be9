import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rules, seedCalls } from './api-call-tests.ts'
import { describeCalls } from './describe-api-calls.ts'
import { findMissingTests } from './read-test-titles.ts'

const root = join(import.meta.dirname, '../..')

test('docs/calls.md is up to date with the contract; `npm run docs` writes it', () => {
  expect(readFileSync(join(root, 'docs/calls.md'), 'utf8')).toBe(describeCalls())
})

test('lists the 24 calls of the seed, each with its callers and a test', () => {
  expect(Object.keys(seedCalls)).toHaveLength(24)
  for (const { callers, tests } of Object.values(seedCalls)) {
    expect(callers).not.toBe('')
    expect(tests.length).toBeGreaterThan(0)
  }
})

test('every referenced test exists once under its full title', () => {
  const named = [
    ...Object.values(seedCalls).flatMap(({ tests }) => tests),
    ...rules.flatMap(({ proofs }) => proofs),
  ]
  expect(findMissingTests(named)).toEqual([])
})
