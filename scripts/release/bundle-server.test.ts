import { expect, test } from 'vitest'
import { replacePaths } from './bundle-server.ts'

const added: string[] = []
const replace = (code: string) =>
  replacePaths(code, 'server/platform/storage/disk.ts', (module) => {
    added.push(module)
    return 'module.js'
  })

test.each([
  ["join(import.meta.dirname, 'texts')", "join((import.meta.dirname + '/../platform/storage'), 'texts')"],
  [
    'createRequire(import.meta.url)',
    "createRequire(new URL('../platform/storage/disk.ts', import.meta.url).href)",
  ],
  [
    "import.meta.resolve('swagger-ui-dist/package.json')",
    "import.meta.resolve('swagger-ui-dist/package.json')",
  ],
])('a bundled module finds its files: %s becomes %s', (source, bundled) => {
  expect(replace(source)).toBe(bundled)
})

test('a module that runs in a thread is added to the bundle', () => {
  expect(replace("new Worker(new URL('../threads/hash.ts', import.meta.url))")).toBe(
    "new Worker(new URL('./module.js', import.meta.url))",
  )
  expect(added).toEqual(['server/platform/threads/hash.ts'])
})

test.each(['import.meta.filename', "import.meta.resolve('./texts')", 'import.meta.resolve(name)'])(
  'refuses %s, which would fail only in a release',
  (source) => {
    expect(() => replace(source)).toThrow(`server/platform/storage/disk.ts uses import.meta`)
  },
)
