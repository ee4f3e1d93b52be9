import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { loadScript, valueOf, type PixelKind } from './pixel.ts'

const address = 'https://analytics.tiktok.com/i18n/pixel/events.js'
/** What its script, once it has arrived, finds asked of it. */
const methods = ['page', 'track', 'identify', 'on', 'ready', 'enableCookie', 'disableCookie'] as const

type Command = (...parts: unknown[]) => void
type Queue = unknown[][] & Record<(typeof methods)[number], Command>

/** The TikTok pixel. */
export const tiktok: PixelKind = {
  name: 'TikTok',
  cookies: ['_ttp', '_tt_'],
  load(id) {
    const queue: unknown[][] = []
    const later = methods.map((method): [string, Command] => [
      method,
      (...parts) => void queue.push([method, ...parts]),
    ])
    // Object.fromEntries forgets which names there are.
    const ttq = Object.assign(queue, Object.fromEntries(later), {
      methods,
      _i: { [id]: Object.assign([], { _u: address }) },
      _t: { [id]: Date.now() },
      _o: { [id]: {} },
    }) as unknown as Queue
    const page = Object.assign(window, { TiktokAnalyticsObject: 'ttq', ttq })
    loadScript(`${address}?sdkid=${encodeURIComponent(id)}&lib=ttq`)
    return {
      send(event) {
        // Its script puts an object of its own in the queue's place.
        if (event.name === 'PageView') page.ttq.page()
        else page.ttq.track(event.name, fieldsOf(event), idOf(event))
      },
    }
  },
}

function fieldsOf(event: TrackedEvent) {
  const { contentId, words } = event
  return {
    ...valueOf(event),
    ...(contentId ? { content_id: contentId, content_type: 'product' } : {}),
    ...(words ? { query: words } : {}),
  }
}

const idOf = ({ eventId }: TrackedEvent) => (eventId ? { event_id: eventId } : {})
