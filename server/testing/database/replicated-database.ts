import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgresPrograms } from '#server/platform/database/embedded/find-postgres-programs.ts'
import {
  databaseName,
  ensureCluster,
  makePrivateDir,
  userName,
} from '#server/platform/database/embedded/embedded-cluster.ts'
import { chooseUser, type RunAs } from '#server/platform/database/embedded/embedded-user.ts'
import { commandOnHost, type ServerHost } from '#server/testing/site/command-on-host.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** A PostgreSQL server with a replica. Tests can make the replica lag. */
export interface ReplicatedDatabase {
  /** URL of the primary, for DATABASE_URL. It leads to a socket, also if the primary is on another host. */
  url: string
  /** URL of the replica, for DATABASE_READ_URL; a socket too. */
  replicaUrl: string
  /** URLs that lead to the servers over the network, if they are on other hosts. */
  remote: { url: string; replicaUrl: string }
  /** Stops the replica from applying changes until `catchUp` is called. It still receives them. */
  fallBehind(): Promise<void>
  catchUp(): Promise<void>
  /** Stops the replica immediately and cancels its queries. */
  stopReplica(): Promise<void>
  startReplica(): Promise<void>
  close(): Promise<void>
}

const startsWithinMs = 120_000
/** Lines of pg_hba.conf that let the hosts of the server's network connect without a password. */
const trustNetwork = 'host all all samenet trust\nhost replication all samenet trust\n'
const replicaName = 'replica-1'

interface Server {
  clusterDir: string
  socketDir: string
  runAs: RunAs | undefined
  host: ServerHost | undefined
}

/**
 * Starts both servers in a folder, with the programs of the embedded PostgreSQL.
 * @param hosts hosts of a network on which the servers run and listen; by default, they have sockets only
 */
export async function startReplicatedDatabase(
  home: string,
  hosts: { primary?: ServerHost; replica?: ServerHost } = {},
): Promise<ReplicatedDatabase> {
  mkdirSync(home, { recursive: true })
  const programs = findPostgresPrograms()
  const serverIn = (name: 'primary' | 'replica'): Server => {
    const clusterDir = join(home, name, 'cluster')
    const socketDir = join(home, name, 'socket')
    const runAs = chooseUser(clusterDir, [programs.postgres, home])
    for (const folder of [join(home, name), socketDir]) makePrivateDir(folder, runAs)
    return { clusterDir, socketDir, runAs, host: hosts[name] }
  }
  const primary = serverIn('primary')
  await ensureCluster({ home: join(home, 'primary'), ...primary, programs })
  if (primary.host) appendFileSync(join(primary.clusterDir, 'pg_hba.conf'), trustNetwork)
  const primaryProcess = await run(programs.postgres, primary)
  const replica = serverIn('replica')
  await copyCluster(primary, replica)
  let replicaProcess = await run(programs.postgres, replica)
  const ask = (statement: string) => withClient(replica, (client) => client.query(statement))
  return {
    url: addressOf(primary),
    replicaUrl: addressOf(replica),
    remote: { url: remoteAddressOf(primary), replicaUrl: remoteAddressOf(replica) },
    fallBehind: async () => void (await ask('SELECT pg_wal_replay_pause()')),
    catchUp: async () => void (await ask('SELECT pg_wal_replay_resume()')),
    stopReplica: () => replicaProcess.stop(),
    async startReplica() {
      replicaProcess = await run(programs.postgres, replica)
    },
    async close() {
      await replicaProcess.stop()
      await primaryProcess.stop()
    },
  }
}

const addressOf = ({ socketDir }: Server) =>
  `postgres:///${databaseName}?user=${userName}&host=${encodeURIComponent(socketDir)}`

const remoteAddressOf = ({ host }: Server) =>
  host ? `postgres://${userName}@${host.address}:5432/${databaseName}` : ''

async function run(
  postgres: string,
  { clusterDir, socketDir, runAs, host }: Server,
): Promise<{ stop(): Promise<void> }> {
  const settings = {
    listen_addresses: host?.address ?? '',
    unix_socket_directories: socketDir,
    max_connections: '120',
    // By default, applying changes cancels conflicting queries on the replica; -1 prevents this.
    max_standby_streaming_delay: '-1',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args: words, options } = commandOnHost(host, runAs, postgres, ['-D', clusterDir, ...args])
  const child = spawn(command, words, { ...options, cwd: '/', stdio: 'ignore' })
  const ended = once(child, 'exit')
  const answers = () =>
    withClient({ socketDir }, (client) => client.query('SELECT')).then(
      () => true,
      () => false,
    )
  await waitUntil('PostgreSQL answers', answers, startsWithinMs)
  return {
    async stop() {
      // SIGINT asks PostgreSQL for a fast shutdown.
      if (child.exitCode === null) child.kill('SIGINT')
      await ended
    },
  }
}

/** Copies a cluster as pg_basebackup would. The embedded PostgreSQL does not contain that program. */
async function copyCluster(primary: Server, replica: Server): Promise<void> {
  const label = await withClient(primary, async (client) => {
    await client.query("SELECT pg_backup_start('replica', true)")
    execFileSync('cp', ['-a', primary.clusterDir, replica.clusterDir])
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    return rows[0]?.labelfile ?? ''
  })
  rmSync(join(replica.clusterDir, 'postmaster.pid'), { force: true })
  const source = `host=${primary.host?.address ?? primary.socketDir} user=${userName} application_name=${replicaName}`
  const files = {
    backup_label: label,
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${source}'\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    const file = join(replica.clusterDir, name)
    writeFileSync(file, text)
    if (replica.runAs) chownSync(file, replica.runAs.uid, replica.runAs.gid)
  }
}

async function withClient<T>(
  { socketDir }: Pick<Server, 'socketDir'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host: socketDir, user: userName, database: databaseName })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
