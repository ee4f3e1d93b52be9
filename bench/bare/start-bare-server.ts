import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { boundToUs } from '#scripts/run-child.mjs'
import type { BareOptions } from './bare-server.ts'
import { waitUntilReachable } from '#bench/site/start-bench-site.ts'

export interface BareServer {
  url: string
  close(): Promise<void>
}

const defaultPort = 3912
const root = join(import.meta.dirname, '../..')

/** Starts the bare server in a separate process, because the compared site also runs in a separate process. */
export async function startBareServer(
  options: Pick<BareOptions, 'answers' | 'files' | 'connection' | 'connections'>,
  port = defaultPort,
): Promise<BareServer> {
  const page = join(root, 'bench/bare/bare-page.html')
  const nativePlayerPage = join(root, 'bench/bare/bare-native-player.html')
  // The full build of hls.js, because the stream has a separate audio rendition.
  const hls = join(root, 'node_modules/hls.js/dist/hls.min.js')
  const all: BareOptions = { ...options, port, page, nativePlayerPage, hls }
  const args = [join(root, 'bench/bare/bare-server.ts'), JSON.stringify(all)]
  const server = spawn(...boundToUs(process.execPath, args), { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://localhost:${port}`
  await waitUntilReachable(`${url}/page`, server)
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
    },
  }
}
