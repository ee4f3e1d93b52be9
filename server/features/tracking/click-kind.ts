/** Whose advertisement somebody came by, as the click ids say that their browser carries. Empty: by none. */
export type ClickKind = 'meta' | 'tiktok' | 'both' | ''

/** The kind alone, which is the same for thousands, and not the id, which is one person's. */
export function clickKind(ids: { fbclid: string | undefined; ttclid: string | undefined }): ClickKind {
  const [meta, tiktok] = [ids.fbclid !== undefined, ids.ttclid !== undefined]
  if (meta && tiktok) return 'both'
  if (meta) return 'meta'
  return tiktok ? 'tiktok' : ''
}
