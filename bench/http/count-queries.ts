import pg from 'pg'
import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createSite } from '#server/site.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'

const calls = 50

/** Counts the database queries of each path, with a second site in this process on the same database. */
export async function countQueries(
  { env }: BenchSite,
  paths: readonly string[],
  cookie: string,
): Promise<number[]> {
  const context = await createContext(loadConfig(env), createLog({ json: false, level: 'error' }))
  const site = await createSite(context)
  let count = 0
  const { query } = pg.Client.prototype
  // Replaces the method that runs all queries, on every connection.
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    count++
    return Reflect.apply(query, this, args)
  }
  const counts: number[] = []
  try {
    for (const url of paths) {
      await site.inject({ url, headers: { cookie } })
      count = 0
      for (let i = 0; i < calls; i++) await site.inject({ url, headers: { cookie } })
      counts.push(Math.round(count / calls))
    }
    return counts
  } finally {
    pg.Client.prototype.query = query
    await site.close()
    await context.close()
  }
}
