import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { countedMs, heading, lineOf, type Bench } from './cost-table.ts'
import { measureSales } from './measure-sales.ts'
import { measureUpload } from './measure-upload.ts'
import { measureWatching } from './measure-watching.ts'
import { costsBetween, readCosts } from './read-costs.ts'
import { waitForVacuum } from './vacuum.ts'
import { startBenchSite } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'

const minuteMs = 60_000

/**
 * `npm run bench -- capacity 200` measures the costs of an idle minute, a member (200 arrive and watch), a sale, and a
 * minute of an uploaded film. Each part runs on a separate site. `--only idle`, `watching`, `sale` or `upload` measures
 * one part. `--minutes 2` sets the duration of `idle` and of `watching`. With `--edge`, the members request no segments,
 * as if a proxy or CDN served them.
 */
export async function measureCapacity(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '2' },
      edge: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  })
  const viewers = Number(positionals[0] ?? 200)
  const minutes = Number(values.minutes)
  if (!(Number.isInteger(viewers) && viewers > 0 && minutes > 0))
    throw new Error('The number of viewers must be a whole number above 0, and --minutes a number above 0')
  const parts: Record<string, (bench: Bench) => Promise<string[][]>> = {
    idle: (bench) => measureIdle(bench, minutes),
    watching: (bench) => measureWatching(bench, { viewers, minutes, edge: values.edge }),
    sale: measureSales,
    upload: measureUpload,
  }
  const { only } = values
  if (only !== undefined && !(only in parts))
    throw new Error(`--only must be one of ${Object.keys(parts).join(', ')}`)
  const table = [heading]
  for (const [name, measurePart] of Object.entries(parts))
    if (only === undefined || only === name)
      table.push(...(await measureOnSite(name === 'sale', measurePart)))
  printLines(table)
}

/**
 * Starts a site with a video for a part of the measurement. Only the site of the sales has the sandbox: a site with the
 * sandbox reads the sandbox's clock every few seconds, which would count as load in the other parts.
 */
async function measureOnSite(
  withSales: boolean,
  measurePart: (bench: Bench) => Promise<string[][]>,
): Promise<string[][]> {
  console.log('Creating a video and starting a site with it …')
  // Four episodes are free. All episodes last a minute, like those of a commercial drama.
  const content = { episodes: withSales ? 5 : 3, seconds: 12, times: 5, size: '360x640' }
  const site = await startBenchSite(content, { ALLOW_SANDBOX: withSales ? '1' : '0' })
  const pool = new pg.Pool({ ...site.connection, max: 1 })
  const measured: Bench['measured'] = async (work, pid = site.pid) => {
    const before = await readCosts(pool, pid)
    await work()
    return costsBetween(before, await readCosts(pool, pid))
  }
  const settle = async () => {
    await waitForVacuum(pool)
    await pool.query('CHECKPOINT')
    await delay(countedMs)
  }
  try {
    return await measurePart({ site, pool, measured, settle })
  } finally {
    await pool.end()
    await site.close()
  }
}

async function measureIdle({ measured, settle }: Bench, minutes: number): Promise<string[][]> {
  await settle()
  return [lineOf('idle site, per minute', await measured(() => delay(minutes * minuteMs)), minutes)]
}
