import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '../..', 'docs')

/** The rows of "Where is …?": a behaviour, and its file. */
const rows = [
  ...readFileSync(join(docs, 'where-is.md'), 'utf8').matchAll(
    /^\| (?<behaviour>[^|]+) \| (?<words>[^|]+) \| \[.+\]\((?<file>.+)\) \|$/gm,
  ),
].map(({ groups }) => ({
  behaviour: groups?.['behaviour'] ?? '',
  words: groups?.['words']?.toLowerCase() ?? '',
  file: groups?.['file'] ?? '',
}))

test('names at least thirty behaviours, each with a file that exists', () => {
  expect(rows.length).toBeGreaterThanOrEqual(30)
  expect(rows.filter(({ file }) => !existsSync(join(docs, file)))).toEqual([])
})

test('each file or its name contains the search words', () => {
  const without = rows.filter(
    ({ words, file }) =>
      !basename(file).toLowerCase().includes(words) &&
      !readFileSync(join(docs, file), 'utf8').toLowerCase().includes(words),
  )
  expect(without).toEqual([])
})

test('the name of each file contains the search words', () => {
  const byText = rows.filter(({ words, file }) => !basename(file).toLowerCase().includes(words))
  expect(byText).toEqual([])
})
