/**
 * What was typed when a session turned out to have ended, kept in this tab until its owner is back. One at a time, and
 * never a secret: a form names the fields that may be kept.
 */
interface Draft {
  owner: string
  value: Record<string, string>
}

const key = 'draft'

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Then it has to be typed again.
  }
}

/** What the owner had typed into these fields, where one of them was kept. */
export function draftOf(owner: string, fields: readonly string[]): Record<string, string> | undefined {
  const draft = readDraft()
  const isTheirs = draft?.owner === owner && fields.some((field) => field in draft.value)
  return isTheirs ? draft.value : undefined
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // None was kept.
  }
}

function readDraft(): Draft | undefined {
  try {
    // Only keepDraft writes it.
    return JSON.parse(sessionStorage.getItem(key) ?? '') as Draft
  } catch {
    return undefined
  }
}
