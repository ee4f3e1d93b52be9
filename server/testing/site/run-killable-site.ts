import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const startsWithinMs = 120_000

/**
 * Starts a site in a separate process with this database. `end` sends a signal, waits until the process exits, and
 * deletes the files that a killed process leaves.
 */
export async function runKillableSite(
  databaseUrl: string,
): Promise<{ url: string; end(signal: NodeJS.Signals): Promise<void> }> {
  const entry = join(import.meta.dirname, 'killable-site.ts')
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'cliffhanger-killable-'))
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [entry, databaseUrl], {
    env: { PATH, NODE_COMPILE_CACHE, TMPDIR: temporaryFolder, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line', {
    signal: AbortSignal.timeout(startsWithinMs),
  })) as [string]
  return {
    url,
    async end(signal) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      rmSync(temporaryFolder, { recursive: true, force: true })
    },
  }
}
