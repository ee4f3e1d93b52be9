import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The forbidden words in the second table of the glossary, with spaces for hyphens: "give-up" becomes `give up`. */
const refused = [
  ...(readFileSync(join(root, 'docs/glossary.md'), 'utf8').split('\n## ')[1] ?? '').matchAll(
    /^\| ([^|]+) \| [^|]+ \|$/gm,
  ),
]
  .slice(1)
  .flatMap(([, words = '']) => words.split(', '))
  .map((word) => word.replaceAll('-', ' '))

/** Splits the name of a file into words: `use-way-on.test.ts`, `en.way.json` and `WayOut.tsx` all contain "way". */
const wordsOf = (file: string) =>
  basename(file)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll(/[-_.]/g, ' ')
    .toLowerCase()

const isRefused = (file: string) => refused.some((word) => ` ${wordsOf(file)} `.includes(` ${word} `))

test('no file name contains a word that the glossary forbids', () => {
  const files = globSync(
    '{bench,contract,demo,deploy,docs,e2e,scripts,server,web}/**/*.{ts,tsx,mjs,css,json,md}',
    {
      cwd: root,
      exclude: ['**/node_modules/**'],
    },
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(files.filter(isRefused)).toEqual([])
})

test('forbids a whole word, not part of another word', () => {
  const forbidden = ['web/lib/way-back.ts', 'web/WayOut.tsx', 'server/give-up-mail.ts', 'web/en.way.json']
  expect(forbidden.filter(isRefused)).toEqual(forbidden)
  expect(['server/gateway.ts', 'server/harmless.ts', 'web/give.ts'].filter(isRefused)).toEqual([])
})
