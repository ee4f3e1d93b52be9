import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/testing/site/free-port.ts'
import { startRoundRobinProxy } from '#server/testing/site/round-robin-proxy.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { startWithCleanEnv } from './run-release.ts'

const startsWithinMs = 240_000
const pollIntervalMs = 250

interface Instance {
  url: string
  program: ReturnType<typeof startWithCleanEnv>
}

export interface RollingInstances {
  /** URL of the proxy in front of the instances. */
  url: string
  /** Starts an instance of a release. Once it is ready, stops a running instance. */
  replaceOne(folder: string): Promise<void>
  /** Returns the logs of all instances so far. */
  output(): string
  close(): Promise<void>
}

/** Starts instances of a site behind a proxy. The proxy sends requests only to instances that are ready. */
export async function runInstances(
  folder: string,
  count: number,
  env: Record<string, string>,
): Promise<RollingInstances> {
  const ready: string[] = []
  const running: Instance[] = []
  const outputs: (() => string)[] = []
  const closing = new AbortController()
  const proxy = await startRoundRobinProxy(ready)
  const start = async (releaseFolder: string) => {
    const port = await freePort()
    const program = startWithCleanEnv(releaseFolder, ['bin/node', 'server/main.ts'], {
      ...env,
      PORT: String(port),
    })
    outputs.push(program.output)
    const url = `http://127.0.0.1:${port}`
    const isReady = waitUntil('an instance is ready', () => isReachable(`${url}/api/ready`), startsWithinMs)
    await Promise.race([isReady, program.ended.then(() => Promise.reject(new Error(program.output())))])
    running.push({ url, program })
    ready.push(url)
  }
  const end = async ({ program }: Instance) => {
    program.child.kill('SIGTERM')
    if (program.child.exitCode === null) await once(program.child, 'exit')
  }
  const healthChecks = removeUnready(ready, closing.signal)
  for (let i = 0; i < count; i++) await start(folder)
  return {
    url: proxy.url,
    async replaceOne(next) {
      await start(next)
      const oldest = running.shift()
      if (oldest) await end(oldest)
    },
    output: () => outputs.map((output) => output()).join('\n'),
    async close() {
      closing.abort()
      await healthChecks
      await Promise.all(running.map(end))
      await proxy.close()
    },
  }
}

/** Removes instances that are not ready from the list, as a load balancer's health checks do. */
async function removeUnready(ready: string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const url of ready.slice())
      if (!(await isReachable(`${url}/api/ready`))) ready.splice(ready.indexOf(url), 1)
    await delay(pollIntervalMs)
  }
}
