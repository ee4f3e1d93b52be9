import { useEffect, useState } from 'react'
import { saveRecord, readRecord, storage, tabStorage } from '#web/lib/storage.ts'

const key = 'return_path'

/**
 * Stores the current page before a redirect to a payment page. It is stored for this tab. It is also stored with the
 * order id for any other tab, because a phone may close this tab in the meantime.
 */
export function rememberReturnPath(orderId: string): void {
  const path = location.pathname + location.search
  tabStorage.set(key, path)
  saveRecord(key, { orderId, path })
}

/**
 * Returns the page stored before the redirect, or null. Deletes it on unmount, because a later order stores its own
 * path.
 */
export function useReturnPath(orderId: string): string | null {
  const [path] = useState(() => readReturnPath(orderId))
  useEffect(() => forgetReturnPath, [])
  return path
}

/** Accepts only paths of this site, so that a stored value cannot redirect to another site. */
function readReturnPath(orderId: string): string | null {
  const path = tabStorage.get(key) ?? pathOfOrder(orderId)
  return path && /^\/(?![/\\])/.test(path) ? path : null
}

function pathOfOrder(orderId: string): string | null {
  const { orderId: remembered, path } = Object(readRecord(key))
  return remembered === orderId && typeof path === 'string' ? path : null
}

function forgetReturnPath(): void {
  tabStorage.remove(key)
  storage.remove(key)
}
