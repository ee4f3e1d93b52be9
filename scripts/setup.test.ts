import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countInstalled } from './setup.mjs'

const packages = {
  'node_modules/player': { version: '1.0.0' },
  'node_modules/test-tool': { version: '2.0.0', dev: true },
}
const lock = JSON.stringify({ packages })

/** Replaces npm: records its arguments, and installs the packages as npm would. */
const fakeNpm = `
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
const [command, ...options] = process.argv.slice(2)
appendFileSync('npm-commands', command + '\\n')
const packages = ${lock}.packages
if (command === 'ci') rmSync('node_modules', { recursive: true, force: true })
for (const [place, { dev }] of Object.entries(packages)) {
  if (dev && options.includes('--omit=dev')) { delete packages[place]; continue }
  mkdirSync(place, { recursive: true })
  writeFileSync(place + '/package.json', '{}')
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

let checkout: string

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'cliffhanger-checkout-'))
  cpSync(import.meta.dirname, join(checkout, 'scripts'), { recursive: true })
  writeFileSync(join(checkout, 'package-lock.json'), lock)
  writeFileSync(join(checkout, 'npm.js'), fakeNpm)
  writeFileSync(join(checkout, 'package.json'), '{ "type": "module" }')
})
afterEach(() => rmSync(checkout, { recursive: true }))

function setUp(mode: 'run' | 'full'): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `await (await import('./scripts/setup.mjs')).setUp('${mode}')`],
    { cwd: checkout, env: { ...process.env, npm_execpath: join(checkout, 'npm.js') }, encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
}

const commands = () => readFileSync(join(checkout, 'npm-commands'), 'utf8').trim().split('\n')
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true })
  writeFileSync(join(checkout, path), text)
}

test('adds the test tools without removing packages from a running site', () => {
  setUp('run')
  write('node_modules/player/ffmpeg', 'in use')
  setUp('full')
  expect(existsSync(join(checkout, 'node_modules/player/ffmpeg'))).toBe(true)
  expect(existsSync(join(checkout, 'node_modules/test-tool/package.json'))).toBe(true)
  expect(commands()).toEqual(['ci', 'install'])
})

test('installs nothing twice', () => {
  setUp('full')
  setUp('run')
  setUp('full')
  expect(commands()).toEqual(['ci'])
})

test('replaces the packages of another lockfile', () => {
  setUp('run')
  write('node_modules/removed/index.js', '')
  writeFileSync(join(checkout, 'package-lock.json'), lock.replace('1.0.0', '1.0.1'))
  setUp('run')
  expect(commands()).toEqual(['ci', 'ci'])
  expect(existsSync(join(checkout, 'node_modules/removed'))).toBe(false)
})

test('counts only packages that npm has unpacked, not the empty folders that it creates first', () => {
  mkdirSync(join(checkout, 'node_modules/test-tool'), { recursive: true })
  write('node_modules/player/package.json', '{}')
  expect(countInstalled(Object.keys(packages), checkout)).toBe(1)
})
