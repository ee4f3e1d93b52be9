import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { createNetwork } from '#deploy/testing/run-network.ts'
import { boundToUs } from '#scripts/run-child.mjs'
import { findPostgresPrograms } from '#server/platform/database/embedded/find-postgres-programs.ts'
import {
  databaseName,
  ensureCluster,
  makePrivateDir,
  userName,
} from '#server/platform/database/embedded/embedded-cluster.ts'
import { asUser, chooseUser } from '#server/platform/database/embedded/embedded-user.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { readCompose, type Service } from './read-compose.ts'

const project = join(import.meta.dirname, '..', '..')
/** Folder for temporary files. It is on disk, because mounts in another root cannot access files in memory. */
const temporary = '/var/tmp'
const startsWithinMs = 120_000
/** User and group ids of the site's image. */
const siteUser = { uid: 1000, gid: 1000 }
const siteVolumes = new Set(['site', 'secrets', 's3-secrets', 'backup'])

/**
 * Commands of Debian's programs that replace third-party images. The arguments of a service's command in compose.yaml are
 * appended.
 */
const programs: Readonly<Record<string, string[]>> = {
  proxy: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile'],
  prometheus: ['prometheus'],
  alertmanager: ['prometheus-alertmanager'],
  // Debian has no server for S3. This server only returns the URL and headers of each request.
  s3: [
    'node',
    '-e',
    "require('node:http').createServer(({ url, headers }, response) => response.end(JSON.stringify({ url, headers }))).listen(7070)",
  ],
}

/** The files and settings of the site's image. */
export interface ImageContents {
  root: string
  env: readonly string[]
  command: readonly string[]
}

export interface RunningService {
  output(): string
  /** Resolves to the service's exit status, or to the signal that terminated it. */
  ended: Promise<number | NodeJS.Signals | null>
  /** Stops the service as a container engine does. @returns its exit status or signal */
  stop(): Promise<number | NodeJS.Signals | null>
}

/**
 * The services of compose.yaml, run on this machine without a container engine. As in containers, they have a separate
 * network, read-only roots, volumes and no privileges.
 */
export interface RunningCompose {
  /** Starts a service. @param command replaces the service's command, as in `compose run` and `compose exec` */
  start(name: string, command?: string[]): RunningService
  /** Runs curl inside the network and returns the response. @throws Error if the request fails */
  request(url: string, ...options: string[]): Promise<string>
  addressOf(name: string): string
  /** Returns the folder of a volume. */
  volume(name: string): string
  close(): Promise<void>
}

/**
 * Prepares the network and the volumes of compose.yaml.
 * @param values settings that the operator would write into .env
 */
