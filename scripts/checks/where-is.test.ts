import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '../..', 'docs')

/** The rows of "Where is …?": what is looked for, and the file that has it. */
const rows = [
  ...readFileSync(join(docs, 'where-is.md'), 'utf8').matchAll(
    /^\| (?<behaviour>[^|]+) \| (?<words>[^|]+) \| \[.+\]\((?<file>.+)\) \|$/gm,
  ),
].map(({ groups }) => ({
  behaviour: groups?.['behaviour'] ?? '',
  words: groups?.['words']?.toLowerCase() ?? '',
  file: groups?.['file'] ?? '',
}))

/** Files whose name does not say what they do, until they are renamed. This list may only get shorter. */
const foundByTextOnly = [
  'assign-arm.ts',
  'close-for-viewers.ts',
  'match-words.ts',
  'one-time-codes.ts',
  'passes.ts',
  'seal.ts',
  'settle-returned.ts',
  'sound-chain.ts',
  'take-notification.ts',
]

test('names at least thirty behaviours, each with a file that exists', () => {
  expect(rows.length).toBeGreaterThanOrEqual(30)
  expect(rows.filter(({ file }) => !existsSync(join(docs, file)))).toEqual([])
})

test('each file has the words that are looked for', () => {
  const without = rows.filter(
    ({ words, file }) =>
      !basename(file).toLowerCase().includes(words) &&
      !readFileSync(join(docs, file), 'utf8').toLowerCase().includes(words),
  )
  expect(without).toEqual([])
})

test('all but the listed files are found by their names', () => {
  const byText = rows.filter(({ words, file }) => !basename(file).toLowerCase().includes(words))
  expect(byText.map(({ file }) => basename(file)).toSorted()).toEqual(foundByTextOnly)
})
