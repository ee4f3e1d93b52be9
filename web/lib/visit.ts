import { storage } from './storage.ts'

/** The query parameters that are stored before a navigation (seed, section 2), and the key each is stored under. */
const taken = { token: 'referrer_token', fbclid: 'fbclid', ttclid: 'ttclid' } as const

/**
 * Stores `token`, `fbclid` and `ttclid` of an address.
 * Returns the address without them, or null where it had none.
 */
export function takeVisitParameters(address: URL): string | null {
  let found = false
  for (const [parameter, key] of Object.entries(taken)) {
    const value = address.searchParams.get(parameter)
    if (value === null) continue
    found = true
    if (value) storage.set(key, value)
    address.searchParams.delete(parameter)
  }
  return found ? address.pathname + address.search + address.hash : null
}

/** The ad click ids, which every call carries in its headers and in its query or body. */
export function adIds(): { fbclid?: string; ttclid?: string } {
  const fbclid = storage.get(taken.fbclid)
  const ttclid = storage.get(taken.ttclid)
  return { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
}

export function referrerToken(): string | null {
  return storage.get(taken.token)
}
