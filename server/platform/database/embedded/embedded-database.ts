import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPostgresPrograms } from './find-postgres-programs.ts'
import { databaseName, ensureCluster, majorVersion, makePrivateDir, userName } from './embedded-cluster.ts'
import { readLogSince, spawnPostgres, watchForStopSignals } from './embedded-process.ts'
import { chooseUser, type RunAs } from './embedded-user.ts'
import { findPostmaster, type Postmaster } from './postmaster-file.ts'
import { isAlive, readHolder, thisProcess, withLock } from '#server/platform/processes/lock-file.ts'
import type { Log } from '#server/platform/log.ts'
import { stopThisProcess, stopTimeLeftMs } from '#server/platform/processes/stop-signals.ts'

interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** False is faster but may lose data on power loss: for tests only. */
  durable?: boolean
}

/** Connection options for `pg`: the host is the directory of the Unix socket. */
export interface EmbeddedConnection {
  host: string
  port: number
  user: string
  database: string
}

/** A running embedded PostgreSQL. */
export interface EmbeddedDatabase {
  connection: EmbeddedConnection
  /** Restarts the server if it has stopped (its owner ended, or it was killed). Cheap if it is running. */
  ensureRunning: () => Promise<EmbeddedConnection>
  /** Stops the server if this process started it; leaves an adopted one running. */
  stop: () => Promise<void>
}

/**
 * Starts PostgreSQL on `dataDir`/postgres (created at first use), or adopts the server that another process of the site
 * runs there. Local only: its Unix socket is closed to other users. The server ends with the process that started it.
 */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const supervisor = new Supervisor(options)
  const connection = await supervisor.ensureRunning()
  return { connection, ensureRunning: () => supervisor.ensureRunning(), stop: () => supervisor.stop() }
}

const readyTimeoutMs = 120_000
const stopTimeoutMs = 15_000

class Supervisor {
  readonly #log: Log
  readonly #durable: boolean
  readonly #programs = findPostgresPrograms()
  readonly #home: string
  readonly #clusterDir: string
  readonly #runAs: RunAs | undefined
  #child: ChildProcess | undefined
  #starting: Promise<EmbeddedConnection> | undefined
  #endWatch: (() => void) | undefined

  constructor({ dataDir, log, durable = true }: EmbeddedOptions) {
    this.#log = log
    this.#durable = durable
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    this.#home = realpathSync(join(dataDir, 'postgres'))
    this.#clusterDir = join(this.#home, majorVersion)
    this.#runAs = chooseUser(this.#clusterDir, [this.#programs.postgres, realpathSync(dataDir)])
    makePrivateDir(this.#home, this.#runAs)
  }

  async ensureRunning(): Promise<EmbeddedConnection> {
    const running = this.#findUsable()
    if (running) return connectionTo(running.socketDir)
    this.#starting ??= withLock(join(this.#home, 'start.lock'), () => this.#startUnlessRunning()).finally(
      () => (this.#starting = undefined),
    )
    return this.#starting
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => {})
    const child = this.#child
    this.#child = undefined
    // Does nothing if the server has already ended. Another process may have started a new server here, which must keep
    // running.
    if (child && child.exitCode === null && child.signalCode === null) await this.#end(child.pid)
  }

