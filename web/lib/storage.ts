const inMemory = new Map<string, string>()

/** What the browser keeps for us. Where it keeps nothing (storage blocked or full), memory stands in for this visit. */
export const storage = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key) ?? inMemory.get(key) ?? null
    } catch {
      return inMemory.get(key) ?? null
    }
  },
  set(key: string, value: string): void {
    inMemory.set(key, value)
    try {
      localStorage.setItem(key, value)
    } catch {
      // Memory has it.
    }
  },
  remove(key: string): void {
    inMemory.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {
      // It never had it.
    }
  },
}

/** A record kept by `keep`, or undefined. The type is the keeper's word: only `keep` with the same key writes it. */
export function kept<T>(key: string): T | undefined {
  try {
    const text = storage.get(key)
    return text ? (JSON.parse(text) as T) : undefined
  } catch {
    return undefined
  }
}

export function keep<T>(key: string, record: T): T {
  storage.set(key, JSON.stringify(record))
  return record
}
