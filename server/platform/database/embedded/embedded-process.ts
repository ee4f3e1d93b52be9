import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { asUser, type RunAs } from './embedded-user.ts'

interface PostgresProcess {
  postgres: string
  clusterDir: string
  socketDir: string
  logFile: string
  runAs: RunAs | undefined
  /** False is faster but may lose data on power loss: for tests only. */
  durable: boolean
}

const maxLogBytes = 5_000_000

/**
 * Starts the server's process, which ends with this process. `postmaster.pid` shows when the server is ready, and
 * `logFile` shows why it failed.
 */
export function spawnPostgres({
  postgres,
  clusterDir,
  socketDir,
  logFile,
  runAs,
  durable,
}: PostgresProcess): ChildProcess {
  rotate(logFile)
  const log = openSync(logFile, 'a')
  const guarded = stopWithThisProcess(
    asUser(runAs, postgres, ['-D', clusterDir, ...settings(socketDir, durable)]),
  )
  const child = spawn(guarded.command, guarded.args, {
    ...guarded.options,
    cwd: '/',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['pipe', log, log],
    // A separate session, so that Ctrl-C in the terminal reaches only this process, which then stops the server
    // cleanly.
    detached: true,
  })
  closeSync(log)
  child.unref()
  child.stdin?.on('error', () => {})
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return child
}

function settings(socketDir: string, durable: boolean): string[] {
  const values: Record<string, string> = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    // 120 are enough for two copies of the site, each with its worker. Tests need more, because they share a server.
    max_connections: durable ? '120' : '300',
    // Tests create and drop many databases, and each drop scans the whole cache.
    shared_buffers: durable ? `${pageCacheMegabytes()}MB` : '128MB',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '512MB',
    // After each checkpoint, the first change of a page writes the whole page to the WAL. So checkpoints are rarer than
    // by default, and these pages are compressed. `max_wal_size` limits how much must be replayed after a crash.
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Logs messages of the levels LOG, FATAL and PANIC, but no failed statements: the application logs those.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // A test's database is dropped before its statistics matter.
    autovacuum: durable ? 'on' : 'off',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Returns the size of the server's page cache: an eighth of the memory, since the site and ffmpeg need memory too. If
 * the cache is smaller than the indexes, each search among a million videos reads from disk.
 */
function pageCacheMegabytes(): number {
  // Without a memory limit, `constrainedMemory` returns 0 or more than the machine has.
  const allowed = process.constrainedMemory() || Infinity
  const megabytes = Math.floor(Math.min(totalmem(), allowed) / 8 / 2 ** 20)
  return Math.max(128, Math.min(4096, megabytes))
}

type Command = ReturnType<typeof asUser>

let setprivWorks: boolean | undefined

/**
 * Makes the server end when this process ends for any reason. The server then gets a SIGINT, which makes PostgreSQL
 * shut down fast and cleanly. If setpriv is available, the kernel sends the signal. Otherwise a shell sends it when the
 * pipe to this process closes.
 */
function stopWithThisProcess({ command, args, options }: Command): Command {
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { timeout: 5000 }).status === 0
  if (setprivWorks) {
    return command === 'setpriv'
      ? { command, args: ['--pdeathsig', 'INT', ...args], options }
      : { command: 'setpriv', args: ['--pdeathsig', 'INT', command, ...args], options }
  }
  const guard =
    'exec 3<&0; "$@" </dev/null 3<&- & server=$!; (cat <&3 >/dev/null; kill -INT $server) & wait $server; status=$?; kill $!; exit $status'
  return { command: '/bin/sh', args: ['-c', guard, 'sh', command, ...args], options }
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(logFile, `${logFile}.old`)
}

const lookEveryMs = 250

/**
 * Calls `stop` once the server `pid` has received a stop signal. Reads the server's log, because only the log reports
 * the signal. The caller must then stop the server itself: after a SIGTERM, PostgreSQL waits for its clients, and after
 * a SIGHUP it only reloads its settings.
 * @returns a function that ends the watch after a last read
 */
export function watchForStopSignals(pid: number, logFile: string, stop: () => void): () => void {
  const from = statSync(logFile).size
  const line = new RegExp(`\\[${pid}\\] LOG: {2}received (SIGHUP|smart shutdown|fast shutdown)`)
  let watching = true
  let seen = from
  const poll = () => {
    const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? seen
    if (!watching || size === seen) return
    seen = size
    if (!line.test(readLogSince(logFile, from))) return
    end()
    stop()
  }
  // Node’s `watchFile` reads its first state some time after it is called, and would miss lines written until then.
  const timer = setInterval(poll, lookEveryMs).unref()
  const end = () => {
    watching = false
    clearInterval(timer)
  }
  return () => {
    poll()
    end()
  }
}

/** Returns the server's log after byte `from`; an empty string if the log cannot be read. */
export function readLogSince(logFile: string, from: number): string {
  try {
    return readFileSync(logFile).subarray(from).toString()
  } catch {
    return ''
  }
}
