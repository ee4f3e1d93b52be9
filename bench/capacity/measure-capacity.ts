import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { makeMembers } from './make-members.ts'
import { costsBetween, readCosts, type Costs } from './read-costs.ts'
import { openMeter, Viewer, type Meter, type OpenedEpisode } from './viewer.ts'
import { startBenchSite, type BenchSite } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'

const content = { episodes: 3, seconds: 12, times: 5, size: '360x640' }
/**
 * Without the sandbox, as on a site with real gateways, because the site reads the sandbox's clock every few seconds.
 */
const settings = { ALLOW_SANDBOX: '0' }
const minuteMs = 60_000
/**
 * Cleans up after the import, because that work is not part of the idle load. The second statement vacuums the
 * statistics that the first one has written.
 */
const cleanUp = ['VACUUM (ANALYZE)', 'VACUUM']
/**
 * Time in milliseconds until the site has finished its work after the start, and until PostgreSQL's autovacuum, which
 * runs once a minute, has vacuumed the rest.
 */
const settleMs = 75_000
/** Period over which the viewers arrive, in milliseconds. */
const arriveMs = 30_000
/**
 * Wait after each step, until PostgreSQL has counted the transactions of connections that are now idle. Without it,
 * some would be counted in the next step.
 */
const countedMs = 11_000
/** Number of members who make sequential requests, to measure the latency without load. */
const atRest = 30
/** Positions that each of these members saves: as many as in two minutes of watching. */
const savesAtRest = 10

/**
 * `npm run bench -- capacity 200`: measures the cost of an idle site per minute, of 200 members who arrive (homepage,
 * then a video), and of these members while they watch. Also measures the latency with and without
 * these members. `--minutes 2` sets the duration. `--edge` leaves segments to a proxy or CDN. `--only idle` and `--only
 * watching` skip the other part.
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
  console.log('Creating a video and starting a site with it …')
  const site = await startBenchSite(content, settings)
  const pool = new pg.Pool({ ...site.connection, max: 1 })
  try {
    const cookies = await makeMembers(pool, viewers + atRest)
    for (const statement of cleanUp) await pool.query(statement)
    await delay(settleMs)
    await pool.query('CHECKPOINT')
    await delay(countedMs)
    const measured = (work: () => Promise<unknown>) => measure(pool, site, work)
    const table = [heading]
    if (values.only !== 'watching') {
      const idle = await measured(() => delay(minutes * minuteMs))
      table.push(lineOf('idle site, per minute', idle, minutes))
    }
    if (values.only !== 'idle') {
      const resting = await callsAtRest(site, cookies.splice(0, atRest), values.edge)
      const meter = openMeter(site.url, values.edge)
      table.push(...(await measureViewers(measured, meter, cookies, minutes)))
      printLines(table)
      printCalls(resting, meter, viewers * minutes)
      return
    }
    printLines(table)
  } finally {
    await pool.end()
    await site.close()
  }
}

type Measured = (work: () => Promise<unknown>) => Promise<Costs>

async function measure(pool: pg.Pool, { pid }: BenchSite, work: () => Promise<unknown>): Promise<Costs> {
  const before = await readCosts(pool, pid)
  await work()
  return costsBetween(before, await readCosts(pool, pid))
}

async function callsAtRest(site: BenchSite, cookies: readonly string[], edge: boolean): Promise<number[]> {
  const meter = openMeter(site.url, edge)
  for (const cookie of cookies) {
    const viewer = new Viewer(meter, cookie)
    const film = await viewer.arrive()
    await viewer.savePositions(film, savesAtRest)
  }
  stopIfFailed(meter)
  return meter.calls
}

async function measureViewers(
  measured: Measured,
  meter: Meter,
  cookies: readonly string[],
  minutes: number,
): Promise<string[][]> {
  const count = cookies.length
  const viewers = cookies.map((cookie) => new Viewer(meter, cookie))
  const spread = <T>(over: number, work: (viewer: Viewer, index: number) => Promise<T>) =>
    Promise.all(viewers.map((viewer, index) => delay((over * index) / count).then(() => work(viewer, index))))
  let opened: OpenedEpisode[] = []
  const arriving = await measured(async () => {
    opened = await spread(arriveMs, (viewer) => viewer.arrive())
    await delay(countedMs)
  })
  const watching = await measured(() =>
    // Distributes the viewers evenly over the interval between two saves of the position.
    spread(15_000, async (viewer, index) => {
      const film = opened[index]
      if (film) await viewer.watch(film, minutes * minuteMs)
    }),
  )
  stopIfFailed(meter)
  return [
    lineOf(`${count} members arrive, per member`, arriving, count),
    lineOf(`${count} members watch, per member and minute`, watching, count * minutes),
  ]
}

const heading = ['what', 'transactions', 'WAL bytes', 'rows written', 'CPU of the site', 'CPU of PostgreSQL']

function lineOf(what: string, costs: Costs, times: number): string[] {
  const { transactions, walBytes, rowsWritten, siteCpuMs, databaseCpuMs } = costs
  const each = (value: number) => {
    const one = value / times
    return one >= 100 ? String(Math.round(one)) : one.toFixed(one >= 10 ? 1 : 2)
  }
  return [
    what,
    each(transactions),
    each(walBytes),
    each(rowsWritten),
    `${each(siteCpuMs)} ms`,
    `${each(databaseCpuMs)} ms`,
  ]
}

function printCalls(resting: readonly number[], { calls, segments }: Meter, viewerMinutes: number): void {
  const [rest, load] = [p95(resting), p95(calls)]
  console.log(
    `p95 of the API: ${rest.toFixed(1)} ms without load, ${load.toFixed(1)} ms under load (${(load / rest).toFixed(2)}×), of ${calls.length} calls; ${(segments / viewerMinutes).toFixed(1)} segments per viewer and minute`,
  )
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN
}

/** Throws if a request has failed, because the measured cost would be wrong. */
function stopIfFailed({ failures }: Meter): void {
  if (failures.length > 0)
    throw new Error(`${failures.length} requests were refused or failed, the first: ${failures[0]}`)
}
