import { expect, test } from 'vitest'
import { readTestTitles } from './read-test-titles.ts'

const titlesOf = (source: string) => readTestTitles('some.test.ts', source)

test('reads titles in any quotes, in groups, and of parameterized tests', () => {
  const source = `
    test('one', () => {})
    describe('a group', () => { it("doesn't", async () => {}) })
    for (const name of names) test(\`\${name}: opens\`, () => {})
    test.each([1, 2])('reads %s', () => {})
    it.each\`a\`('takes a table', () => {})
    test('seen on one screen @phone', () => {})
    test('checks the layout in both sizes @screens @sizes', () => {})`
  expect(titlesOf(source)).toEqual([
    'one',
    "doesn't",
    '…: opens',
    'reads %s',
    'takes a table',
    'seen on one screen',
    'checks the layout in both sizes',
  ])
})

test('ignores other texts, and tests that do not run', () => {
  const source = `
    // test('a comment', () => {})
    const words = "test('a text', () => {})"
    describe('a group', () => {})
    test.step('a step', () => {})
    test.skip('skipped', () => {})
    test.todo('to do')
    it(named, () => {})`
  expect(titlesOf(source)).toEqual([])
})
