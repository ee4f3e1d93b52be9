import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makePrivateDir } from '#server/platform/database/embedded/embedded-cluster.ts'
import { chooseUser } from '#server/platform/database/embedded/embedded-user.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { commandOnHost, type ServerHost } from '#server/testing/site/command-on-host.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const startsWithinMs = 120_000

export interface PgBouncer {
  /** URL of the database through PgBouncer. */
  url: string
  /** Restarts PgBouncer, which closes all its connections to clients and to the database. */
  restart(): Promise<void>
  close(): Promise<void>
}

interface Options {
  timeoutMs?: number
  users?: readonly string[]
  host?: ServerHost
}

/**
 * Starts PgBouncer with this folder's configuration in front of a test server, for all databases of the server.
 * @param settings lines that replace those of the configuration
 * @param options `timeoutMs` replaces the time-outs of the sessions. `users` are further database users who may connect.
 * PgBouncer runs and listens on `host`, a host of a virtual network
 */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  { timeoutMs, users = [], host: machine }: Options = {},
): Promise<PgBouncer> {
  const {
    host,
    port: serverPort,
    user = '',
    database = '',
  } = new pg.Client({ connectionString: databaseUrl })
  const port = await freePort()
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-pgbouncer-'))
  // PgBouncer refuses to run as root, and must be able to access the socket of the test server.
  const runAs = chooseUser(host, [home])
  makePrivateDir(home, runAs)
  const userList = join(home, 'userlist.txt')
  writeFileSync(userList, [user, ...users].map((name) => `"${name}" ""\n`).join(''), { mode: 0o644 })
  const config = join(home, 'pgbouncer.ini')
  const address = machine?.address ?? '127.0.0.1'
  const changed = {
    listen_addr: address,
    listen_port: String(port),
    auth_type: 'trust',
    auth_file: userList,
    ...settings,
  }
  const text = readFileSync(join(import.meta.dirname, 'pgbouncer.ini'), 'utf8')
    .replace(
      'cliffhanger = host=127.0.0.1 port=5432 dbname=cliffhanger',
      `* = host=${host} port=${serverPort}`,
    )
    .replaceAll(/(SET \w+_timeout = )(\d+)/g, (_, set, ms) => `${set}${timeoutMs ?? ms}`)
  writeFileSync(config, Object.entries(changed).reduce(replaceLine, text), { mode: 0o644 })
  const { command, args, options } = commandOnHost(machine, runAs, 'pgbouncer', ['-q', config])
  const start = async () => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr?.on('data', (chunk) => (log += String(chunk)))
    const ended = once(child, 'exit')
    const isListening = () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer exited: ${log}`)
      return isOpen(port, address)
    }
    await waitUntil('PgBouncer listens', isListening, startsWithinMs)
    return async () => {
      child.kill('SIGTERM')
      await ended
    }
  }
  let end = await start()
  return {
    url: `postgres://${user}@${address}:${port}/${database}`,
    async restart() {
      await end()
      end = await start()
    },
    async close() {
      await end()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function replaceLine(text: string, [name, value]: [string, string]): string {
  const line = new RegExp(`^${name} = .*$`, 'm')
  if (!line.test(text)) return `${text}${name} = ${value}\n`
  return text.replace(line, `${name} = ${value}`)
}

function isOpen(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
