/** Wraps a storage so that it never fails: if the browser's is blocked or full, memory replaces it for this visit. */
function createSafeStorage(getBrowserStorage: () => Storage) {
  const inMemory = new Map<string, string>()
  return {
    get(key: string): string | null {
      try {
        return getBrowserStorage().getItem(key) ?? inMemory.get(key) ?? null
      } catch {
        return inMemory.get(key) ?? null
      }
    },
    set(key: string, value: string): void {
      inMemory.set(key, value)
      try {
        getBrowserStorage().setItem(key, value)
      } catch {
        // The value is in memory.
      }
    },
    remove(key: string): void {
      inMemory.delete(key)
      try {
        getBrowserStorage().removeItem(key)
      } catch {
        // The value was never stored in the browser.
      }
    },
  }
}

/** The browser's local storage. */
export const storage = createSafeStorage(() => localStorage)
/** This tab's storage, which survives a reload. */
export const tabStorage = createSafeStorage(() => sessionStorage)

/** Returns a record stored by `saveRecord`, or undefined. The type is not checked, because only `saveRecord` writes the key. */
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
