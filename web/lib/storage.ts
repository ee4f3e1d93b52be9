/** Storage that never fails: if the browser's is blocked or full, memory replaces it for this visit. */
function storageOf(browsers: () => Storage) {
  const inMemory = new Map<string, string>()
  return {
    get(key: string): string | null {
      try {
        return browsers().getItem(key) ?? inMemory.get(key) ?? null
      } catch {
        return inMemory.get(key) ?? null
      }
    },
    set(key: string, value: string): void {
      inMemory.set(key, value)
      try {
        browsers().setItem(key, value)
      } catch {
        // Memory has it.
      }
    },
    remove(key: string): void {
      inMemory.delete(key)
      try {
        browsers().removeItem(key)
      } catch {
        // It never had it.
      }
    },
  }
}

/** The browser's storage. */
export const storage = storageOf(() => localStorage)
/** The storage of this tab, which survives a reload. */
export const tabStorage = storageOf(() => sessionStorage)

/** A record that `saveRecord` stored, or undefined. The type is not checked: only `saveRecord` with the same key writes it. */
export function readRecord<T>(key: string, from = storage): T | undefined {
  try {
    const text = from.get(key)
    return text ? (JSON.parse(text) as T) : undefined
  } catch {
    return undefined
  }
}

export function saveRecord<T>(key: string, record: T, into = storage): T {
  into.set(key, JSON.stringify(record))
  return record
}
