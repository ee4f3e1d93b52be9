import type { Storage } from './storage.ts'

const mostBytes = 32 * 1024 * 1024

/** An LRU cache of small immutable files in memory. */
export interface FileCache {
  /** @throws Error (ENOENT) if there is no such file */
  read(key: string): Promise<Buffer>
}

/** Creates the cache. Concurrent reads of a file share one load. */
export function createFileCache(storage: Pick<Storage, 'read'>): FileCache {
  const kept = new Map<string, Buffer>()
  const coming = new Map<string, Promise<Buffer>>()
  let bytes = 0
  const keep = (key: string, file: Buffer) => {
    kept.set(key, file)
    bytes += file.byteLength
    for (const [oldest, { byteLength }] of kept) {
      if (bytes <= mostBytes) break
      kept.delete(oldest)
      bytes -= byteLength
    }
  }
  return {
    async read(key) {
      const there = kept.get(key)
      if (there) {
        kept.delete(key)
        kept.set(key, there)
        return there
      }
      const awaited = coming.get(key) ?? storage.read(key).finally(() => coming.delete(key))
      const isFirst = !coming.has(key)
      coming.set(key, awaited)
      const file = await awaited
      if (isFirst) keep(key, file)
      return file
    },
  }
}
