/** Maximum length of a path: no screen needs more, and the path must fit into a cookie. */
const longest = 512

/**
 * Returns a path of this site that is safe to redirect to, as the browser will resolve it, or undefined. It is checked
 * again after normalisation: otherwise `/.//elsewhere`, or a tab between slashes, would lead to another site.
 */
export function safeRedirect(text: string | null | undefined, publicUrl: string): string | undefined {
  if (!text || text.length > longest || !isSitePath(text) || !URL.canParse(text, publicUrl)) return undefined
  const { origin, pathname, search, hash } = new URL(text, publicUrl)
  const path = pathname + search + hash
  return origin === new URL(publicUrl).origin && isSitePath(path) ? path : undefined
}

function isSitePath(path: string): boolean {
  return /^\/(?![/\\])/.test(path)
}
