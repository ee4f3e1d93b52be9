import { settings } from '#web/lib/settings.ts'
import { storage } from '#web/lib/storage.ts'

const key = 'consent'
const listeners = new Set<() => void>()

/** What the person said to marketing in this browser; null if nothing yet. No answer is a no. */
export function consentAnswer(): boolean | null {
  const kept = storage.get(key)
  return kept === null ? null : kept === 'yes'
}

/** Stores the answer and notifies its listeners. */
export function answerConsent(agreed: boolean): void {
  storage.set(key, agreed ? 'yes' : 'no')
  for (const listener of listeners) listener()
}

/** @returns what ends it */
export function onConsent(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a click id may be written down: not after a no, and with `consent: strict` only after a yes. */
export function mayKeepClickIds(): boolean {
  return consentAnswer() ?? settings.consent !== 'strict'
}
