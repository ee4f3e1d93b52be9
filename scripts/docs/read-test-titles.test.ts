import { expect, test } from 'vitest'
import { readTestTitles } from './read-test-titles.ts'

const titlesOf = (source: string) => readTestTitles('some.test.ts', source)

test('a title is read in any quotes, in a group, and where it stands for several', () => {
  const source = `
    test('one', () => {})
    describe('a group', () => { it("doesn't", async () => {}) })
    for (const name of names) test(\`\${name}: opens\`, () => {})
    test.each([1, 2])('takes %s', () => {})
    it.each\`a\`('takes a table', () => {})
    test('seen on one screen @phone', () => {})`
  expect(titlesOf(source)).toEqual([
    'one',
    "doesn't",
    '…: opens',
    'takes %s',
    'takes a table',
    'seen on one screen',
  ])
})

test('words elsewhere are no title, nor is a test that does not run', () => {
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
