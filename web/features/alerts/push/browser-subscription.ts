// The pages and the service worker share these functions.

/**
 * Runs a function in only one page or worker at a time. Otherwise a page could end a subscription that another page has
 * not yet registered with the site.
 */
export const withPushLock = <Result>(run: () => Promise<Result>): Promise<Result> =>
  navigator.locks.request('push', run)

/** Returns the id under which the site lists this browser: the hash of its endpoint. */
export async function hashEndpoint(endpoint: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)))
  // A hash of 32 bytes has one character of padding.
  return base64.slice(0, -1).replace(/[+/]/g, (character) => (character === '+' ? '-' : '_'))
}
