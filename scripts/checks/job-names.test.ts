import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const jobs = globSync('server/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/name: '([a-z-]+)',\s+everySeconds:/g),
  ])
  .map(([, name]) => name)
  .toSorted()

test.each(['en', 'dy'])('every scheduled job has a name in the studio: %s', (language) => {
  const texts = JSON.parse(readFileSync(join(root, `web/studio/texts/${language}.system.json`), 'utf8')) as {
    system: { jobName: object }
  }
  expect(Object.keys(texts.system.jobName).toSorted()).toEqual(jobs)
})