  /** Returns the running server if it is ready, and if the process that started it is alive. */
  #findUsable(): Postmaster | undefined {
    const running = findPostmaster(this.#clusterDir)
    const owner = readHolder(this.#ownerFile)
    return running?.status === 'ready' && owner && isAlive(owner) ? running : undefined
  }

  async #startUnlessRunning(): Promise<EmbeddedConnection> {
    const usable = this.#findUsable()
    if (usable) return connectionTo(usable.socketDir)
    // A server that still runs here is shutting down, or its owner has ended. Stops it, so that a new server can start.
    await this.#end(findPostmaster(this.#clusterDir)?.pid)
    if (!existsSync(this.#clusterDir)) this.#log.info('Creating the database')
    await ensureCluster({
      home: this.#home,
      clusterDir: this.#clusterDir,
      programs: this.#programs,
      runAs: this.#runAs,
    })
    return this.#start()
  }

  async #start(): Promise<EmbeddedConnection> {
    const socketDir = chooseSocketDir(this.#home)
    makePrivateDir(socketDir, this.#runAs)
    const deadline = Date.now() + readyTimeoutMs
    for (;;) {
      // Both files are left over from a dead server. If another program now has the process id in them, PostgreSQL
      // would mistake it for a server and not start.
      rmSync(join(this.#clusterDir, 'postmaster.pid'), { force: true })
      rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
      writeFileSync(this.#ownerFile, JSON.stringify(thisProcess()))
      const failure = await this.#spawnAndWait(socketDir, deadline)
      if (failure === undefined) return connectionTo(socketDir)
      // After a SIGKILL of the server, its child processes hold the shared memory for a moment longer.
      if (!failure.includes('shared memory block') || Date.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${failure}`)
      await delay(100)
    }
  }

  /** Starts the server and waits. Returns undefined once it is ready, or its output if it has ended. */
  async #spawnAndWait(socketDir: string, deadline: number): Promise<string | undefined> {
    const logFile = join(this.#home, 'postgres.log')
    const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
    const { postgres } = this.#programs
    const child = spawnPostgres({
      postgres,
      clusterDir: this.#clusterDir,
      socketDir,
      logFile,
      runAs: this.#runAs,
      durable: this.#durable,
    })
    this.#child = child
    let failure: Error | undefined
    child.on('error', (error) => (failure = error))
    let nextNotice = Date.now() + 5000
    while (child.exitCode === null && child.signalCode === null && !failure) {
      const running = findPostmaster(this.#clusterDir)
      if (running?.status === 'ready') {
        this.#endWatch = watchForStopSignals(running.pid, logFile, stopThisProcess)
        child.once('exit', this.#endWatch)
        return undefined
      }
      if (Date.now() > deadline) {
        await this.#end(child.pid)
        return `it was not ready after ${readyTimeoutMs / 1000} seconds; see ${logFile}`
      }
      if (Date.now() > nextNotice) {
        this.#log.info('The database is still starting (it repairs itself after a crash)')
        nextNotice += 5000
      }
      await delay(5)
    }
    this.#child = undefined
    return (
      failure?.message ??
      readLogSince(logFile, Math.min(logStart, statSync(logFile).size))
        .trim()
        .slice(-1500)
    )
  }

  /** Stops a server cleanly, and by force if that takes too long: it then recovers at its next start. */
  async #end(pid: number | undefined): Promise<void> {
    if (pid === undefined) return
    this.#endWatch?.()
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      const target = findPostmaster(this.#clusterDir)?.pid
      if (target === undefined) return
      if (!sendSignal(target, signal)) return
      const deadline = Date.now() + Math.min(stopTimeoutMs, stopTimeLeftMs() / 2)
      while (Date.now() < deadline) {
        if (!findPostmaster(this.#clusterDir)) return
        await delay(5)
      }
    }
  }

  get #ownerFile(): string {
    return join(this.#home, 'owner.json')
  }
}

/** Returns false if the process has ended in the meantime. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

function connectionTo(socketDir: string): EmbeddedConnection {
  return { host: socketDir, port: 5432, user: userName, database: databaseName }
}

/**
 * Returns the directory of the Unix socket. It is beside the data, or in the system's temporary directory if that path
 * is too long for a socket (107 bytes).
 */
function chooseSocketDir(home: string): string {
  const socketDir = join(home, 'socket')
  if (Buffer.byteLength(join(socketDir, '.s.PGSQL.5432')) <= 100) return socketDir
  const short = join(tmpdir(), `cliffhanger-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`)
  mkdirSync(short, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(short)
  const own = process.getuid?.() ?? uid
  if (!lstatSync(short).isDirectory() || (uid !== own && own !== 0))
    throw new Error(
      `The path of DATA_DIR is too long for a Unix socket, and the fallback ${short} belongs to another user: use a shorter DATA_DIR, or delete that directory.`,
    )
  chmodSync(short, 0o700)
  return short
}
