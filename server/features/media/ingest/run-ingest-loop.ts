import { setTimeout as delay } from 'node:timers/promises'
import { putBackAbandoned } from './asset-states.ts'
import { sweepOrphanedOriginals } from './sweep-orphaned-originals.ts'
import { sweepRetiredAssets } from './sweep-retired-assets.ts'
import { sweepWorkFolders } from './work-folder.ts'
import { workNext, type IngestContext, type WorkOptions } from './work-queue.ts'

const pollMs = 1000
const afterErrorMs = 5000
const sweepEveryMs = 10 * 60_000

/** Works the queue, one asset at a time, until the signal; then what is under way goes back into the queue. */
export async function runIngestLoop(context: IngestContext, options: WorkOptions): Promise<void> {
  const { signal } = options
  let sweptAt = -Infinity
  while (!signal.aborted) {
    try {
      if (performance.now() - sweptAt > sweepEveryMs) {
        sweptAt = performance.now()
        await sweepWorkFolders(context.storage)
        await sweepRetiredAssets(context, context.clock.now())
        await sweepOrphanedOriginals(context, context.clock.now())
      }
      await putBackAbandoned(context.db)
      if ((await workNext(context, options)) === undefined) await pause(pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'An episode could not be made; it will be tried again')
      await pause(afterErrorMs, signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
