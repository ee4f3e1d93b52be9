import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/testing/site/free-port.ts'

export interface Swift {
  settings: Record<'S3_ENDPOINT' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', string>
  close(): Promise<void>
}

const serverKinds = ['account', 'container', 'object'] as const
const startsWithinMs = 120_000

/** Starts OpenStack Swift with its S3 API, on one disk without replicas. It verifies the signature of every request. */
export async function startSwift(): Promise<Swift> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-swift-'))
  mkdirSync(join(home, 'disks', 'd1'), { recursive: true })
  const ports = { account: await freePort(), container: await freePort(), object: await freePort() }
  const proxyPort = await freePort()
  writeFileSync(join(home, 'swift.conf'), commonConfig)
  for (const part of serverKinds) {
    writeFileSync(join(home, `${part}-server.conf`), partConfig(home, part, ports[part]))
    buildRing(home, part, ports[part])
  }
  writeFileSync(join(home, 'proxy-server.conf'), proxyConfig(home, proxyPort))
  const servers = [...serverKinds, 'proxy'].map((name) =>
    spawn('setpriv', ['--pdeathsig', 'KILL', `swift-${name}-server`, join(home, `${name}-server.conf`)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  for (const port of [...Object.values(ports), proxyPort]) await waitForPort(port)
  return {
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${proxyPort}`,
      S3_ACCESS_KEY_ID: 'test:tester',
      S3_SECRET_ACCESS_KEY: 'testing',
    },
    async close() {
      await Promise.all(servers.map(stop))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const commonConfig = `[swift-hash]
swift_hash_path_prefix = one
swift_hash_path_suffix = other
[storage-policy:0]
name = only
default = yes
`

function shared(home: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${home}
`
}

const partConfig = (home: string, part: string, port: number) => `${shared(home, port)}devices = ${home}/disks
mount_check = false
[pipeline:main]
pipeline = ${part}-server
[app:${part}-server]
use = egg:swift#${part}
`

/** The configuration names a memcached that does not run; Swift works without it. */
const proxyConfig = (home: string, port: number) => `${shared(home, port)}[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
`

function buildRing(home: string, part: string, port: number): void {
  const location = ['--region', '1', '--zone', '1', '--ip', '127.0.0.1', '--port', String(port)]
  for (const args of [
    ['create', '1', '1', '0'],
    ['add', ...location, '--device', 'd1', '--weight', '1'],
    ['rebalance'],
  ]) {
    const { status, stdout, stderr } = spawnSync('swift-ring-builder', [`${part}.builder`, ...args], {
      cwd: home,
      encoding: 'utf8',
      timeout: 60_000,
    })
    if (status !== 0) throw new Error(`swift-ring-builder ${args.join(' ')}: ${stdout}${stderr}`)
  }
}

async function waitForPort(port: number): Promise<void> {
  for (const until = Date.now() + startsWithinMs; Date.now() < until; await delay(50)) {
    const socket = connect(port, '127.0.0.1')
    const [isConnected] = await Promise.race([
      once(socket, 'connect').then(() => [true]),
      once(socket, 'close').then(() => [false]),
    ]).catch(() => [false])
    socket.destroy()
    if (isConnected) return
  }
  throw new Error(`swift does not listen on port ${port}`)
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
