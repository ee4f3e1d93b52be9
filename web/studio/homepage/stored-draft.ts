import type { ResultOf } from '#contract/endpoint.ts'
import type { previewHomepage } from '#contract/studio/homepage.ts'
import { saveRecord, readRecord, storage } from '#web/lib/storage.ts'

/**
 * The storage keys of the draft, and of the operator who edits it. web/features/catalog/queries.ts reads the draft for
 * `/?draft`.
 */
const [draftKey, ownerKey] = ['homepage-draft', 'homepage-draft-of']

/** Stores the homepage of a draft in this browser, for its preview. */
export function storeDraft(operatorId: string, homepage: ResultOf<typeof previewHomepage>): void {
  saveRecord(ownerKey, operatorId)
  saveRecord(draftKey, homepage)
}

/** Deletes a stored draft, unless it belongs to this operator. */
export function clearDraftOfOtherOperator(operatorId: string | undefined): void {
  if (operatorId !== undefined && readRecord<string>(ownerKey) === operatorId) return
  storage.remove(draftKey)
  storage.remove(ownerKey)
}
