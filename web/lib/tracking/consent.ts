import { settings } from '#web/lib/settings.ts'
import { storage } from '#web/lib/storage.ts'

const key = 'consent'
const listeners = new Set<() => void>()

/** Returns this browser's stored answer about marketing. A missing answer is null and counts as no. */
export function consentAnswer(): boolean | null {
  const stored = storage.get(key)
  return stored === null ? null : stored === 'yes'
}

/** Stores the answer and calls the listeners: they start or stop the pixels, and store or delete click ids. */
export function answerConsent(agreed: boolean): void {
  storage.set(key, agreed ? 'yes' : 'no')
  for (const listener of listeners) listener()
}

/** Registers a listener for new answers. @returns a function that removes it */
export function onConsent(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Returns whether click ids may be stored. Without an answer, they may be stored unless the setting is `consent:
 * strict`.
 */
export function mayStoreClickIds(): boolean {
  return consentAnswer() ?? settings.consent !== 'strict'
}
