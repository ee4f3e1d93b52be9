import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'

/**
 * Text that a user typed into a form before the session expired. It is stored in this tab, restored when the same user
 * opens the form again, and deleted when the form has been sent. There is one draft at a time. It never contains
 * secrets: each form names the fields that may be stored.
 */
interface Draft {
  owner: string
  value: Record<string, string>
}

const key = 'draft'

export function saveDraft(draft: Draft): void {
  saveRecord(key, draft, tabStorage)
}

/** Returns the stored draft if it belongs to this owner and has at least one of these fields, else undefined. */
export function readDraft(owner: string, fields: readonly string[]): Record<string, string> | undefined {
  const draft = readRecord<Draft>(key, tabStorage)
  const belongsToOwner = draft?.owner === owner && fields.some((field) => field in draft.value)
  return belongsToOwner ? draft.value : undefined
}

export function deleteDraft(): void {
  tabStorage.remove(key)
}
