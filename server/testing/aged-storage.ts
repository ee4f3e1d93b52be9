import type { Storage } from '#server/platform/storage/storage.ts'

/** Wraps a storage so that its files appear to have been stored `ms` milliseconds earlier. */
export function agedStorage(storage: Storage, ms: number): Storage {
  return {
    ...storage,
    async *list(folder) {
      for await (const file of storage.list(folder))
        yield { ...file, modifiedAt: new Date(file.modifiedAt.getTime() - ms) }
    },
  }
}
