import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Env } from '#server/platform/config/read-env.ts'

interface SecondSite {
  env: Env
  databaseUrl: string
  webRoot: string
}

const startsWithinMs = 120_000

/**
 * Starts a site in a separate process, with the database and data directory of the first. `printed` returns its log so
 * far.
 */
export async function runSecondSite(
  site: SecondSite,
): Promise<{ url: string; printed(): string; close(): Promise<void> }> {
  const entry = join(import.meta.dirname, 'second-site.ts')
  const child = spawn(process.execPath, [entry, site.databaseUrl, site.webRoot], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NO_COLOR: '1',
      ...site.env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const printed: string[] = []
  lines.on('line', (line) => printed.push(line))
  const [url] = (await once(lines, 'line', {
    signal: AbortSignal.timeout(startsWithinMs),
  })) as [string]
  return {
    url,
    printed: () => printed.join('\n'),
    async close() {
      const ended = once(child, 'exit')
      // The process exits when its input closes, so that it does not outlive a test run that was killed.
      child.stdin.end()
      await ended
    },
  }
}
