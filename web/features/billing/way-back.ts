import { useEffect, useState } from 'react'
import { keep, kept, storage, tabStorage } from '#web/lib/storage.ts'

const key = 'way_back'

/**
 * Keeps where the viewer was before a redirect to a payment page: for this tab, and for the order where they come back in
 * another, since a phone may have closed this one.
 */
export function rememberWay(orderId: string): void {
  const path = location.pathname + location.search
  tabStorage.set(key, path)
  keep(key, { orderId, path })
}

/** Where the viewer was, or null. Forgotten as soon as they leave the screen that asks: a later order has a way of its own. */
export function useWayBack(orderId: string): string | null {
  const [way] = useState(() => readWay(orderId))
  useEffect(() => forgetWay, [])
  return way
}

/** Only a path of ours counts (security.md, "Redirects"). */
function readWay(orderId: string): string | null {
  const path = tabStorage.get(key) ?? wayOfOrder(orderId)
  return path && /^\/(?![/\\])/.test(path) ? path : null
}

function wayOfOrder(orderId: string): string | null {
  const { orderId: remembered, path } = Object(kept(key))
  return remembered === orderId && typeof path === 'string' ? path : null
}

function forgetWay(): void {
  tabStorage.remove(key)
  storage.remove(key)
}
