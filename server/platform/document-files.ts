import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from './clock.ts'

/** Age at which a document is rebuilt. */
const lifetimeMs = 60_000
/** Files are deleted at this age. A response that is still sending such a file keeps it open. */
const unusedMs = 3_600_000

export interface DocumentFiles {
  /**
   * Returns the path of a document's file, building it if it is missing or too old. Concurrent callers wait for the
   * same build.
   */
  pathOf(name: string, write: () => AsyncIterable<string>): Promise<string>
}

/**
 * Caches large documents in files, so that slow clients hold no copy in memory. The documents are the same for all
 * clients.
 */
export function createDocumentFiles(folder: string, clock: Clock): DocumentFiles {
  const built = new Map<string, { until: number; path: Promise<string> }>()
  let deletedAt = 0
  const build = async (name: string, write: () => AsyncIterable<string>) => {
    const path = join(folder, createHash('sha256').update(name).digest('hex'))
    const draft = `${path}.${process.pid}`
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const now = clock.now().getTime()
    if (now >= deletedAt + lifetimeMs) {
      deletedAt = now
      // Uses the real clock, as file times do. The site's clock may have been moved forward.
      await deleteOlder(folder, Date.now() - unusedMs)
    }
    await pipeline(Readable.from(write(), { objectMode: false }), createWriteStream(draft, { mode: 0o600 }))
    await rename(draft, path)
    return path
  }
  return {
    pathOf(name, write) {
      const now = clock.now().getTime()
      const known = built.get(name)
      if (known && known.until > now) return known.path
      for (const [other, { until }] of built) if (until <= now) built.delete(other)
      // No second build starts before this one ends, however long it takes: both would write to the same draft.
      const entry = { until: Infinity, path: build(name, write) }
      built.set(name, entry)
      entry.path.then(
        () => (entry.until = clock.now().getTime() + lifetimeMs),
        () => built.delete(name),
      )
      return entry.path
    },
  }
}

/** Deletes files older than a time, including those of an earlier process. */
async function deleteOlder(folder: string, time: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const written = await stat(path).catch(() => undefined)
    if (written && written.mtimeMs < time) await rm(path, { force: true })
  }
}
