interface InAppBrowser {
  app: 'Facebook' | 'Instagram' | 'TikTok'
  android: boolean
}

/**
 * A pattern for the user agents of each app's in-app browser. Facebook is last, because its pattern also matches some
 * of the company's other apps.
 */
const userAgentMarkers: [InAppBrowser['app'], RegExp][] = [
  ['Instagram', /\bInstagram\b/],
  ['TikTok', /musical_ly|BytedanceWebview|ByteLocale|\btrill_|\bTikTok\b/i],
  ['Facebook', /\bFBA[NV]\b|\bFB_IAB\b|\bFBIOS\b/],
]

/** Returns the app whose in-app browser has this user agent; undefined for a regular browser. */
export function inAppBrowser(userAgent: string): InAppBrowser | undefined {
  const app = userAgentMarkers.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return app && { app, android: /\bAndroid\b/.test(userAgent) }
}

/** Returns a link that opens an address in the user's default browser on Android (an "intent:" link of Chrome). */
export function intentLink(address: string): string {
  const { protocol, host, pathname, search } = new URL(address)
  const fallback = encodeURIComponent(address)
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;S.browser_fallback_url=${fallback};end`
}
