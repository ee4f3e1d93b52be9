import autocannon from 'autocannon'

export interface Target {
  /** One URL per process. All processes send the same response, and each gets the same number of clients. */
  urls: readonly string[]
  headers?: Record<string, string>
}

const clients = 16
const seconds = 1
const rounds = 5

/** Returns a target's requests per second, measured for one second. @throws Error on a response other than 2xx */
async function loadOnce({ urls, headers = {} }: Target): Promise<number> {
  const connections = clients / urls.length
  const results = await Promise.all(
    urls.map((url) => autocannon({ url, headers, connections, duration: seconds, pipelining: 1 })),
  )
  for (const { url, non2xx, errors } of results)
    if (non2xx + errors > 0) throw new Error(`${url} returned ${non2xx + errors} errors`)
  return results.reduce((sum, { requests }) => sum + requests.average, 0)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * Loads two targets alternately and returns the best second of each, because other load on the machine can only reduce
 * the rate.
 */
export async function compareLoad(ours: Target, bare: Target): Promise<{ ours: number; bare: number }> {
  const best = { ours: 0, bare: 0 }
  await loadOnce(ours)
  await loadOnce(bare)
  for (let round = 0; round < rounds; round++) {
    best.ours = Math.max(best.ours, await loadOnce(ours))
    best.bare = Math.max(best.bare, await loadOnce(bare))
  }
  return best
}
