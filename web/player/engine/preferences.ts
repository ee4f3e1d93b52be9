import { saveRecord, readRecord } from '#web/lib/storage.ts'

export interface Preferences {
  muted: boolean
  /** Greater than 0 and at most 1. */
  volume: number
  rate: number
  /** The language of the captions; null turns them off, and undefined means the interface language. */
  captions?: string | null
  /** The shorter side of the chosen rendition, or null for automatic. */
  quality: number | null
  /** True if the browser refused to play sound without a tap, so that playback is muted; not stored. */
  mutedByBrowser: boolean
}

const listeners = new Set<() => void>()
let current: Preferences = {
  muted: false,
  volume: 1,
  rate: 1,
  quality: null,
  ...readRecord<Partial<Preferences>>('player'),
  mutedByBrowser: false,
}

/** The viewer's playback preferences: the same for every episode, stored between visits. */
export const preferences = {
  get: (): Preferences => current,
  set(change: Partial<Preferences>): void {
    current = { ...current, ...change }
    const { mutedByBrowser: _forThisVisit, ...persisted } = current
    saveRecord('player', persisted)
    for (const listener of listeners) listener()
  },
  /** Registers a listener. @returns a function that removes it */
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
