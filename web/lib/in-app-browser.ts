interface InAppBrowser {
  app: 'Facebook' | 'Instagram' | 'TikTok'
  android: boolean
}

/** User-agent markers of each app's browser. Facebook's are checked last, since its sister apps use some of them too. */
const userAgentMarkers: [InAppBrowser['app'], RegExp][] = [
  ['Instagram', /\bInstagram\b/],
  ['TikTok', /musical_ly|BytedanceWebview|ByteLocale|\btrill_|\bTikTok\b/i],
  ['Facebook', /\bFBA[NV]\b|\bFB_IAB\b|\bFBIOS\b/],
]

/** Returns the app whose in-app browser this is; undefined for a regular browser. */
export function inAppBrowser(userAgent: string): InAppBrowser | undefined {
  const app = userAgentMarkers.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return app && { app, android: /\bAndroid\b/.test(userAgent) }
}

/** Returns a link that Android opens in the user's default browser (Chrome's "intent:" links). */
export function intentLink(address: string): string {
  const { protocol, host, pathname, search } = new URL(address)
  const fallback = encodeURIComponent(address)
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;S.browser_fallback_url=${fallback};end`
}
