import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { loadScript, valueOf, type PixelKind } from './pixel.ts'

const address = 'https://analytics.tiktok.com/i18n/pixel/events.js'
/** Methods that queue their calls until TikTok's script has loaded. */
const methods = ['page', 'track', 'identify', 'on', 'ready', 'enableCookie', 'disableCookie'] as const

type Command = (...parts: unknown[]) => void
type Queue = unknown[][] & Record<(typeof methods)[number], Command>

/** The TikTok pixel. */
export const tiktok: PixelKind = {
  name: 'TikTok',
  cookies: ['_ttp', '_tt_'],
  load(id) {
    const queue: unknown[][] = []
    const queuedMethods = methods.map((method): [string, Command] => [
      method,
      (...parts) => void queue.push([method, ...parts]),
    ])
    // `Object.fromEntries` loses the type of the names.
    const ttq = Object.assign(queue, Object.fromEntries(queuedMethods), {
      methods,
      _i: { [id]: Object.assign([], { _u: address }) },
      _t: { [id]: Date.now() },
      _o: { [id]: {} },
    }) as unknown as Queue
    const page = Object.assign(window, { TiktokAnalyticsObject: 'ttq', ttq })
    loadScript(`${address}?sdkid=${encodeURIComponent(id)}&lib=ttq`)
    return {
      send(event) {
        // Read from `window`, because TikTok's script replaces the queue with its own object.
        if (event.name === 'PageView') page.ttq.page()
        else page.ttq.track(event.name, fieldsOf(event), idOf(event))
      },
    }
  },
}

function fieldsOf(event: TrackedEvent) {
  const { contentId, searchTerm } = event
  return {
    ...valueOf(event),
    ...(contentId ? { content_id: contentId, content_type: 'product' } : {}),
    ...(searchTerm ? { query: searchTerm } : {}),
  }
}

const idOf = ({ eventId }: TrackedEvent) => (eventId ? { event_id: eventId } : {})
