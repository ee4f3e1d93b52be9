import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-config-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

const secret = 'a secret of thirty-two characters'

function showConfig(settings: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'show-config.ts')],
    {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, APP_SECRET: secret, ...settings },
      encoding: 'utf8',
    },
  )
  return { status, stdout, stderr }
}

test('prints the settings with their sources but without secrets, and lists the unknown names in .env', () => {
  const { status, stdout, stderr } = showConfig({ PORT: '3100', ENV_FILE_SETTINGS: 'PORT,SMTP_ADDRESS' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ {2}PORT +\.env +3100$/m)
  expect(stdout).toMatch(/^ {2}HOST +default +127\.0\.0\.1$/m)
  expect(stdout).toMatch(/^ {2}APP_SECRET +environment +•+$/m)
  expect(stdout).not.toContain(secret)
  expect(stdout).toMatch(/\nIn \.env, but no setting of Cliffhanger: SMTP_ADDRESS\n$/)
})

test('exits with status 1 and a sentence about an invalid setting', () => {
  expect(showConfig({ PORT: 'abc' })).toEqual({
    status: 1,
    stdout: '',
    stderr: 'PORT must be a whole number from 1 to 65535, not "abc".\n',
  })
})