export async function startCompose(
  contents: ImageContents,
  values: Record<string, string>,
): Promise<RunningCompose> {
  const home = mkdtempSync(join(temporary, 'cliffhanger-compose-'))
  const { services, volumes } = readCompose(values)
  const folderOf = (volume: string) => join(home, 'volumes', volume)
  for (const name of Object.keys(volumes)) {
    mkdirSync(folderOf(name), { recursive: true, mode: 0o700 })
    // A container engine gives a new volume the owner that the folder has in the image.
    if (siteVolumes.has(name)) chownSync(folderOf(name), siteUser.uid, siteUser.gid)
  }
  const network = await createNetwork()
  const hosts: Record<string, { enter: string[]; address: string }> = {}
  for (const name of Object.keys(services)) hosts[name] = await network.addHost(name)
  const hostsFile = join(home, 'hosts')
  writeFileSync(hostsFile, `127.0.0.1 localhost\n${network.hosts()}`)
  let databaseCommand: readonly string[] = []
  const running = new Set<ChildProcess>()

  /** Returns the command line of a service in its network namespace. */
  function commandOf(name: string, service: Service, command: readonly string[] | undefined): string[] {
    if (service.build !== undefined)
      return containerCommand(service, command ?? service.command ?? contents.command)
    // Longest path first, because a file inside a mounted folder may be a mount too: `toHostPath` uses the first match.
    const mounted = mountsOf(service).toSorted((one, other) => other.to.length - one.to.length)
    const toHostPath = (argument: string) => {
      const mount = mounted.find(({ to }) => argument.includes(to))
      return mount ? argument.replace(mount.to, mount.from) : argument
    }
    const programCommand = name === 'database' ? databaseCommand : (programs[name] ?? [])
    const serviceArguments = (service.command ?? []).slice(name === 'database' ? 1 : 0)
    return hostCommand([...programCommand, ...serviceArguments].map(toHostPath))
  }

  const mountsOf = ({ volumes: volumeSpecs = [] }: Service) =>
    volumeSpecs.map((volume) => {
      const [from = '', to = '', mode] = volume.split(':')
      return {
        from: from.startsWith('./') ? join(project, from) : folderOf(from),
        to,
        isReadOnly: mode === 'ro',
      }
    })

  /** Returns the command line of a program in a read-only root, as an unprivileged user. */
  function containerCommand(service: Service, command: readonly string[]): string[] {
    const { root } = contents
    const mounts = [
      `mount --bind ${root} ${root}`,
      ...mountsOf(service).flatMap(({ from, to, isReadOnly }) => [
        `mount --bind ${from} ${root}${to}`,
        ...(isReadOnly ? [`mount -o remount,bind,ro ${root}${to}`] : []),
      ]),
      ...(service.tmpfs ?? []).map((folder) => `mount -t tmpfs tmpfs ${root}${folder}`),
      `mount --bind ${hostsFile} ${root}/etc/hosts`,
      `mount -t proc proc ${root}/proc`,
      `mount --rbind /dev ${root}/dev`,
      `mount -o remount,bind,ro ${root}`,
    ]
    const env = [...contents.env, ...envArguments(values), ...envArguments(service.environment ?? {})]
    const privilegeOptions = ['--clear-groups', '--bounding-set=-all', '--no-new-privs']
    const user = ['setpriv', `--reuid=${siteUser.uid}`, `--regid=${siteUser.gid}`, ...privilegeOptions]
    return withMounts(mounts, ['chroot', root, 'env', '-i', '-C', '/app', ...env, ...user, ...command])
  }

  const hostCommand = (command: string[]) => withMounts([`mount --bind ${hostsFile} /etc/hosts`], command)

  function start(name: string, command?: string[]): RunningService {
    const service = services[name]
    const host = hosts[name]
    if (!service || !host) throw new Error(`compose.yaml has no service ${name}`)
    const line = [...host.enter, ...commandOf(name, service, command)]
    const [program = '', ...args] = line
    const child = spawn(...boundToUs(program, args), {
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        XDG_DATA_HOME: folderOf('certificates'),
        HOME: home,
        ...environmentOf(service),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, so that all processes of the service can be terminated together.
      detached: true,
    })
    running.add(child)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
    const ended = once(child, 'exit').then(([status, signal]): number | NodeJS.Signals | null => {
      running.delete(child)
      return status ?? signal
    })
    const stop = () => {
      if (running.has(child)) process.kill(-(child.pid ?? 0), 'SIGTERM')
      return ended
    }
    return { output: () => text, ended, stop }
  }

  // Compose waits for this service before it starts the database, which stores the password at its first start.
  const secrets = start('secrets')
  if ((await secrets.ended) !== 0) throw new Error(secrets.output())
  const password = readFileSync(join(folderOf('secrets'), 'database-password'), 'utf8').trim()
  databaseCommand = await preparePostgres(folderOf('database'), password)

  return {
    start,
    async request(url, ...options) {
      const [program = '', ...enter] = network.enter
      const { stdout } = await promisify(execFile)(program, [...enter, 'curl', '-sSf', ...options, url])
      return stdout
    },
    addressOf: (name) => hosts[name]?.address ?? '',
    volume: folderOf,
    async close() {
      const stillRunning = [...running]
      const exits = stillRunning.map((child) => once(child, 'exit'))
      for (const child of stillRunning) process.kill(-(child.pid ?? 0), 'SIGKILL')
      await Promise.all(exits)
      await network.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Returns a command line whose mounts no other process sees. */
const withMounts = (mounts: readonly string[], command: readonly string[]) => [
  'unshare',
  '--mount',
  'sh',
  '-ec',
  `${mounts.join('\n')}\nexec "$@"`,
  'sh',
  ...command,
]

const envArguments = (settings: Record<string, string | number>) =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)

const environmentOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))

/** Initializes a database with the embedded PostgreSQL, as the entry point of the postgres image does. */
async function preparePostgres(folder: string, password: string): Promise<string[]> {
  const postgresPrograms = findPostgresPrograms()
  const [clusterDir, socketDir] = [join(folder, 'cluster'), join(folder, 'socket')]
  const runAs = chooseUser(clusterDir, [postgresPrograms.postgres, folder])
  for (const path of [folder, socketDir]) makePrivateDir(path, runAs)
  await ensureCluster({ home: folder, clusterDir, programs: postgresPrograms, runAs })
  appendFileSync(join(clusterDir, 'pg_hba.conf'), 'host all all all scram-sha-256\n')
  const line = (listenAddress: string) => {
    const settings = ['-c', `listen_addresses=${listenAddress}`, '-c', `unix_socket_directories=${socketDir}`]
    return asUser(runAs, postgresPrograms.postgres, ['-D', clusterDir, ...settings])
  }
  const { command, args, options } = line('')
  const first = spawn(...boundToUs(command, args), { ...options, cwd: '/', stdio: 'ignore' })
  const ended = once(first, 'exit')
  const setPassword = async () => {
    const client = new pg.Client({ host: socketDir, user: userName, database: databaseName })
    await client.connect()
    await client.query(`ALTER USER ${userName} PASSWORD ${pg.escapeLiteral(password)}`)
    await client.end()
  }
  const done = () =>
    setPassword().then(
      () => true,
      () => false,
    )
  await waitUntil('PostgreSQL has its password', done, startsWithinMs)
  first.kill('SIGINT')
  await ended
  const server = line('*')
  const { uid, gid } = server.options
  const user = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return [...user, server.command, ...server.args]
}
