import type { Storage } from './storage.ts'

const maxBytes = 32 * 1024 * 1024

/** An LRU cache of small immutable files in memory. */
export interface FileCache {
  /** @throws Error (ENOENT) if there is no such file */
  read(key: string): Promise<Buffer>
}

/** Creates the cache. Concurrent reads of a file share one load. */
export function createFileCache(storage: Pick<Storage, 'read'>): FileCache {
  const cached = new Map<string, Buffer>()
  const loading = new Map<string, Promise<Buffer>>()
  let bytes = 0
  const addToCache = (key: string, file: Buffer) => {
    cached.set(key, file)
    bytes += file.byteLength
    for (const [oldest, { byteLength }] of cached) {
      if (bytes <= maxBytes) break
      cached.delete(oldest)
      bytes -= byteLength
    }
  }
  return {
    async read(key) {
      const hit = cached.get(key)
      if (hit) {
        cached.delete(key)
        cached.set(key, hit)
        return hit
      }
      const awaited = loading.get(key) ?? storage.read(key).finally(() => loading.delete(key))
      const isFirst = !loading.has(key)
      loading.set(key, awaited)
      const file = await awaited
      if (isFirst) addToCache(key, file)
      return file
    },
  }
}
