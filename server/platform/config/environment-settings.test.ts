import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { listEffectiveSettings, settingGroups } from './environment-settings.ts'

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

/** Groups of settings that must be set together. Some other settings are read only with such a group. */
const companions = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'site',
  OIDC_CLIENT_SECRET: 'hush',
  S3_ENDPOINT: 'https://s3.example',
  S3_BUCKET: 'site',
  S3_ACCESS_KEY_ID: 'site',
  S3_SECRET_ACCESS_KEY: 'hush',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  PAYPAL_CLIENT_ID: 'site',
  PAYPAL_CLIENT_SECRET: 'hush',
  PAYPAL_WEBHOOK_ID: 'webhook',
}

/** Defaults that, for some settings, are a description and not a value. */
const noValues = new Set(['none', 'off', 'all'])
/** Settings whose default is not constant. */
const variableDefaults = new Set(['DATA_DIR', 'PUBLIC_URL'])

test('the list contains exactly the settings that are read at start', () => {
  const read = new Set<string>()
  const env = new Proxy<Record<string, string>>(
    { DATA_DIR: dataDir, ...companions },
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

/** Reads the names and defaults of a table row, without backticks. A default that all names share is listed once. */
function readRow(row: string): [string, string | undefined][] {
  const [named = '', defaults = ''] = row.slice(2).split(' | ')
  const names = named.replaceAll('`', '').split(', ')
  const each = defaults.replaceAll('`', '').split(', ')
  return names.map((name, index) => [name, each.length === names.length ? each[index] : each.join(', ')])
}

test('docs/configure.md lists each setting in its group, with its default', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configure.md'), 'utf8')
  const documented = Object.fromEntries(
    page
      .split(/^## /m)
      .map((section) => section.split('\n'))
      .filter(([title = '']) => title in settingGroups)
      .map(([title, ...lines]) => [
        title,
        Object.fromEntries(lines.filter((line) => line.startsWith('| `')).flatMap(readRow)),
      ]),
  )
  const known = Object.entries(settingGroups).map(([group, settings]) => [
    group,
    Object.fromEntries(settings.map(({ name, fallback }) => [name, fallback])),
  ])
  expect(documented).toEqual(Object.fromEntries(known))
})

test('a setting with the value of its default has the same effect as no setting', () => {
  const base = { DATA_DIR: dataDir, APP_SECRET: 'a secret of thirty-two characters', ...companions }
  const unset = loadConfig(base)
  const literal = Object.values(settingGroups)
    .flat()
    .filter(
      ({ name, fallback }) => !/\s/.test(fallback) && !noValues.has(fallback) && !variableDefaults.has(name),
    )
  expect(literal.length).toBeGreaterThan(40)
  const changed = literal.filter(
    ({ name, fallback }) => !isDeepStrictEqual(loadConfig({ ...base, [name]: fallback }), unset),
  )
  expect(changed.map(({ name }) => name)).toEqual([])
})

test('shows a setting with its value and source', () => {
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

test('masks secrets, and the passwords within addresses', () => {
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
  const DATABASE_READ_URL = 'postgres://site:hush@one/site,postgres://site:hush@two/site'
  const shownUrls = effective({ DATABASE_READ_URL })['DATABASE_READ_URL']?.value
  expect(shownUrls).toBe(DATABASE_READ_URL.replaceAll('hush', '••••••••'))
})

test('reads a setting from the file in NAME_FILE, and refuses a second value or a missing file', () => {
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
