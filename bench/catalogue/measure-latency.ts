import { Agent, request } from 'node:http'

const usualClients = 16
const warmUpMs = 800
const roundMs = 2000
const rounds = 3

/** Milliseconds that 95 of 100 calls stay below while clients ask one after the other: the median of some rounds. */
export async function measureP95(
  base: string,
  paths: readonly string[],
  headers: Record<string, string>,
  clients = usualClients,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const ask = (path: string) => askOnce(`${base}${path}`, { agent, headers })
  try {
    await load(ask, paths, warmUpMs, clients)
    const results = []
    for (let round = 0; round < rounds; round++) results.push(await load(ask, paths, roundMs, clients))
    return results.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  } finally {
    agent.destroy()
  }
}

async function load(
  ask: (path: string) => Promise<void>,
  paths: readonly string[],
  ms: number,
  clients: number,
): Promise<number> {
  const times: number[] = []
  const until = performance.now() + ms
  let next = 0
  const client = async () => {
    while (performance.now() < until) {
      const path = paths[next++ % paths.length] ?? ''
      const started = performance.now()
      await ask(path)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
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
