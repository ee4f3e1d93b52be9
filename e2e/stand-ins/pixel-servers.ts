import type { BrowserContext } from '@playwright/test'
import { sinkOrigin } from './error-sink.ts'

/** What a stand-in of a platform's server was told by a browser. */
export interface Told {
  platform: string
  event: string
  id: string
  fields: Record<string, unknown>
}

export interface PixelServers {
  told: Told[]
  /** Everything that was asked of any host but the site's own. */
  asked: string[]
  /** The events that one platform was told of, in order. */
  eventsOf(platform: string): string[]
}

/** The pixels that the browser tests' site is set up with. */
export const pixelIds = { meta: '1234567890', google: 'G-TEST1', tiktok: 'CTEST2', bigo: '987654' }

/**
 * The platforms' scripts, as far as they matter: each takes what waits in its queue and tells its server by a picture, so
 * that the documents' policy has to let both through.
 */
const scripts: Record<string, string> = {
  'connect.facebook.net': `{
    const tell = (verb, id, event, fields, options) => {
      if (verb === 'trackSingle') new Image().src = 'https://www.facebook.com/tr?' +
        new URLSearchParams({ platform: 'meta', event, id: options.eventID ?? '', fields: JSON.stringify(fields) })
    }
    fbq.callMethod = tell
    for (const parts of fbq.queue.splice(0)) tell(...parts)
  }`,
  'www.googletagmanager.com': `{
    const tell = ([verb, event, fields]) => {
      if (verb === 'event') new Image().src = 'https://region1.google-analytics.com/g/collect?' +
        new URLSearchParams({ platform: 'google', event, id: fields.transaction_id ?? '', fields: JSON.stringify(fields) })
    }
    for (const parts of dataLayer) tell(parts)
    dataLayer.push = tell
  }`,
  'analytics.tiktok.com': `{
    const tell = (verb, event = 'Pageview', fields = {}, options = {}) =>
      (new Image().src = 'https://analytics.tiktok.com/api/v2/pixel?' +
        new URLSearchParams({ platform: 'tiktok', event, id: options.event_id ?? '', fields: JSON.stringify(fields) }))
    const waiting = window.ttq
    window.ttq = { page: () => tell('page'), track: (...parts) => tell('track', ...parts) }
    for (const [verb, ...parts] of waiting) window.ttq[verb](...parts)
  }`,
  'api.imotech.video': `{
    const tell = ([verb, event, fields]) => {
      if (verb === 'event') new Image().src = 'https://api.bytegle.site/bigoad/trackingevent?' +
        new URLSearchParams({ platform: 'bigo', event, id: fields.event_id ?? '', fields: JSON.stringify(fields) })
    }
    for (const parts of bgdataLayer) tell(parts)
    bgdataLayer.push = tell
  }`,
}

const picture = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')

/** Stands in for the servers of all four platforms. */
export async function standIn(context: BrowserContext, siteUrl: string): Promise<PixelServers> {
  const told: Told[] = []
  const asked: string[] = []
  await context.route(
    (url) => url.protocol.startsWith('http') && url.origin !== siteUrl && url.origin !== sinkOrigin,
    async (route) => {
      const url = new URL(route.request().url())
      asked.push(url.href)
      const fields = url.searchParams
      if (!fields.has('platform'))
        return route.fulfill({ contentType: 'text/javascript', body: scripts[url.hostname] ?? '' })
      told.push({
        platform: fields.get('platform') ?? '',
        event: fields.get('event') ?? '',
        id: fields.get('id') ?? '',
        fields: JSON.parse(fields.get('fields') ?? '{}'),
      })
      return route.fulfill({ contentType: 'image/gif', body: picture })
    },
  )
  const eventsOf = (wanted: string) =>
    told.filter(({ platform }) => platform === wanted).map(({ event }) => event)
  return { told, asked, eventsOf }
}
