import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntilReachable, spawnSite, type BenchSite } from './start-bench-site.ts'

/** An additional process of a running site. */
export interface SecondProcess {
  url: string
  pid: number
  close(): Promise<void>
}

const port = 3914

/** Starts another process of the site with the same database and data, as on a site with several processes. */
export async function startSecondProcess({ env, dataDir, connection }: BenchSite): Promise<SecondProcess> {
  const { host, user, database, port: databasePort } = connection
  const place = new URLSearchParams({ host, port: String(databasePort) })
  const own = {
    PORT: String(port),
    DATABASE_URL: `postgres://${user}@localhost/${database}?${place.toString()}`,
    APP_SECRET: readFileSync(join(dataDir, 'app-secret'), 'utf8').trim(),
  }
  const child = spawnSite({ ...env, ...own })
  const url = `http://localhost:${port}`
  await waitUntilReachable(`${url}/api/health`, child)
  return {
    url,
    pid: child.pid ?? Number.NaN,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}
