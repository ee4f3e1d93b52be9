import { mayKeepClickIds, onConsent } from './consent.ts'
import { storage } from '#web/lib/storage.ts'

/** Query parameters that are stored before a navigation (seed, section 2), and the storage key of each. */
const taken = { token: 'referrer_token', fbclid: 'fbclid', ttclid: 'ttclid' } as const
const clickIds = [taken.fbclid, taken.ttclid]
/**
 * Maximum length of an id, percent-encoded. Longer ones would make a server reject every call, because its URL or headers are too
 * long.
 */
const longest = 512

/** The click ids of this visit, in memory until they may be stored. */
const held = new Map<string, string>()
onConsent(settleClickIds)

/** Stores `token`, `fbclid` and `ttclid` of a URL. @returns the URL without them, or null if it had none */
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

/** Stores the click ids, or moves them back into memory, according to the consent answer. */
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

/** Returns null for texts longer than the maximum. */
function bounded(value: string | null): string | null {
  return value && encodeURIComponent(value).length <= longest ? value : null
}

const clickId = (key: string) => held.get(key) ?? bounded(storage.get(key))

/** Returns the ad click ids, which every call sends in its headers and in its query or body. */
export function adIds(): { fbclid?: string; ttclid?: string } {
  const fbclid = clickId(taken.fbclid)
  const ttclid = clickId(taken.ttclid)
  return { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
}

export function referrerToken(): string | null {
  return bounded(storage.get(taken.token))
}
