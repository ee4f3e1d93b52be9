import { setTimeout as delay } from 'node:timers/promises'
import { getHomepage } from '#contract/catalog.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'

const intervalMs = 50
const timeoutMs = 240_000

export interface Reads {
  failures: string[]
  reads: number
  slowestMs: number
}

export interface Reader {
  /** Returns the number of reads so far. */
  reads(): number
  end(): Promise<Reads>
}

/** Repeats a read until `end`, and measures it. A read that throws counts as failed. */
export function readContinuously(read: () => Promise<unknown>): Reader {
  const durations: number[] = []
  const failures: string[] = []
  let isEnding = false
  const repeatRead = async () => {
    while (!isEnding) {
      const start = performance.now()
      await read().catch((error: unknown) => failures.push(String(error)))
      durations.push(performance.now() - start)
      await delay(intervalMs)
    }
  }
  const reading = repeatRead()
  return {
    reads: () => durations.length,
    async end() {
      isEnding = true
      await reading
      return { failures, reads: durations.length, slowestMs: Math.max(...durations) }
    },
  }
}

/** Loads the page and the data of a site's homepage repeatedly. */
export function readHomepage(url: string): Reader {
  const visitor = visitorFactory(url)()
  return readContinuously(async () => {
    const page = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (!page.ok) throw new Error(`the page returned ${page.status}`)
    await page.text()
    await visitor.callOk(getHomepage)
  })
}
