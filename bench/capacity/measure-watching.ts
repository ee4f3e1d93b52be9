import { setTimeout as delay } from 'node:timers/promises'
import { countedMs, lineOf, type Bench } from './cost-table.ts'
import { makeMembers } from './make-members.ts'
import type { Costs } from './read-costs.ts'
import { holdVacuum, vacuumAsPostgres } from './vacuum.ts'
import { openMeter, Viewer, type Meter, type OpenedEpisode } from './viewer.ts'

const minuteMs = 60_000
/** Period over which the viewers arrive, in milliseconds. */
const arriveMs = 30_000
/**
 * Period over which the viewers start to watch, in milliseconds. It is as long as the interval between two saves of a
 * position, so that the saves are spread evenly.
 */
const startMs = 15_000
/** Milliseconds from the end of the measurement until the first viewer leaves. */
const leaveMs = 1000
/** Positions that each member saves without load: as many as in two minutes of watching. */
const savesAtRest = 10

/** Number of members who make sequential requests, to measure the latency without load. */
const atRest = 30

interface Options {
  viewers: number
  minutes: number
  edge: boolean
}

/**
 * Measures the cost of members in three phases: members arrive (homepage, then a video), members start to watch one by
 * one, and all members watch. Then measures the cost of vacuuming the tables. Prints the latency with and without this
 * load.
 * @returns a line of the table for each phase, and one for the vacuum
 */
export async function measureWatching(
  bench: Bench,
  { viewers, minutes, edge }: Options,
): Promise<string[][]> {
  const { site, pool, measured, settle } = bench
  const cookies = await makeMembers(pool, viewers + atRest)
  await holdVacuum(pool)
  await settle()
  const resting = await callAtRest(openMeter(site.url, edge), cookies.splice(0, atRest))
  const meter = openMeter(site.url, edge)
  const { arriving, starting, watching } = await watchTogether(measured, meter, cookies, minutes)
  await delay(countedMs)
  const vacuuming = await measured(() => vacuumAsPostgres(pool))
  printCalls(resting, meter, viewers * minutes)
  return [
    lineOf(`${viewers} members arrive, per member`, arriving, viewers),
    lineOf(`${viewers} members start to watch, per member`, starting, viewers),
    lineOf(`${viewers} members watch, per member and minute`, watching, viewers * minutes),
    lineOf('PostgreSQL’s vacuum after these members, per member and minute', vacuuming, viewers * minutes),
  ]
}

/** Members arrive and save positions, one member after the other. @returns the durations of their API calls */
async function callAtRest(meter: Meter, cookies: readonly string[]): Promise<number[]> {
  for (const cookie of cookies) {
    const viewer = new Viewer(meter, cookie)
    const film = await viewer.arrive()
    await viewer.savePositions(film, savesAtRest)
  }
  stopIfFailed(meter)
  return meter.calls
}

async function watchTogether(
  measured: Bench['measured'],
  meter: Meter,
  cookies: readonly string[],
  minutes: number,
): Promise<Record<'arriving' | 'starting' | 'watching', Costs>> {
  const viewers = cookies.map((cookie) => new Viewer(meter, cookie))
  const spread = <T>(over: number, work: (viewer: Viewer, index: number) => Promise<T>) =>
    Promise.all(
      viewers.map((viewer, index) => delay((over * index) / viewers.length).then(() => work(viewer, index))),
    )
  let opened: OpenedEpisode[] = []
  const arriving = await measured(async () => {
    opened = await spread(arriveMs, (viewer) => viewer.arrive())
    await delay(countedMs)
  })
  const [costs] = await Promise.all([
    measureWhileTheyWatch(measured, minutes),
    spread(startMs, async (viewer, index) => {
      const film = opened[index]
      if (film) await viewer.watch(film, startMs + minutes * minuteMs + leaveMs)
    }),
  ])
  stopIfFailed(meter)
  return { arriving, ...costs }
}

async function measureWhileTheyWatch(measured: Bench['measured'], minutes: number) {
  const starting = await measured(() => delay(startMs))
  // Nobody arrives or leaves during this step. The site writes the buffered data of all viewers once a second, so the
  // cost per viewer depends on how many watch.
  const watching = await measured(() => delay(minutes * minuteMs))
  return { starting, watching }
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
