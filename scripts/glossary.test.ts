import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The words of the glossary's second table, each as the words of a name: "give-up" is `give up`. */
const refused = [
  ...(readFileSync(join(root, 'docs/glossary.md'), 'utf8').split('\n## ')[1] ?? '').matchAll(
    /^\| ([^|]+) \| [^|]+ \|$/gm,
  ),
]
  .slice(1)
  .flatMap(([, words = '']) => words.split(', '))
  .map((word) => word.replaceAll('-', ' '))

/** The words of a file's name: `use-way-on.test.ts` and `WayOut.tsx` both have "way". */
const wordsOf = (file: string) =>
  basename(file)
    .replace(/\..*$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()

const isRefused = (file: string) => refused.some((word) => ` ${wordsOf(file)} `.includes(` ${word} `))

/** Files that are still to be renamed. This list may only get shorter. */
const stillNamedSo = new Set(
  `
e2e/extra-rung.spec.ts
e2e/give-up-mail.ts
e2e/own-player.spec.ts
e2e/studio-running.spec.ts
web/features/billing/WayOut.tsx
web/features/billing/Ways.tsx
web/features/billing/person.ts
web/features/billing/use-person.ts
web/features/billing/way-back.ts
web/features/billing/ways.module.css
web/features/billing/wish.ts
web/features/members/use-way-on.ts
web/player/head-start.ts
web/player/hls-soon.ts
web/player/judge-failure.ts
web/player/own-player.ts
web/player/watch-standstill.ts
web/studio/content/DeskPlayer.tsx
web/studio/homepage/kept-draft.test.ts
web/studio/homepage/kept-draft.ts
web/studio/people/PersonName.tsx
web/studio/people/PersonPage.tsx
web/studio/running/RunningScreen.tsx
web/studio/running/running.module.css
web/studio/team/deed-words.test.ts
web/studio/team/deed-words.ts
`
    .trim()
    .split(/\s+/),
)

test('no file is named with a word that the glossary refuses', () => {
  const files = globSync(
    '{bench,contract,demo,deploy,docs,e2e,scripts,server,web}/**/*.{ts,tsx,mjs,css,json,md}',
    {
      cwd: root,
      exclude: ['**/node_modules/**'],
    },
  )
  expect(files.length).toBeGreaterThan(1000)
  const named = files.filter(isRefused).toSorted()
  expect(named.filter((file) => !stillNamedSo.has(file))).toEqual([])
  expect([...stillNamedSo].filter((file) => !named.includes(file))).toEqual([])
})

test('a word is refused by itself, not as a part of another', () => {
  expect(['web/lib/way-back.ts', 'web/WayOut.tsx', 'server/give-up-mail.ts'].filter(isRefused)).toHaveLength(
    3,
  )
  expect(['server/gateway.ts', 'server/harmless.ts', 'web/give.ts'].filter(isRefused)).toEqual([])
})
