interface InAppBrowser {
  app: 'Facebook' | 'Instagram' | 'TikTok'
  android: boolean
}

/** What each app's browser calls itself; Facebook's marks are looked for last, since its sisters carry some of them. */
const marks: [InAppBrowser['app'], RegExp][] = [
  ['Instagram', /\bInstagram\b/],
  ['TikTok', /musical_ly|BytedanceWebview|ByteLocale|\btrill_|\bTikTok\b/i],
  ['Facebook', /\bFBA[NV]\b|\bFB_IAB\b|\bFBIOS\b/],
]

/** The app whose own browser this is; undefined for a browser that the person has chosen. */
export function inAppBrowser(userAgent: string): InAppBrowser | undefined {
  const app = marks.find(([, mark]) => mark.test(userAgent))?.[0]
  return app && { app, android: /\bAndroid\b/.test(userAgent) }
}

/** An address that Android opens in the person's own browser (Chrome's "intent:" links). */
export function intentLink(address: string): string {
  const { protocol, host, pathname, search } = new URL(address)
  const fallback = encodeURIComponent(address)
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;S.browser_fallback_url=${fallback};end`
}
