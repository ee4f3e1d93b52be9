import { Agent, request } from 'node:http'
import { languages } from '#contract/languages.ts'
import { median } from './compare-load.ts'
import { runClients } from './run-clients.ts'

const defaultClients = 16
const warmUpMs = 800
/**
 * Warm-up requests per URL. The site runs its searches on three shared PostgreSQL connections, and the PostgreSQL
 * process of each connection maps a page of shared memory when the process first reads this page (decision 17). So each
 * URL is requested several times, to reach all three connections.
 */
const everyAddress = 6
const roundMs = 1500
const rounds = 5
/** Time in milliseconds for which the site caches a response that is the same for all users. */
const cachedMs = 1000

/** The result of all rounds of one target. */
interface Latency {
  /** Median of the rounds' 95th percentiles, in milliseconds. */
  p95: number
  /** True if, in any round, a URL was requested again while its response was cached. */
  repeated: boolean
}

/** URLs of one site that are requested in turn, each in every language. */
export interface Target {
  base: string
  paths: readonly string[]
  headers: Record<string, string>
}

/**
 * Measures several rounds of each target, and returns one result per target. In a round, each client sends one request
 * after the other. The rounds of the targets alternate, so that a temporary slowdown of the machine affects all of them.
 */
export async function measureByTurns(
  targets: readonly Target[],
  clients = defaultClients,
): Promise<Latency[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const loads = targets.map((target) => {
    const ask = (turn: number) => askInTurn(target, turn, agent)
    const run = (ms: number) => load(ask, ms, clients)
    return { target, ask, run, results: [] as Load[] }
  })
  try {
    for (const { target, ask, run } of loads) {
      await askEach(target.paths.length * everyAddress, ask, clients)
      await run(warmUpMs)
    }
    for (let round = 0; round < rounds; round++)
      for (const { results, run } of loads) results.push(await run(roundMs))
  } finally {
    agent.destroy()
  }
  return loads.map(({ target, results }) => {
    const max = Math.max(...results.map(({ calls }) => calls)) / (roundMs / cachedMs)
    return {
      p95: median(results.map(({ p95 }) => p95)),
      repeated: max >= target.paths.length * languages.length,
    }
  })
}

/** Returns the 95th percentile of one target in milliseconds. */
export async function measureP95(target: Target, clients = defaultClients): Promise<number> {
  const [latency] = await measureByTurns([target], clients)
  return latency?.p95 ?? Number.NaN
}

function askInTurn({ base, paths, headers }: Target, turn: number, agent: Agent): Promise<void> {
  const path = paths[turn % paths.length] ?? ''
  const language = languages[Math.floor(turn / paths.length) % languages.length] ?? 'en'
  return sendRequest(`${base}${path}`, { agent, headers: { ...headers, 'accept-language': language } })
}

/** Requests one URL after the other, so that the database pages are in memory before the measurement. */
async function askEach(paths: number, ask: (turn: number) => Promise<void>, clients: number): Promise<void> {
  let next = 0
  await runClients(
    clients,
    () => next >= paths,
    () => ask(next++),
  )
}

/** The result of one round. */
interface Load {
  /** 95th percentile in milliseconds. */
  p95: number
  calls: number
}

async function load(ask: (turn: number) => Promise<void>, ms: number, clients: number): Promise<Load> {
  const times: number[] = []
  const until = performance.now() + ms
  let next = 0
  const client = async () => {
    while (performance.now() < until) {
      const started = performance.now()
      await ask(next++)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
  return { p95, calls: times.length }
}

/** Sends a request and reads the response to its end. @throws Error if the request fails */
function sendRequest(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const ok = response.statusCode === 200 && chunks[0]?.toString('latin1').startsWith('{"code":200')
        if (ok) resolve()
        else
          reject(
            new Error(
              `${url} answered ${response.statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`,
            ),
          )
      })
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}
