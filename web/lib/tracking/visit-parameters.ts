import { mayStoreClickIds, onConsent } from './consent.ts'
import { storage } from '#web/lib/storage.ts'

/**
 * The query parameters of a visit, each with its storage key. They are stored before a navigation (seed, section 2).
 */
const storageKeys = { token: 'referrer_token', fbclid: 'fbclid', ttclid: 'ttclid' } as const
const clickIds = [storageKeys.fbclid, storageKeys.ttclid]
/**
 * Maximum length of a percent-encoded id. A longer id would make the URL or the headers of every call too long for the
 * server.
 */
const maxIdLength = 512

/** The click ids of this visit that must not be stored without consent. */
const inMemoryClickIds = new Map<string, string>()
onConsent(applyConsentToClickIds)

/** Stores `token`, `fbclid` and `ttclid` from a URL. @returns the URL without them, or null if it contained none */
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

/** Moves the click ids into the browser's storage, or back into memory, as the consent answer allows. */
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

/** Returns the text, or null if it is too long. */
function nullIfTooLong(value: string | null): string | null {
  return value && encodeURIComponent(value).length <= maxIdLength ? value : null
}

const clickId = (key: string) => inMemoryClickIds.get(key) ?? nullIfTooLong(storage.get(key))

/** Returns the ad click ids, which every call sends in headers and in its query or body. */
export function adClickIds(): { fbclid?: string; ttclid?: string } {
  const fbclid = clickId(storageKeys.fbclid)
  const ttclid = clickId(storageKeys.ttclid)
  return { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
}

export function referrerToken(): string | null {
  return nullIfTooLong(storage.get(storageKeys.token))
}
