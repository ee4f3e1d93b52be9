import { useEffect, useState } from 'react'

const key = 'way_back'

/**
 * Keeps where the viewer was before a redirect to a payment page: for this tab, and for the order where they come back in
 * another, since a phone may have closed this one.
 */
export function rememberWay(orderId: string): void {
  try {
    const path = location.pathname + location.search
    sessionStorage.setItem(key, path)
    localStorage.setItem(key, JSON.stringify({ orderId, path }))
  } catch {
    // Without it the result page leads to the video's beginning.
  }
}

/** Where the viewer was, or null. Forgotten as soon as they leave the screen that asks: a later order has a way of its own. */
export function useWayBack(orderId: string): string | null {
  const [way] = useState(() => readWay(orderId))
  useEffect(() => forgetWay, [])
  return way
}

/** Only a path of ours counts (security.md, "Redirects"). */
function readWay(orderId: string): string | null {
  try {
    const path = sessionStorage.getItem(key) ?? wayOfOrder(orderId)
    return path && /^\/(?![/\\])/.test(path) ? path : null
  } catch {
    return null
  }
}

function wayOfOrder(orderId: string): string | null {
  const { orderId: remembered, path } = Object(JSON.parse(localStorage.getItem(key) ?? 'null'))
  return remembered === orderId && typeof path === 'string' ? path : null
}

function forgetWay(): void {
  try {
    sessionStorage.removeItem(key)
    localStorage.removeItem(key)
  } catch {
    // Nothing was kept.
  }
}
