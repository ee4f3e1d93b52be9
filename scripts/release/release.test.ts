import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isReleased, listReleaseFiles } from './release-files.ts'
import { packagesIn, releaseManifest, type Manifest } from './release-manifest.ts'

const root = join(import.meta.dirname, '..', '..')
const checkout: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const files = await listReleaseFiles(root)
const sources = files.filter((file) => /\.(ts|mjs)$/.test(file))
const imported = new Set(sources.flatMap((file) => packagesIn(readFileSync(join(root, file), 'utf8'))))
const manifest = releaseManifest(checkout, files, imported)

test('a release includes the files of the site, without tests and sources of the web pages', () => {
  expect(files).toEqual(expect.arrayContaining(['server/main.ts', 'server/cli.ts', 'scripts/start.mjs']))
  expect(files.filter((file) => /\.test\.ts$|\.live\.ts$|^web\/|^e2e\/|testing\//.test(file))).toEqual([])
  expect(isReleased('scripts/web-build/build-web.ts')).toBe(false)
})

test('a release contains every file that it imports', () => {
  const has = new Set(files)
  const ours = /(?:from|import)[\s(]*'(#(?:server|contract|demo|scripts)\/|\.\/)([^']+(?<!\.d)\.m?[jt]s)'/g
  const missing = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(ours)]
      .map(([, from = '', path = '']) => (from === './' ? join(dirname(file), path) : from.slice(1) + path))
      .filter((path) => !has.has(path))
      .map((path) => `${file} imports ${path}`),
  )
  expect(missing).toEqual([])
})

test("a release's package.json requires the packages that its code imports, and none for builds or tests", () => {
  expect(Object.keys(manifest.dependencies)).toEqual(
    expect.arrayContaining([
      'fastify',
      'kysely',
      'pg',
      'sharp',
      '@node-rs/argon2',
      '@zxcvbn-ts/language-common',
    ]),
  )
  for (const name of ['vite', '@vitejs/plugin-react', 'react', 'hls.js'])
    expect(manifest.dependencies).not.toHaveProperty(name)
  expect(manifest).not.toHaveProperty('devDependencies')
})

test("a release's package.json keeps operators' scripts and drops developers' scripts", () => {
  expect(Object.keys(manifest.scripts)).toEqual(
    expect.arrayContaining(['start', 'studio', 'import', 'backup', 'restore', 'move']),
  )
  for (const name of ['test', 'bench', 'check', 'build', 'release'])
    expect(manifest.scripts).not.toHaveProperty(name)
})

test.each([
  ["import { a } from 'pg'", ['pg']],
  ["export { a } from '@aws-sdk/client-s3'", ['@aws-sdk/client-s3']],
  ["import 'kysely/helpers/postgres'", ['kysely']],
  ["await import('sharp')", ['sharp']],
  ["require.resolve('@zxcvbn-ts/language-common/src/passwords.json')", ['@zxcvbn-ts/language-common']],
  ["import { b } from './b.ts'; import c from '#server/c.ts'; import 'node:fs'", []],
])('packagesIn finds in %s the packages %j', (source, packages) => {
  expect(packagesIn(source)).toEqual(packages)
})
