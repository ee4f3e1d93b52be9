import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test } from 'vitest'
import { changeUser } from '#contract/members.ts'
import {
  isRunning,
  listProcessTree,
  signalIfRunning,
  type TreeProcess,
} from '#server/testing/site/process-tree.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { freePort } from '#server/testing/site/free-port.ts'

/** Time-out of each wait, long enough for a busy machine. stop-signals.ts and run-child.mjs limit the time of a stop. */
const timeoutMs = 240_000
const root = join(import.meta.dirname, '..')
// Shared by all tests, so that only one cluster is created.
const home = mkdtempSync(join(tmpdir(), 'cliffhanger-stop-'))
const running = new Set<TreeProcess>()

afterEach(() => {
  for (const each of running) if (isRunning(each)) signalIfRunning(each.pid, 'SIGKILL')
  running.clear()
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Patterns for the command lines of the processes of `npm start`. */
const roles = {
  npm: /^npm/,
  'scripts/start.mjs': /scripts\/start\.mjs/,
  'server/main.ts': /server\/main\.ts/,
  'server/worker.ts': /server\/worker\.ts/,
  PostgreSQL: /postgres -D/,
  ffmpeg: /ffmpeg .*-i /,
}
type Role = keyof typeof roles

/** The exit code and signal of npm. */
type End = [number | null, NodeJS.Signals | null]
const inOrder: End = [0, null]

test.each<[NodeJS.Signals, Role, End]>([
  ['SIGINT', 'npm', inOrder],
  ['SIGTERM', 'npm', inOrder],
  // npm does not wait for its child on this signal.
  ['SIGHUP', 'npm', [null, 'SIGHUP']],
  ['SIGTERM', 'scripts/start.mjs', inOrder],
  ['SIGTERM', 'server/main.ts', inOrder],
  ['SIGTERM', 'PostgreSQL', inOrder],
])(
  '%s to %s completes the current request and stops every process of npm start',
  { timeout: 4 * timeoutMs },
  async (signal, role, end) => {
    const site = await startSite({ DEMO: '0' })
    const { target } = findIn(site.npm, role)
    await expectCleanStop(site, () => process.kill(target.pid, signal), end)
  },
)

test(
  'Ctrl-C completes the current request and stops every process of npm start',
  { timeout: 4 * timeoutMs },
  async () => {
    const site = await startSite({ DEMO: '0' })
    await expectCleanStop(site, () => pressCtrlC(site.npm), inOrder)
  },
)

test(
  'a second Ctrl-C stops every process of npm start without waiting for the current request',
  { timeout: 4 * timeoutMs },
  async () => {
    const site = await startSite({ DEMO: '0' })
    await beginRequest(site.port)
    const tree = treeOf(site.npm)
    const pressUntilEnded = () => {
      if (site.npm.exitCode === null) pressCtrlC(site.npm)
      return !tree.some(isRunning)
    }
    await waitUntil('every process has ended', pressUntilEnded, timeoutMs)
    // If Ctrl-C arrives after the site has exited, the signal ends npm itself. A shell reports 130 in both cases.
    expect([
      [130, null],
      [null, 'SIGINT'],
    ]).toContainEqual(await site.end)
    expect(databaseLog()).toMatch(/database system is shut down\n$/)
  },
)

test(
  'SIGTERM to the worker while ffmpeg runs stops every process of npm start',
  { timeout: 4 * timeoutMs },
  async () => {
    const site = await startSite({ DEMO: '1' })
    await waitUntil('ffmpeg runs', () => treeOf(site.npm).some(isA('ffmpeg')), timeoutMs)
    const { target, tree } = findIn(site.npm, 'server/worker.ts')
    process.kill(target.pid, 'SIGTERM')
    await ended(tree)
    expect(await site.end).toEqual(inOrder)
    expect(databaseLog()).toMatch(/database system is shut down\n$/)
  },
)

test(
  'npm start restarts the site when its process is killed, and stops it at SIGTERM',
  { timeout: 4 * timeoutMs },
  async () => {
    const site = await startSite({ DEMO: '0' })
    const { target: killed } = findIn(site.npm, 'server/main.ts')
    process.kill(killed.pid, 'SIGKILL')
    const isReplaced = () =>
      treeOf(site.npm).some((each) => isA('server/main.ts')(each) && each.pid !== killed.pid)
    await waitUntil('another process of the site runs', isReplaced, timeoutMs)
    await waitUntil('the site answers again', site.isReady, timeoutMs)
    await waitUntil('its worker runs', () => treeOf(site.npm).some(isA('server/worker.ts')), timeoutMs)
    expect(site.printed()).toContain('The site exited with status 137. Restarting it in 1 s.')
    const { target, tree } = findIn(site.npm, 'npm')
    process.kill(target.pid, 'SIGTERM')
    await ended(tree)
    expect(await site.end).toEqual(inOrder)
    expect(statSync(join(home, 'storage')).mode & 0o777).toBe(0o700)
  },
)

/** Sends SIGINT to all processes of npm start at once, as a terminal does. They may all have ended meanwhile. */
function pressCtrlC({ pid }: ChildProcess): void {
  if (pid !== undefined) signalIfRunning(-pid, 'SIGINT')
}

/**
 * Stops a site during a request. The request must be answered, every process must end, and the database must shut down
 * cleanly.
 */
async function expectCleanStop(site: RunningSite, stop: () => void, end: End): Promise<void> {
  const request = await beginRequest(site.port)
  const tree = treeOf(site.npm)
  stop()
  await waitUntil('the site is closed', async () => !(await isReachable(site.url)), timeoutMs)
  expect(await request.finish()).toMatch(/^HTTP\/1.1 200 /)
  await ended(tree)
  expect(await site.end).toEqual(end)
  expect(databaseLog()).toMatch(/database system is shut down\n$/)
}

const isA =
  (role: Role) =>
  ({ command }: TreeProcess) =>
    roles[role].test(command)

function treeOf(npm: ChildProcess): TreeProcess[] {
  const tree = npm.pid === undefined ? [] : listProcessTree(npm.pid)
  for (const each of tree) running.add(each)
  return tree
}

function findIn(npm: ChildProcess, role: Role): { target: TreeProcess; tree: TreeProcess[] } {
  const tree = treeOf(npm)
  const target = tree.find(isA(role))
  if (!target) throw new Error(`There is no ${role}: ${tree.map(({ command }) => command).join('\n')}`)
  return { target, tree }
}

const ended = (tree: readonly TreeProcess[]) =>
  waitUntil('every process has ended', () => !tree.some(isRunning), timeoutMs)

const databaseLog = () => readFileSync(join(home, 'postgres', 'postgres.log'), 'utf8')

type RunningSite = Awaited<ReturnType<typeof startSite>>

/** Runs `npm start` as an operator does, without the environment of the npm that runs the tests. */
async function startSite(settings: Record<string, string>) {
  const port = await freePort()
  const { PATH, HOME } = process.env
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH, HOME, ENV_FILE: '', DATA_DIR: home, PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, as for a command that is typed in a terminal.
    detached: true,
  })
  const end = once(npm, 'exit')
  let printed = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (printed += String(chunk)))
  const url = `http://127.0.0.1:${port}`
  const isReady = () => {
    treeOf(npm)
    if (npm.exitCode !== null) throw new Error(`npm start exited: ${printed}`)
    return isReachable(`${url}/api/ready`)
  }
  await waitUntil('the site is ready', isReady, timeoutMs)
  return { npm, end, port, url: `${url}/api/health`, isReady, printed: () => printed }
}

/** Sends a request that writes to the database, except for the last byte of its body, for which the site then waits. */
async function beginRequest(port: number): Promise<{ finish(): Promise<string> }> {
  const visitor = new Visitor(`http://127.0.0.1:${port}`)
  await (await visitor.fetch('/api/user')).text()
  const body = JSON.stringify({ display_name: 'In no hurry' })
  const head = [
    `${changeUser.method} ${changeUser.path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Cookie: ${visitor.cookie}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [firstData] = await once(socket, 'data')
  expect(String(firstData)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(body.slice(0, -1))
  return {
    finish() {
      socket.write(body.slice(-1))
      return text(socket)
    },
  }
}
