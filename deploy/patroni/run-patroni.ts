import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { boundToUs } from '#scripts/run-child.mjs'
import { makePrivateDir } from '#server/platform/database/embedded/embedded-cluster.ts'
import { asUser, chooseUser } from '#server/platform/database/embedded/embedded-user.ts'
import { isRunning, listProcessTree, signalIfRunning } from '#server/testing/site/process-tree.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'

const startsWithinMs = 240_000
const postgresDir = '/usr/lib/postgresql'

type MachineName = 'db-1' | 'db-2'

/** Patroni's report on a machine. A `replica` is any standby. Commits wait for a `synchronous` standby. */
type Role = 'primary' | 'replica' | 'synchronous'

export interface PatroniCluster {
  superuserUrl: string
  /** URL of a database on the primary, through HAProxy. */
  primaryUrl: string
  /** URL of a database on the replica, through HAProxy. */
  replicaUrl: string
  /** Kills Patroni and PostgreSQL on a machine. */
  kill(name: MachineName): Promise<void>
  /** Starts Patroni on a machine. Patroni then starts PostgreSQL. */
  start(name: MachineName): Promise<void>
  hasRole(name: MachineName, role: Role): Promise<boolean>
  /** Returns the logs of all programs so far. */
  logs(): string
  close(): Promise<void>
}

/**
 * Starts two PostgreSQL servers under Patroni, one member of etcd, and HAProxy, with the configurations in this folder.
 * Replaces the addresses in them by loopback addresses that no other run uses.
 */
export async function startPatroniCluster(home: string): Promise<PatroniCluster> {
  const network = `127.${randomByte()}.${randomByte()}.`
  const runAs = chooseUser(home, [home])
  makePrivateDir(home, runAs)
  const running = new Map<string, ChildProcess>()
  const run = (name: string, command: string, args: string[], env: Record<string, string> = {}) => {
    const program = asUser(runAs, command, args)
    const child = spawn(...boundToUs(program.command, program.args), {
      ...program.options,
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = createWriteStream(join(home, `${name}.log`), { flags: 'a' })
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false })
    running.set(name, child)
  }
  const configure = (file: string, name: string, address: string) =>
    editConfig(readFileSync(join(import.meta.dirname, file), 'utf8'), { home, name, address, network })
  const stop = async (name: string) => {
    const child = running.get(name)
    running.delete(name)
    if (child?.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const addresses = { 'db-1': `${network}11`, 'db-2': `${network}12` }
  const startMachine = async (name: MachineName) => {
    const config = join(home, `${name}.yml`)
    makePrivateDir(join(home, name), runAs)
    writeFileSync(config, configure('patroni.yml', name, addresses[name]), { mode: 0o644 })
    run(name, 'patroni', [config])
  }
  const hasRole = (name: MachineName, role: Role) => isReachable(`http://${addresses[name]}:8008/${role}`)
  const waitForRole = (name: MachineName, role: Role) =>
    waitUntil(`${name} is ${role}`, () => hasRole(name, role), startsWithinMs)
  const readLog = (file: string) => `--- ${file}\n${readFileSync(join(home, file), 'utf8')}`
  const logs = () =>
    readdirSync(home)
      .filter((file) => file.endsWith('.log'))
      .map(readLog)
      .join('\n')

  const etcdAddress = `${network}13`
  const etcd = readSettings(configure('etcd', 'web-1', etcdAddress))
  run('etcd', 'etcd', [], etcd)
  await waitUntil('etcd answers', () => isReachable(`http://${etcdAddress}:2379/health`), startsWithinMs)
  await startMachine('db-1')
  await waitForRole('db-1', 'primary')
  await startMachine('db-2')
  await waitForRole('db-2', 'synchronous')
  writeFileSync(join(home, 'haproxy.cfg'), configure('haproxy.cfg', 'web-1', `${network}1`), { mode: 0o644 })
  run('haproxy', 'haproxy', ['-db', '-f', join(home, 'haproxy.cfg')])
  const url = (port: number, user: string, database: string) =>
    `postgres://${user}@${network}1:${port}/${database}`
  const superuserUrl = url(5000, 'postgres:SUPERUSER_PASSWORD', 'postgres')
  // Until its first health checks, HAProxy sends connections to both servers in turn.
  const leadsToPrimary = async () =>
    (await Promise.all([isPrimary(superuserUrl), isPrimary(superuserUrl)])).every(Boolean)
  await waitUntil('HAProxy forwards to the primary', leadsToPrimary, startsWithinMs)
  return {
    superuserUrl,
    primaryUrl: url(5000, 'cliffhanger:PASSWORD', 'cliffhanger'),
    replicaUrl: url(5001, 'cliffhanger:PASSWORD', 'cliffhanger'),
    async kill(name) {
      const patroni = running.get(name)?.pid
      running.delete(name)
      const postmaster = Number(
        readFileSync(join(home, name, 'cliffhanger', 'postmaster.pid'), 'utf8').split('\n')[0],
      )
      const processes = [patroni, postmaster].flatMap((pid) => (pid ? listProcessTree(pid) : []))
      for (const { pid } of processes) signalIfRunning(pid, 'SIGKILL')
      await waitUntil(`${name} has ended`, () => !processes.some(isRunning), startsWithinMs)
    },
    start: startMachine,
    hasRole,
    logs,
    async close() {
      for (const name of [...running.keys()].toReversed()) await stop(name)
    },
  }
}

/** Returns whether the server at an address is a primary. */
async function isPrimary(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ replica: boolean }>('SELECT pg_is_in_recovery() AS replica')
    return rows[0]?.replica === false
  } catch {
    return false
  } finally {
    await client.end()
  }
}

const randomByte = () => 1 + Math.floor(Math.random() * 254)

interface Machine {
  home: string
  name: string
  address: string
  network: string
}

/** Returns a configuration as an operator would edit it, with one member of etcd. */
function editConfig(text: string, { home, name, address, network }: Machine): string {
  const version = readdirSync(postgresDir).toSorted().at(-1) ?? ''
  const edits: [string, string][] = [
    ['[10.0.0.11:2379, 10.0.0.12:2379, 10.0.0.13:2379]', '[10.0.0.13:2379]'],
    ['db-1=http://10.0.0.11:2380,db-2=http://10.0.0.12:2380,', ''],
    ['10.0.0.0/24', '127.0.0.0/8'],
    ['10.0.0.', network],
    ['bind 127.0.0.1:', `bind ${address}:`],
    ['THIS_MACHINE', name],
    ['THIS_ADDRESS', address],
    [`${postgresDir}/17/`, `${postgresDir}/${version}/`],
    ['/var/lib/postgresql/17', join(home, name)],
    ['/run/postgresql', join(home, name)],
    ['/var/lib/etcd', home],
  ]
  return edits.reduce((all, [from, to]) => all.replaceAll(from, to), text)
}

/** Reads the settings of an environment file. */
function readSettings(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}
