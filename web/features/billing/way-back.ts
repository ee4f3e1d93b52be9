const key = 'way_back'

/** Keeps where the viewer was before a redirect to a payment page. */
export function rememberWay(): void {
  try {
    sessionStorage.setItem(key, location.pathname + location.search)
  } catch {
    // Without it the result page leads to the video's beginning.
  }
}

/** Where the viewer was, or null; only a path of ours counts (security.md, "Redirects"). */
export function wayBack(): string | null {
  try {
    const path = sessionStorage.getItem(key)
    return path && /^\/(?![/\\])/.test(path) ? path : null
  } catch {
    return null
  }
}
