import { setTimeout as delay } from 'node:timers/promises'
import { putBackAbandoned } from './asset-states.ts'
import { growingRest, outlast } from './growing-rest.ts'
import { sweepStorage } from './sweep-storage.ts'
import { sweepWorkFolders } from './work-folder.ts'
import { workNext, type IngestContext, type WorkOptions } from './work-queue.ts'

const pollMs = 1000
const afterErrorMs = 5000
const sweepEveryMs = 10 * 60_000

/** Works the queue, one asset at a time, until the signal; then what is under way goes back into the queue. */
export async function runIngestLoop(context: IngestContext, options: WorkOptions): Promise<void> {
  const { signal } = options
  const rest = growingRest(context.log, options.rest)
  let sweptAt = -Infinity
  while (!signal.aborted) {
    try {
      if (performance.now() - sweptAt > sweepEveryMs) {
        sweptAt = performance.now()
        await sweepWorkFolders(context.storage)
        await sweep(context)
      }
      await putBackAbandoned(context.db)
      const worked = await outlast(rest, signal, () => workNext(context, options))
      if (worked === undefined) await pause(pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'An episode could not be made; it will be tried again')
      await pause(afterErrorMs, signal)
    }
  }
}

/** What cannot be deleted now can be the next time; videos are made all the same. */
async function sweep(context: IngestContext): Promise<void> {
  await sweepStorage(context).catch((error: unknown) =>
    context.log.error({ err: error }, 'What nobody needs any more could not be deleted'),
  )
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
