import { mayStoreClickIds, onConsent } from './consent.ts'
import { storage } from '#web/lib/storage.ts'

/** Query parameters that are stored before a navigation (seed, section 2), and the storage key of each. */
const storageKeys = { token: 'referrer_token', fbclid: 'fbclid', ttclid: 'ttclid' } as const
const clickIds = [storageKeys.fbclid, storageKeys.ttclid]
/**
 * Maximum length of an id, percent-encoded. Longer ones would make a server reject every call, because its URL or headers are too
 * long.
 */
const maxIdLength = 512

/** The click ids of this visit, in memory until they may be stored. */
const inMemoryClickIds = new Map<string, string>()
onConsent(applyConsentToClickIds)

/** Stores `token`, `fbclid` and `ttclid` of a URL. @returns the URL without them, or null if it had none */
export function storeVisitParameters(address: URL): string | null {
  let found = false
  for (const [parameter, key] of Object.entries(storageKeys)) {
    const rawValue = address.searchParams.get(parameter)
    if (rawValue === null) continue
    found = true
    const value = nullIfTooLong(rawValue)
    if (value && (key === storageKeys.token || mayStoreClickIds())) storage.set(key, value)
    else if (value) inMemoryClickIds.set(key, value)
    address.searchParams.delete(parameter)
  }
  return found ? address.pathname + address.search + address.hash : null
}

/** Stores the click ids, or moves them back into memory, according to the consent answer. */
function applyConsentToClickIds(): void {
  for (const key of clickIds) {
    const value = clickId(key)
    if (value && mayStoreClickIds()) {
      storage.set(key, value)
      inMemoryClickIds.delete(key)
    } else {
      storage.remove(key)
      if (value) inMemoryClickIds.set(key, value)
    }
  }
}

/** Returns null for texts longer than the maximum. */
function nullIfTooLong(value: string | null): string | null {
  return value && encodeURIComponent(value).length <= maxIdLength ? value : null
}

const clickId = (key: string) => inMemoryClickIds.get(key) ?? nullIfTooLong(storage.get(key))

/** Returns the ad click ids, which every call sends in its headers and in its query or body. */
export function adClickIds(): { fbclid?: string; ttclid?: string } {
  const fbclid = clickId(storageKeys.fbclid)
  const ttclid = clickId(storageKeys.ttclid)
  return { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
}

export function referrerToken(): string | null {
  return nullIfTooLong(storage.get(storageKeys.token))
}
