import { mayKeepClickIds, onConsent } from './consent.ts'
import { storage } from '#web/lib/storage.ts'

/** The query parameters that are stored before a navigation (seed, section 2), and the key each is stored under. */
const taken = { token: 'referrer_token', fbclid: 'fbclid', ttclid: 'ttclid' } as const
const clickIds = [taken.fbclid, taken.ttclid]
/** Security.md, "Redirects". Counted as it travels: a server that finds a call's address or headers too long refuses every call. */
const longest = 512

/** The click ids of this visit, in memory until they may be stored. */
const held = new Map<string, string>()
onConsent(settleClickIds)

/**
 * Stores `token`, `fbclid` and `ttclid` of an address.
 * Returns the address without them, or null if it had none.
 */
export function takeVisitParameters(address: URL): string | null {
  let found = false
  for (const [parameter, key] of Object.entries(taken)) {
    const given = address.searchParams.get(parameter)
    if (given === null) continue
    found = true
    const value = bounded(given)
    if (value && (key === taken.token || mayKeepClickIds())) storage.set(key, value)
    else if (value) held.set(key, value)
    address.searchParams.delete(parameter)
  }
  return found ? address.pathname + address.search + address.hash : null
}

/** Writes the click ids down, or takes them back into memory, as the person has just answered. */
function settleClickIds(): void {
  for (const key of clickIds) {
    const value = clickId(key)
    if (value && mayKeepClickIds()) {
      storage.set(key, value)
      held.delete(key)
    } else {
      storage.remove(key)
      if (value) held.set(key, value)
    }
  }
}

/** Null for texts that are longer than any id. */
function bounded(value: string | null): string | null {
  return value && encodeURIComponent(value).length <= longest ? value : null
}

const clickId = (key: string) => held.get(key) ?? bounded(storage.get(key))

/** The ad click ids, which every call carries in its headers and in its query or body. */
export function adIds(): { fbclid?: string; ttclid?: string } {
  const fbclid = clickId(taken.fbclid)
  const ttclid = clickId(taken.ttclid)
  return { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
}

export function referrerToken(): string | null {
  return bounded(storage.get(taken.token))
}
