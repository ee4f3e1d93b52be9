/** The advertising platforms whose click ids the browser has; '' if it has none. */
export type ClickKind = 'meta' | 'tiktok' | 'both' | ''

/** Reduces click ids, which identify a user, to their kind, which thousands of users share. */
export function clickKind(ids: { fbclid: string | undefined; ttclid: string | undefined }): ClickKind {
  const [meta, tiktok] = [ids.fbclid !== undefined, ids.ttclid !== undefined]
  if (meta && tiktok) return 'both'
  if (meta) return 'meta'
  return tiktok ? 'tiktok' : ''
}
