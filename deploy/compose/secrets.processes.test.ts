import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#server/platform/config/config.ts'
import { readCompose, type Service } from './read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const given = {
  APP_SECRET: `"a secret": 'of' $1, \`two\` and # three, {long} enough`,
  POSTGRES_PASSWORD: 'a5f0d1',
}
const environmentFiles: Record<string, string>[] = [{}, given]
/** Matches the folders of both volumes of secrets. The tests use one folder for both volumes. */
const secretsFolder = /\/(s3-)?secrets/g
const secretFiles = ['app-secret', 'database-password', 'database-url', 'secret-key']
const filesOfServices = Object.entries(readCompose().services).flatMap(([name, { environment = {} }]) =>
  Object.values(environment).flatMap((value) =>
    String(value).startsWith('/secrets/') ? [{ name, path: String(value) }] : [],
  ),
)

/** Runs the service `secrets` with the values of an .env. @returns the files that are then in the volume */
function runSecrets(volume: string, values: Record<string, string> = {}): Record<string, string> {
  const service = readCompose({ DOMAIN: 'drama.example', ...values }).services['secrets']
  const [program = '', ...args] = service?.command ?? []
  const { status, stdout, stderr } = spawnSync(
    join(root, 'deploy/image', program),
    args.map((argument) => argument.replaceAll(secretsFolder, volume)),
    { env: { PATH: process.env['PATH'], ...toStrings(service?.environment) }, encoding: 'utf8' },
  )
  expect([status, stdout, stderr]).toEqual([0, '', ''])
  return Object.fromEntries(
    readdirSync(volume).map((name) => [name, readFileSync(join(volume, name), 'utf8').trim()]),
  )
}

const toStrings = (environment: Record<string, string | number> = {}) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))

function createVolume(): string {
  const volume = mkdtempSync(join(tmpdir(), 'cliffhanger-secrets-'))
  onTestFinished(() => rmSync(volume, { recursive: true }))
  return volume
}

test('the first start generates secret files that only their owner can read, and a later start keeps the files', () => {
  const volume = createVolume()
  const first = runSecrets(volume)
  expect(Object.keys(first).toSorted()).toEqual(secretFiles)
  const { 'database-password': password = '', 'database-url': url, ...others } = first
  for (const secret of [password, ...Object.values(others)]) expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(Object.values(first)).size).toBe(secretFiles.length)
  expect(url).toBe(`postgres://cliffhanger:${password}@database/cliffhanger`)
  for (const name of secretFiles) expect(statSync(join(volume, name)).mode & 0o777).toBe(0o600)
  expect(runSecrets(volume, { APP_SECRET: '', POSTGRES_PASSWORD: '' })).toEqual(first)
})

test('secrets in .env are stored in files unchanged, and the files remain after the secrets are removed from .env', () => {
  const volume = createVolume()
  const files = runSecrets(volume, given)
  expect(files).toMatchObject({
    'app-secret': given.APP_SECRET,
    'database-password': given.POSTGRES_PASSWORD,
    'database-url': `postgres://cliffhanger:${given.POSTGRES_PASSWORD}@database/cliffhanger`,
  })
  expect(runSecrets(volume)).toEqual(files)
})

test('a secret in .env, such as that of a restored backup, replaces the generated secret, which is kept in app-secret.old', () => {
  const volume = createVolume()
  const generated = runSecrets(volume)
  const { APP_SECRET } = given
  const replaced = { ...generated, 'app-secret': APP_SECRET, 'app-secret.old': generated['app-secret'] }
  expect(runSecrets(volume, { APP_SECRET })).toEqual(replaced)
  expect(runSecrets(volume, { APP_SECRET })).toEqual(replaced)
  expect(statSync(join(volume, 'app-secret.old')).mode & 0o777).toBe(0o600)
})

