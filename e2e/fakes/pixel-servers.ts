import type { BrowserContext } from '@playwright/test'
import { sinkOrigin } from './error-sink.ts'

/** An event that a browser sent to the fake server of an ad platform. */
export interface PixelEvent {
  platform: string
  event: string
  id: string
  fields: Record<string, unknown>
}

export interface PixelServers {
  events: PixelEvent[]
  /** URLs of all requests to hosts other than the site. */
  requests: string[]
  /** Returns the names of the events sent to one platform, in order. */
  eventsOf(platform: string): string[]
}

/** Pixel ids of the test site. */
export const pixelIds = { meta: '1234567890', google: 'G-TEST1', tiktok: 'CTEST2', bigo: '987654' }

/**
 * The relevant parts of the platforms' scripts. Each sends its queued events to its platform as image requests, so the
 * Content-Security-Policy must allow the script and the images.
 */
const scripts: Record<string, string> = {
  'connect.facebook.net': `{
    const sendEvent = (verb, id, event, fields, options) => {
      if (verb === 'trackSingle') new Image().src = 'https://www.facebook.com/tr?' +
        new URLSearchParams({ platform: 'meta', event, id: options.eventID ?? '', fields: JSON.stringify(fields) })
    }
    fbq.callMethod = sendEvent
    for (const parts of fbq.queue.splice(0)) sendEvent(...parts)
  }`,
  'www.googletagmanager.com': `{
    const sendEvent = ([verb, event, fields]) => {
      if (verb === 'event') new Image().src = 'https://region1.google-analytics.com/g/collect?' +
        new URLSearchParams({ platform: 'google', event, id: fields.transaction_id ?? '', fields: JSON.stringify(fields) })
    }
    for (const parts of dataLayer) sendEvent(parts)
    dataLayer.push = sendEvent
  }`,
  'analytics.tiktok.com': `{
    const sendEvent = (verb, event = 'Pageview', fields = {}, options = {}) =>
      (new Image().src = 'https://analytics.tiktok.com/api/v2/pixel?' +
        new URLSearchParams({ platform: 'tiktok', event, id: options.event_id ?? '', fields: JSON.stringify(fields) }))
    const queued = window.ttq
    window.ttq = { page: () => sendEvent('page'), track: (...parts) => sendEvent('track', ...parts) }
    for (const [verb, ...parts] of queued) window.ttq[verb](...parts)
  }`,
  'api.imotech.video': `{
    const sendEvent = ([verb, event, fields]) => {
      if (verb === 'event') new Image().src = 'https://api.bytegle.site/bigoad/trackingevent?' +
        new URLSearchParams({ platform: 'bigo', event, id: fields.event_id ?? '', fields: JSON.stringify(fields) })
    }
    for (const parts of bgdataLayer) sendEvent(parts)
    bgdataLayer.push = sendEvent
  }`,
}

const picture = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')

/** Replaces the servers of all four platforms in the browser. */
export async function interceptPixels(context: BrowserContext, siteUrl: string): Promise<PixelServers> {
  const events: PixelEvent[] = []
  const requests: string[] = []
  await context.route(
    (url) => url.protocol.startsWith('http') && url.origin !== siteUrl && url.origin !== sinkOrigin,
    async (route) => {
      const url = new URL(route.request().url())
      requests.push(url.href)
      const fields = url.searchParams
      if (!fields.has('platform'))
        return route.fulfill({ contentType: 'text/javascript', body: scripts[url.hostname] ?? '' })
      events.push({
        platform: fields.get('platform') ?? '',
        event: fields.get('event') ?? '',
        id: fields.get('id') ?? '',
        fields: JSON.parse(fields.get('fields') ?? '{}'),
      })
      return route.fulfill({ contentType: 'image/gif', body: picture })
    },
  )
  const eventsOf = (wanted: string) =>
    events.filter(({ platform }) => platform === wanted).map(({ event }) => event)
  return { events, requests, eventsOf }
}
