import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { commandLineOf } from './command-line-of.mjs'
import { listReleaseFiles } from './release/release-files.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
afterEach(() => vi.unstubAllEnvs())

test.each([
  [['migrate'], 'npm run migrate', 'cliffhanger migrate'],
  [['studio', 'order list'], 'npm run studio -- order list', 'cliffhanger studio order list'],
  [['start', '--help'], 'npm start -- --help', 'node scripts/start.mjs --help'],
] as const)(
  '%j is typed as %j in a checkout, and as %j in the image',
  ([script, args], inCheckout, inImage) => {
    vi.stubEnv('OPERATOR_COMMAND', undefined)
    expect(commandLineOf(script, args)).toBe(inCheckout)
    vi.stubEnv('OPERATOR_COMMAND', 'cliffhanger')
    expect(commandLineOf(script, args)).toBe(inImage)
  },
)

test.each([
  ['server/cli.ts', ['studio', 'order', 'list', '--help'], 'Usage: cliffhanger studio order list '],
  ['server/migrate.ts', ['--help'], 'Usage: cliffhanger migrate [options]\n'],
])('%s %j prints the usage in the image', (file, args, usage) => {
  const env = { ...process.env, OPERATOR_COMMAND: 'cliffhanger' }
  const { stdout } = spawnSync(process.execPath, [file, ...args], { cwd: root, env, encoding: 'utf8' })
  expect(stdout.slice(0, usage.length)).toBe(usage)
})

test.each([
  'Dockerfile',
  'deploy/systemd/cliffhanger',
  'deploy/systemd/cliffhanger-web.service',
  'deploy/systemd/cliffhanger-worker.service',
])('%s sets OPERATOR_COMMAND', (file) => {
  expect(read(file)).toMatch(/^(ENV|Environment=| +-E).*\bOPERATOR_COMMAND=cliffhanger\b/m)
})

test('messages of a release name npm scripts only by commandLineOf', async () => {
  const sources = (await listReleaseFiles(root)).filter((file) =>
    /^(server|scripts)\/.*\.(ts|mjs)$/.test(file),
  )
  const naming = sources.filter(
    (file) =>
      !file.endsWith('command-line-of.mjs') &&
      /^(?! *(\/\/|\/?\*)).*\bnpm (run|start|test)\b/m.test(read(file)),
  )
  expect(naming).toEqual([])
})