test.each(['web', 'worker', 'migrate', 'backup'])('the service %s reads the stored secrets', (name) => {
  const volume = createVolume()
  for (const values of environmentFiles) {
    const files = runSecrets(volume, values)
    const service = readCompose({ DOMAIN: 'drama.example', ...values }).services[name]
    // The .env is the env_file of the service, so its secrets are in the environment, too.
    const env = { ...values, DATABASE_URL: 'postgres://elsewhere/', ...toStrings(service?.environment) }
    const inVolume = Object.entries(env).map(([key, value]) => [key, value.replace('/secrets', volume)])
    const config = loadConfig({ ...Object.fromEntries(inVolume), DATA_DIR: createVolume() })
    expect(config.secrets.appSecret).toBe(files['app-secret'])
    expect(config.databaseUrl).toBe(files['database-url'])
  }
})

test.each(filesOfServices)('the service $name mounts $path, which exists', ({ name, path }) => {
  expect(secretFiles).toContain(path.replace('/secrets/', ''))
  expect(readCompose().services[name]?.volumes).toContain('secrets:/secrets:ro')
})

test('every service that mounts secrets starts after the secrets are written, or waits for them', () => {
  const { services } = readCompose()
  const isWaiting = ({ entrypoint = [], command = [] }: Service) =>
    /until \[ -s \/(s3-)?secrets\/[\w-]+ \]/.test([...entrypoint, ...command].join(' '))
  const dependenciesOf = (name: string): string[] =>
    Object.keys(services[name]?.depends_on ?? {}).flatMap((each) => [each, ...dependenciesOf(each)])
  for (const [name, service] of Object.entries(services))
    if (service.volumes?.some((volume) => /^(s3-)?secrets:/.test(volume)) && name !== 'secrets')
      expect(isWaiting(service) || dependenciesOf(name).includes('secrets'), name).toBe(true)
})

test('the service s3 mounts no secret except the key of the store', () => {
  const { volumes = [] } = readCompose().services['s3'] ?? {}
  expect(volumes).toEqual(['buckets:/buckets', 's3-secrets:/s3-secrets:ro'])
})

test('the service s3 creates its bucket and starts the store with the generated key', () => {
  const home = createVolume()
  const volume = join(home, 'secrets')
  const bin = join(home, 'bin')
  for (const folder of [volume, bin]) mkdirSync(folder)
  const store = 'echo "$ROOT_ACCESS_KEY_ID $ROOT_SECRET_ACCESS_KEY $*"'
  writeFileSync(join(bin, 'versitygw'), `#!/bin/sh\n${store}\n`, { mode: 0o755 })
  const files = runSecrets(volume)
  const service = readCompose({ DOMAIN: 'drama.example' }).services['s3']
  const [program = '', ...args] = [...(service?.entrypoint ?? []), ...(service?.command ?? [])]
  const { stdout, stderr } = spawnSync(
    program,
    args.map((argument) =>
      argument.replaceAll(secretsFolder, volume).replaceAll('/buckets', join(home, 'buckets')),
    ),
    { env: { PATH: `${bin}:${process.env['PATH']}`, ...toStrings(service?.environment) }, encoding: 'utf8' },
  )
  const folder = join(home, 'buckets')
  expect(stderr).toBe('')
  expect(stdout).toBe(`cliffhanger ${files['secret-key']} --port :7070 --quiet posix ${folder}\n`)
  expect(existsSync(join(folder, 'store'))).toBe(true)
})

test('the documented settings of the profile s3 match the store', () => {
  const volume = createVolume()
  const files = runSecrets(volume)
  const docs = readFileSync(join(root, 'docs/storage-and-cdn.md'), 'utf8')
  const [lines = ''] = /^COMPOSE_PROFILES=s3\n[^`]*/m.exec(docs) ?? []
  const env = Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.replace(secretsFolder, volume).split('=')),
  )
  const { s3, secrets } = loadConfig({ ...env, DATA_DIR: createVolume() })
  expect(s3).toMatchObject({ endpoint: 'https://drama.example', bucket: 'store', accessKeyId: 'cliffhanger' })
  expect(secrets.s3?.secretAccessKey).toBe(files['secret-key'])
})
