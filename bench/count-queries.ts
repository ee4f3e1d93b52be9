import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createSite } from '#server/site.ts'
import type { BenchSite } from './start-bench-site.ts'

const calls = 50

/** How many queries each of these paths costs us: our own site once more, in this process, on the same database. */
export async function countQueries(
  { env }: BenchSite,
  paths: readonly string[],
  cookie: string,
): Promise<number[]> {
  const context = await createContext(loadConfig(env), createLog({ json: false, level: 'error' }))
  const site = await createSite(context)
  let count = 0
  // Outside a transaction every query takes a connection of its own from the pool.
  context.database.pool.on('acquire', () => count++)
  const counts: number[] = []
  for (const url of paths) {
    await site.inject({ url, headers: { cookie } })
    count = 0
    for (let i = 0; i < calls; i++) await site.inject({ url, headers: { cookie } })
    counts.push(Math.round(count / calls))
  }
  await site.close()
  await context.close()
  return counts
}
