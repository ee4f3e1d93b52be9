import { getVideo } from '#contract/catalog.ts'
import type { Db } from '#server/tables.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { readContinuously, type Reads } from './read-continuously.ts'

interface TitleReads extends Reads {
  /** The oldest title that a viewer got had been replaced this many milliseconds before the viewer requested it. */
  oldestMs: number
}

/** Changes the title of a video repeatedly, while a viewer repeatedly reads the title. */
export function measureCacheStaleness(db: Db, url: string, videoId: string): { end(): Promise<TitleReads> } {
  /** The time at which each title was committed. The index is the number in the title. */
  const committedAt: number[] = []
  let oldestMs = 0
  const changes = readContinuously(async () => {
    const titles = JSON.stringify({ en: `Title ${committedAt.length}` })
    await db.updateTable('videos').set({ titles }).where('id', '=', videoId).execute()
    committedAt.push(performance.now())
  })
  const visitor = visitorFactory(url)()
  const reads = readContinuously(async () => {
    const start = performance.now()
    const { title } = await visitor.callOk(getVideo, { query: { id: videoId } })
    const replacedAt = committedAt[Number(title.replace('Title ', '')) + 1]
    if (replacedAt !== undefined) oldestMs = Math.max(oldestMs, start - replacedAt)
  })
  return {
    async end() {
      const { failures } = await changes.end()
      const read = await reads.end()
      return { ...read, failures: [...failures, ...read.failures], oldestMs }
    },
  }
}
