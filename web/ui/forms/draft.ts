import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'

/**
 * What was typed when a session turned out to have ended, kept in this tab until its owner is back. One at a time, and
 * never a secret: a form names the fields that may be kept.
 */
interface Draft {
  owner: string
  value: Record<string, string>
}

const key = 'draft'

export function saveDraft(draft: Draft): void {
  saveRecord(key, draft, tabStorage)
}

/** What the owner had typed into these fields, where one of them was kept. */
export function draftOf(owner: string, fields: readonly string[]): Record<string, string> | undefined {
  const draft = readRecord<Draft>(key, tabStorage)
  const isTheirs = draft?.owner === owner && fields.some((field) => field in draft.value)
  return isTheirs ? draft.value : undefined
}

export function forgetDraft(): void {
  tabStorage.remove(key)
}
