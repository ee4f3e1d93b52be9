/** The advertising platforms whose click ids the browser has; empty without any. */
export type ClickKind = 'meta' | 'tiktok' | 'both' | ''

/** Returns only the kind, which thousands share, instead of the id, which identifies a user. */
export function clickKind(ids: { fbclid: string | undefined; ttclid: string | undefined }): ClickKind {
  const [meta, tiktok] = [ids.fbclid !== undefined, ids.ttclid !== undefined]
  if (meta && tiktok) return 'both'
  if (meta) return 'meta'
  return tiktok ? 'tiktok' : ''
}
