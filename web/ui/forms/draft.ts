import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'

/**
 * Text that was typed when a session had expired, stored in this tab until its owner signs in again. One at a time, and never a
 * secret: a form names the fields that may be stored.
 */
interface Draft {
  owner: string
  value: Record<string, string>
}

const key = 'draft'

export function saveDraft(draft: Draft): void {
  saveRecord(key, draft, tabStorage)
}

/** Returns what the owner had typed into these fields, if any of them was stored. */
export function readDraft(owner: string, fields: readonly string[]): Record<string, string> | undefined {
  const draft = readRecord<Draft>(key, tabStorage)
  const belongsToOwner = draft?.owner === owner && fields.some((field) => field in draft.value)
  return belongsToOwner ? draft.value : undefined
}

export function deleteDraft(): void {
  tabStorage.remove(key)
}
