/** No screen makes a longer path, and a longer one would not fit into a cookie. */
const longest = 512

/**
 * A path of this site that somebody may be sent to, as the browser will read it, or undefined for anything else
 * (security.md, "Redirects"). Looked at again once it is normal: `/.//elsewhere` and a tab between slashes lead away.
 */
export function safeRedirect(text: string | null | undefined, publicUrl: string): string | undefined {
  if (!text || text.length > longest || !staysHere(text) || !URL.canParse(text, publicUrl)) return undefined
  const { origin, pathname, search, hash } = new URL(text, publicUrl)
  const path = pathname + search + hash
  return origin === new URL(publicUrl).origin && staysHere(path) ? path : undefined
}

function staysHere(path: string): boolean {
  return /^\/(?![/\\])/.test(path)
}
