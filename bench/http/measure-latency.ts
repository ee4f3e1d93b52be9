import { Agent, request } from 'node:http'
import { languages } from '#contract/languages.ts'
import { median } from './load.ts'
import { runClients } from './run-clients.ts'

const usualClients = 16
const warmUpMs = 800
/** How often each address is asked before: searches share three connections, and PostgreSQL maps what each reads for the first time. */
const everyAddress = 6
const roundMs = 1500
const rounds = 5
/** How long the site keeps an answer that is everybody's. */
const keptMs = 1000

/** What a load was like. */
interface Latency {
  /** Milliseconds that 95 of 100 calls stay below. */
  p95: number
  /** Whether an address was asked for again within the second for which its answer is kept. */
  repeated: boolean
}

/** What is asked: these addresses of one site by turns, each in every language. */
export interface Target {
  base: string
  paths: readonly string[]
  headers: Record<string, string>
}

/**
 * The median of some rounds of clients that ask one call after the other; several targets round by round by turns, so that a
 * machine that is slower for a while is so for all of them.
 */
export async function measureByTurns(targets: readonly Target[], clients = usualClients): Promise<Latency[]> {
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
    const most = Math.max(...results.map(({ calls }) => calls)) / (roundMs / keptMs)
    return {
      p95: median(results.map(({ p95 }) => p95)),
      repeated: most >= target.paths.length * languages.length,
    }
  })
}

/** Milliseconds that 95 of 100 calls of one target stay below. */
export async function measureP95(target: Target, clients = usualClients): Promise<number> {
  const [latency] = await measureByTurns([target], clients)
  return latency?.p95 ?? Number.NaN
}

function askInTurn({ base, paths, headers }: Target, turn: number, agent: Agent): Promise<void> {
  const path = paths[turn % paths.length] ?? ''
  const language = languages[Math.floor(turn / paths.length) % languages.length] ?? 'en'
  return askOnce(`${base}${path}`, { agent, headers: { ...headers, 'accept-language': language } })
}

/** One address after the other, so that nothing is measured while its pages are still read from the disk. */
async function askEach(paths: number, ask: (turn: number) => Promise<void>, clients: number): Promise<void> {
  let next = 0
  await runClients(
    clients,
    () => next >= paths,
    () => ask(next++),
  )
}

interface Load {
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

/** Reads an answer to its end. @throws Error where it is not a success */
function askOnce(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<void> {
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
