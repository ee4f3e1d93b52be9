import type { Storage } from '#server/platform/storage/storage.ts'

/** Returns the storage with older files: each was stored this many milliseconds earlier. */
export function agedStorage(storage: Storage, ms: number): Storage {
  return {
    ...storage,
    async *list(folder) {
      for await (const file of storage.list(folder))
        yield { ...file, modifiedAt: new Date(file.modifiedAt.getTime() - ms) }
    },
  }
}
