import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { listEffectiveSettings, settingGroups } from './settings.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-settings-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

const names = Object.values(settingGroups)
  .flat()
  .map(({ name }) => name)
const effective = (env: Record<string, string>) =>
  Object.fromEntries(
    listEffectiveSettings(env)
      .flatMap(({ settings }) => settings)
      .map(({ name, value, source }) => [name, { value, source }]),
  )

test('the list has each setting that a start reads, and no other', () => {
  const read = new Set<string>()
  const env = new Proxy<Record<string, string>>(
    {
      DATA_DIR: dataDir,
      // Some settings are read only with others.
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'site',
      OIDC_CLIENT_SECRET: 'hush',
      S3_ENDPOINT: 'https://s3.example',
      S3_BUCKET: 'site',
      S3_ACCESS_KEY_ID: 'site',
      S3_SECRET_ACCESS_KEY: 'hush',
    },
    {
      get(target, name: string) {
        if (!name.endsWith('_FILE')) read.add(name)
        return target[name]
      },
    },
  )
  loadConfig(env)
  expect(names.toSorted()).toEqual([...read].toSorted())
})

test('docs/operating.md says what each setting does', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  const documented = new Set(rows.flatMap((row) => row.split(' | ')[0]?.match(/[A-Z0-9_]{4,}/g) ?? []))
  expect(names.filter((name) => !documented.has(name))).toEqual([])
})

test('a setting is shown with its value and where it comes from', () => {
  const shown = effective({
    PORT: '80',
    HOST: '0.0.0.0',
    ENV_FILE_SETTINGS: 'HOST',
    APP_SECRET_FILE: '/run/secrets/app',
  })
  expect(shown).toMatchObject({
    PORT: { value: '80', source: 'environment' },
    HOST: { value: '0.0.0.0', source: '.env' },
    APP_SECRET: { value: 'in /run/secrets/app', source: 'file' },
    LOG_LEVEL: { value: 'info', source: 'default' },
  })
})

test('secrets and the passwords in addresses are masked', () => {
  const env = { STRIPE_SECRET_KEY: 'sk_live_1', DATABASE_URL: 'postgres://site:hush@db/site' }
  const shown = effective(env)
  expect(shown['STRIPE_SECRET_KEY']?.value).toBe('••••••••')
  expect(shown['DATABASE_URL']?.value).toMatch(/^postgres:\/\/site:.*@db\/site$/)
  expect(JSON.stringify(shown)).not.toMatch(/hush|sk_live/)
  for (const DATABASE_URL of [
    'postgres://site@db/site?password=hush',
    'postgres://site:hush@db/%E0%A4',
    'hush',
  ])
    expect(JSON.stringify(effective({ DATABASE_URL }))).not.toContain('hush')
})

test('every setting may be in a file that NAME_FILE names', () => {
  const file = join(dataDir, 'secret')
  const secret = 'a secret of thirty-two characters'
  writeFileSync(file, `${secret}\n`)
  expect(loadConfig({ DATA_DIR: dataDir, APP_SECRET_FILE: file }).secrets.appSecret).toBe(secret)
  expect(() => loadConfig({ DATA_DIR: dataDir, APP_SECRET: secret, APP_SECRET_FILE: file })).toThrow(
    'APP_SECRET and APP_SECRET_FILE are both set: remove one.',
  )
  expect(() => loadConfig({ DATA_DIR: dataDir, APP_SECRET_FILE: `${file}-missing` })).toThrow(
    /^APP_SECRET_FILE names .*secret-missing, which can't be read \(ENOENT\)\.$/,
  )
})
