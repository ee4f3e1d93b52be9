import { Agent, request } from 'node:http'
import { languages } from '#contract/languages.ts'

const usualClients = 16
const warmUpMs = 800
const roundMs = 2000
const rounds = 3
/** How long the site keeps an answer that is everybody's. */
const keptMs = 1000

/** What a load was like. */
interface Latency {
  /** Milliseconds that 95 of 100 calls stay below. */
  p95: number
  /** Whether an address was asked for again within the second for which its answer is kept. */
  repeated: boolean
}

/** The median of some rounds of clients that ask one call after the other, by turns in every language. */
export async function measureLatency(
  base: string,
  paths: readonly string[],
  headers: Record<string, string>,
  clients = usualClients,
): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const ask = (turn: number) => {
    const path = paths[turn % paths.length] ?? ''
    const language = languages[Math.floor(turn / paths.length) % languages.length] ?? 'en'
    return askOnce(`${base}${path}`, { agent, headers: { ...headers, 'accept-language': language } })
  }
  try {
    await load(ask, warmUpMs, clients)
    const results = []
    for (let round = 0; round < rounds; round++) results.push(await load(ask, roundMs, clients))
    const most = Math.max(...results.map(({ calls }) => calls)) / (roundMs / keptMs)
    const p95s = results.map(({ p95 }) => p95).toSorted((a, b) => a - b)
    return {
      p95: p95s[Math.floor(rounds / 2)] ?? Number.NaN,
      repeated: most >= paths.length * languages.length,
    }
  } finally {
    agent.destroy()
  }
}

/** Milliseconds that 95 of 100 calls stay below. */
export async function measureP95(...load: Parameters<typeof measureLatency>): Promise<number> {
  return (await measureLatency(...load)).p95
}

async function load(
  ask: (turn: number) => Promise<void>,
  ms: number,
  clients: number,
): Promise<{ p95: number; calls: number }> {
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
