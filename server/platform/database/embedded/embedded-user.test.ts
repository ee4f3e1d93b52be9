import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asUser, chooseUser } from './embedded-user.ts'

let closed: string

beforeAll(() => {
  closed = mkdtempSync(join(tmpdir(), 'closed-'))
  writeFileSync(join(closed, 'program'), '', { mode: 0o755 })
})

afterAll(() => rmSync(closed, { recursive: true }))

test('PostgreSQL’s user can run a program in a directory that is closed to it', () => {
  const program = join(closed, 'program')
  const runAs = chooseUser(join(closed, 'none'), [program])
  // Users other than root run PostgreSQL as themselves, in their own directories.
  expect(runAs === undefined).toBe(process.getuid?.() !== 0)
  const script = `require('fs').accessSync(${JSON.stringify(program)}, require('fs').constants.X_OK); process.stdout.write(String(process.getuid()))`
  const { command, args, options } = asUser(runAs, process.execPath, ['-e', script])
  const { status, stdout } = spawnSync(command, args, { ...options, encoding: 'utf8' })
  expect({ status, uid: Number(stdout) }).toEqual({ status: 0, uid: runAs?.uid ?? process.getuid?.() })
})
