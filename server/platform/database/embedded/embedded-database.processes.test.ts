import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { isDatabaseUnavailable } from '#server/platform/database/database-unavailable.ts'
import { startEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.ts'
import { watchForStopSignals } from './embedded-process.ts'
import { findPostmaster } from './postmaster-file.ts'
import { SupervisedPool } from '#server/platform/database/supervised-pool.ts'
import { thisProcess } from '#server/platform/processes/lock-file.ts'
import { createLog } from '#server/platform/log.ts'

const log = createLog({ json: true, level: 'silent' })
const pollOptions = { timeout: 240_000, interval: 10 }
const dirs: string[] = []
const servers: EmbeddedDatabase[] = []
const writers: ChildProcess[] = []

// Most tests share one data directory with rows in it, because creating a cluster takes seconds.
const shared = newDir()
const strangers = newDir()

beforeAll(async () => {
  const writer = await startWriter(shared)
  await killed(writer.process)
  await stopped(shared)
})

afterEach(async () => {
  for (const writer of writers.splice(0)) await killed(writer)
  for (const server of servers.splice(0)) await server.stop()
  for (const dir of dirs) await stopped(dir)
})

afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

describe('a server whose owner is killed', () => {
  test('has every acknowledged row after a restart', async () => {
    const writer = await startWriter(shared)
    const first = writer.acknowledged()
    await vi.waitUntil(() => writer.acknowledged() >= first + 200, pollOptions)
    await killed(writer.process)
    const server = await start(shared)
    expect(await countRows(server)).toBeGreaterThanOrEqual(writer.acknowledged())
  })

  test('is not stopped by another process that uses it, and is restarted by that process', async () => {
    const writer = await startWriter(shared)
    const adopter = await start(shared)
    const adopted = postmasterOf(shared)
    await adopter.stop()
    const before = writer.acknowledged()
    await vi.waitUntil(() => writer.acknowledged() > before, pollOptions)
    expect(postmasterOf(shared)).toBe(adopted)
    await killed(writer.process)
    await adopter.ensureRunning()
    expect(postmasterOf(shared)).not.toBe(adopted)
    expect(await countRows(adopter)).toBeGreaterThanOrEqual(writer.acknowledged())
  })
})

describe('files of a dead server do not prevent a start', () => {
  const ended = spawnSync('true').pid
  /** Starts an unrelated process of the same user, which PostgreSQL would mistake for the files' owner. */
  const startStranger = async () => {
    await start(strangers)
    return postmasterOf(strangers)
  }
  const serverFile = (pid: number | undefined) =>
    [pid, clusterOf(shared), 1, 5432, join(shared, 'postgres', 'socket'), '', '1 1', 'ready', ''].join('\n')

  test.each([
    ['the id of its dead process', async () => ended],
    ['an id that another program has now', startStranger],
  ])('postmaster.pid with %s', async (_, findPid) => {
    await (await start(shared)).stop()
    writeFileSync(join(clusterOf(shared), 'postmaster.pid'), serverFile(await findPid()))
    writeFileSync(join(shared, 'postgres', 'owner.json'), JSON.stringify(thisProcess()))
    const server = await start(shared)
    expect(await countRows(server)).toBeGreaterThan(0)
  })

  test('a socket’s lock whose process id is in use again, and an empty postmaster.pid', async () => {
    await (await start(shared)).stop()
    const lock = join(shared, 'postgres', 'socket', '.s.PGSQL.5432.lock')
    writeFileSync(lock, serverFile(await startStranger()))
    writeFileSync(join(clusterOf(shared), 'postmaster.pid'), '')
    const server = await start(shared)
    expect(await countRows(server)).toBeGreaterThan(0)
  })

  test.each([
    ['a dead process', { pid: ended, started: '1', note: '' }],
    ['a process whose id is used again', { pid: process.pid, started: '1', note: '' }],
  ])('a start lock of %s', async (_, holder) => {
    writeFileSync(join(shared, 'postgres', 'start.lock'), JSON.stringify(holder))
    const server = await start(shared)
    expect(await countRows(server)).toBeGreaterThan(0)
  })
})

test('two processes that start concurrently on a new directory share one server', async () => {
  const dir = newDir()
  const [writer, server] = await Promise.all([startWriter(dir), start(dir)])
  const other = await start(dir)
  const before = writer.acknowledged()
  await vi.waitUntil(() => writer.acknowledged() > before, pollOptions)
  expect(await countRows(server)).toBeGreaterThanOrEqual(before)
  expect(await countRows(other)).toBeGreaterThanOrEqual(before)
})

test('a pool continues after the server is killed, and no acknowledged row is lost', async () => {
  const server = await start(shared)
  const pool = new SupervisedPool({ ...server.connection, max: 4 }, server.ensureRunning, log)
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  await pool.query('CREATE TABLE acknowledged (number int PRIMARY KEY)')
  const acknowledged: number[] = []
  let next = 0
  let refused = 0
  const write = async () => {
    while (acknowledged.length < 400) {
      const number = next++
      await pool.query('INSERT INTO acknowledged VALUES ($1)', [number]).then(
        () => acknowledged.push(number),
        () => refused++,
      )
    }
  }
  const writing = Promise.all(Array.from({ length: 4 }, write))
  await vi.waitUntil(() => acknowledged.length >= 100, pollOptions)
  const first = postmasterOf(shared)
  process.kill(first ?? 0, 'SIGKILL')
  await writing
  const { rows } = await pool.query<{ number: number }>('SELECT number FROM acknowledged')
  await pool.end()
  expect(postmasterOf(shared)).not.toBe(first)
  expect(refused).toBeLessThanOrEqual(20)
  expect(rows.map(({ number }) => number)).toEqual(expect.arrayContaining(acknowledged))
})

test.each([
  ['exits at its start', join('18', 'global', 'pg_control')],
  ['cannot be run', 'postgres.log'],
])(
  'if a stopped server %s, the pool reports the database as unavailable, and works again once the server can start',
  async (_, file) => {
    const server = await start(shared)
    const pool = new SupervisedPool({ ...server.connection, max: 1 }, server.ensureRunning, log)
    pool.on('error', () => {})
    const path = join(shared, 'postgres', file)
    renameSync(path, `${path}.aside`)
    mkdirSync(path)
    process.kill(postmasterOf(shared) ?? 0, 'SIGKILL')
    await stopped(shared)
    await expect(pool.query('SELECT 1')).rejects.toSatisfy(isDatabaseUnavailable)
    await expect(pool.query('SELECT 1')).rejects.toSatisfy(isDatabaseUnavailable)
    rmdirSync(path)
    renameSync(`${path}.aside`, path)
    expect((await pool.query('SELECT 1')).rowCount).toBe(1)
    await pool.end()
  },
)

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('an owner stops when its server gets %s', async (signal) => {
  await start(shared)
  const stopped = Promise.withResolvers<string | number | undefined>()
  const kill = process.kill.bind(process)
  vi.spyOn(process, 'kill').mockImplementation((pid, name) => {
    if (pid !== process.pid) return kill(pid, name)
    stopped.resolve(name)
    return true
  })
  kill(postmasterOf(shared) ?? 0, signal)
  expect(await stopped.promise).toBe('SIGTERM')
})

test('a server compresses the pages that it writes in full to the WAL', async () => {
  const server = await start(shared)
  const client = new pg.Client(await server.ensureRunning())
  await client.connect()
  await client.query('DROP TABLE IF EXISTS full_page')
  await client.query("CREATE TABLE full_page AS SELECT n, repeat('a', 40) FROM generate_series(1, 100) n")
  await client.query('CHECKPOINT')
  const update = 'EXPLAIN (ANALYZE, WAL, FORMAT JSON) UPDATE full_page SET n = 0 WHERE n = 1'
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(update)
  await client.end()
  const { 'WAL FPI': fullPages, 'WAL Bytes': bytes } = rows[0]?.['QUERY PLAN'][0].Plan ?? {}
  expect(fullPages).toBe(1)
  expect(bytes).toBeLessThan(4000)
})

test('the watch for stop signals reports none if the log is missing', () => {
  const file = join(newDir(), 'postgres.log')
  writeFileSync(file, '')
  const stop = vi.fn<() => void>()
  const endWatch = watchForStopSignals(1, file, stop)
  rmSync(file)
  endWatch()
  expect(stop).not.toHaveBeenCalled()
})

test('an owner whose server was replaced by another process does not stop the new server', async () => {
  const owner = await start(shared)
  process.kill(postmasterOf(shared) ?? 0, 'SIGKILL')
  await stopped(shared)
  const writer = await startWriter(shared)
  await owner.stop()
  const before = writer.acknowledged()
  await vi.waitUntil(() => writer.acknowledged() > before, pollOptions)
})

test('a server works in a data directory whose path is too long for a socket', async () => {
  const dir = join(newDir(), 'deep'.repeat(20), 'deeper'.repeat(10))
  mkdirSync(dir, { recursive: true })
  const server = await start(dir)
  dirs.push(server.connection.host)
  expect(server.connection.host.startsWith(dir)).toBe(false)
  expect(await countRows(server)).toBe(0)
})

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cliffhanger-embedded-'))
  dirs.push(dir)
  return dir
}

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  const server = await startEmbeddedDatabase({ dataDir, log })
  servers.push(server)
  return server
}

/** Starts write-rows.ts and waits for its first row. */
async function startWriter(dataDir: string): Promise<{ process: ChildProcess; acknowledged: () => number }> {
  const script = join(import.meta.dirname, '..', '..', '..', 'testing', 'crash', 'write-rows.ts')
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  writers.push(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  // The text after the last line break may be half a number.
  const acknowledged = () => Number(output.split('\n').at(-2) ?? 0)
  await vi.waitUntil(() => acknowledged() > 0, pollOptions)
  return { process: child, acknowledged }
}

const stopped = (dataDir: string) => vi.waitUntil(() => !postmasterOf(dataDir), pollOptions)

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
}

async function countRows({ ensureRunning }: EmbeddedDatabase): Promise<number> {
  const client = new pg.Client(await ensureRunning())
  await client.connect()
  try {
    await client.query('CREATE TABLE IF NOT EXISTS written (number int PRIMARY KEY)')
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM written')
    return rows[0]?.count ?? 0
  } finally {
    await client.end()
  }
}

function clusterOf(dataDir: string): string {
  return join(dataDir, 'postgres', '18')
}

function postmasterOf(dataDir: string): number | undefined {
  return findPostmaster(clusterOf(dataDir))?.pid
}
