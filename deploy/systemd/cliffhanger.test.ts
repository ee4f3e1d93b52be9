import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const bin = mkdtempSync(join(tmpdir(), 'cliffhanger-systemd-run-'))
// A fake systemd-run that prints its arguments.
writeFileSync(join(bin, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
afterAll(() => rmSync(bin, { recursive: true }))

/** Returns the arguments that the operator's command passes to systemd-run. */
function run(args: string[], env: Record<string, string> = {}): string[] {
  const command = join(import.meta.dirname, 'cliffhanger')
  const printed = execFileSync(command, args, {
    env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return printed.trimEnd().split('\n')
}

test.each([
  [['migrate'], ['server/migrate.ts']],
  [['config'], ['server/show-config.ts']],
  [
    ['studio', 'operator', 'add', 'you@drama.example'],
    ['server/cli.ts', 'studio', 'operator', 'add', 'you@drama.example'],
  ],
  [
    ['backup', '/var/backups/a folder'],
    ['server/cli.ts', 'backup', '/var/backups/a folder'],
  ],
])('cliffhanger %j runs %j of the release', (typed, expected) => {
  const args = run(typed)
  const at = args.indexOf('scripts/with-setup.mjs')
  expect(args[at - 1]).toBe('/opt/cliffhanger/bin/node')
  expect(args.slice(at + 1)).toEqual(expected)
  for (const file of ['scripts/with-setup.mjs', expected[0] ?? ''])
    expect(existsSync(join(root, file))).toBe(true)
})

test("a command runs as the site's user with the site's settings and files", () => {
  expect(run(['config'])).toEqual(
    expect.arrayContaining([
      'User=cliffhanger',
      'EnvironmentFile=/etc/cliffhanger/env',
      'WorkingDirectory=/opt/cliffhanger',
      'DATA_DIR=/var/lib/cliffhanger',
      'CacheDirectory=cliffhanger',
      'NODE_COMPILE_CACHE=/var/cache/cliffhanger',
    ]),
  )
})

test('the environment variable CLIFFHANGER names the folder of another release', () => {
  const args = run(['migrate'], { CLIFFHANGER: '/opt/cliffhanger-2.0.0' })
  expect(args).toContain('/opt/cliffhanger-2.0.0/bin/node')
  expect(args).toContain('WorkingDirectory=/opt/cliffhanger-2.0.0')
})
