import { useEffect, useState } from 'react'

const key = 'way_back'

/** Keeps where the viewer was before a redirect to a payment page. */
export function rememberWay(): void {
  try {
    sessionStorage.setItem(key, location.pathname + location.search)
  } catch {
    // Without it the result page leads to the video's beginning.
  }
}

/** Where the viewer was, or null. Forgotten as soon as they leave the screen that asks: a later order has a way of its own. */
export function useWayBack(): string | null {
  const [way] = useState(readWay)
  useEffect(() => forgetWay, [])
  return way
}

/** Only a path of ours counts (security.md, "Redirects"). */
function readWay(): string | null {
  try {
    const path = sessionStorage.getItem(key)
    return path && /^\/(?![/\\])/.test(path) ? path : null
  } catch {
    return null
  }
}

function forgetWay(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Nothing was kept.
  }
}
