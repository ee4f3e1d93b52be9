import autocannon from 'autocannon'

export interface Target {
  url: string
  headers?: Record<string, string>
}

const clients = 16
const seconds = 2
const rounds = 3

/** Requests per second of one target under a few seconds of load. Anything but 2xx is a broken measurement. */
async function loadOnce({ url, headers = {} }: Target): Promise<number> {
  const result = await autocannon({ url, headers, connections: clients, duration: seconds, pipelining: 1 })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} answered ${result.non2xx} times with an error`)
  return result.requests.average
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The medians of two targets, loaded by turns so that a busy moment of the machine touches both. */
export async function compareLoad(ours: Target, bare: Target): Promise<{ ours: number; bare: number }> {
  const measured = { ours: [] as number[], bare: [] as number[] }
  await loadOnce(ours)
  await loadOnce(bare)
  for (let round = 0; round < rounds; round++) {
    measured.ours.push(await loadOnce(ours))
    measured.bare.push(await loadOnce(bare))
  }
  return { ours: median(measured.ours), bare: median(measured.bare) }
}
