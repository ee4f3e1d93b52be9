/**
 * Wraps a browser storage so that it never throws. If the storage is blocked or full, keeps values in memory for this
 * visit.
 */
function createSafeStorage(getBrowserStorage: () => Storage) {
  const inMemory = new Map<string, string>()
  const removeStored = (key: string) => {
    try {
      getBrowserStorage().removeItem(key)
    } catch {
      // The storage is blocked, so it does not contain the value.
    }
  }
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
        // The value is in memory only. An older stored value would hide it, so that value is removed.
        removeStored(key)
      }
    },
    remove(key: string): void {
      inMemory.delete(key)
      removeStored(key)
    },
  }
}

/** The browser's local storage. */
export const storage = createSafeStorage(() => localStorage)
/** The storage of this tab, which survives a reload. */
export const tabStorage = createSafeStorage(() => sessionStorage)

/**
 * Returns a record stored by `saveRecord`, or undefined. The type is not validated, because only `saveRecord` writes
 * these keys.
 */
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
