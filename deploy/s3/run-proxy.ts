import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundToUs } from '#scripts/run-child.mjs'
import { freePort } from '#server/testing/site/free-port.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const startsWithinMs = 120_000
const caddyfile = join(import.meta.dirname, '..', 'caddy', 'Caddyfile')

interface ProxyOptions {
  /** Host and port of the store. */
  store: string
  /** Host and port of the site. */
  site?: string
  /** The profiles of compose.yaml that are on. */
  profiles?: string
}

/** Starts the proxy of compose.yaml, without TLS, in front of a store and a site. @returns its address */
export async function startProxy({
  store,
  site = '127.0.0.1:1',
  profiles = 's3',
}: ProxyOptions): Promise<{ url: string; close(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-proxy-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const config = join(home, 'Caddyfile')
  // Caddy's admin interface has a fixed port, which another Caddy on this machine may use.
  writeFileSync(config, `{\n\tadmin off\n}\nimport ${caddyfile}\n`)
  const caddy = spawn(...boundToUs('caddy', ['run', '--config', config, '--adapter', 'caddyfile']), {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      DOMAIN: url,
      S3: store,
      SITE: site,
      COMPOSE_PROFILES: profiles,
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const ended = once(caddy, 'exit')
  const isListening = () =>
    fetch(`${url}/store`).then(
      () => true,
      () => false,
    )
  await waitUntil('the proxy responds', isListening, startsWithinMs)
  return {
    url,
    async close() {
      caddy.kill('SIGKILL')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}
