import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadEnvFile } from './env-file.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-env-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('reads .env; existing environment variables take precedence', () => {
  writeFileSync(join(root, '.env'), '# Where people reach it\nPUBLIC_URL="https://drama.example"\nPORT=80\n')
  const env = { PORT: '3000' }
  loadEnvFile(root, env)
  expect(env).toEqual({ PORT: '3000', PUBLIC_URL: 'https://drama.example', ENV_FILE_SETTINGS: 'PUBLIC_URL' })
})

test('changes nothing without a file', () => {
  const env = {}
  loadEnvFile(root, env)
  expect(env).toEqual({})
})

test('ENV_FILE names another file, which must exist', () => {
  writeFileSync(join(root, 'site.env'), 'PORT=80\n')
  const env: Record<string, string> = { ENV_FILE: 'site.env' }
  loadEnvFile(root, env)
  expect(env['PORT']).toBe('80')
  expect(() => loadEnvFile(root, { ENV_FILE: 'missing.env' })).toThrow(
    /missing\.env can't be read \(ENOENT\)/,
  )
})

test('an empty ENV_FILE reads no file', () => {
  writeFileSync(join(root, '.env'), 'PORT=80\n')
  const env: Record<string, string> = { ENV_FILE: '' }
  loadEnvFile(root, env)
  expect(env['PORT']).toBeUndefined()
})
