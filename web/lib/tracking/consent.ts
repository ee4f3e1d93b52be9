import { settings } from '#web/lib/settings.ts'
import { storage } from '#web/lib/storage.ts'

const key = 'consent'
const listeners = new Set<() => void>()

/** Returns the consent to marketing stored in this browser; null if there is no answer, which counts as no. */
export function consentAnswer(): boolean | null {
  const stored = storage.get(key)
  return stored === null ? null : stored === 'yes'
}

/** Stores the answer and notifies its listeners. */
export function answerConsent(agreed: boolean): void {
  storage.set(key, agreed ? 'yes' : 'no')
  for (const listener of listeners) listener()
}

/** Registers a listener for answers. @returns a function that removes it */
export function onConsent(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns whether a click id may be stored: not after a no, and with `consent: strict` only after a yes. */
export function mayStoreClickIds(): boolean {
  return consentAnswer() ?? settings.consent !== 'strict'
}
