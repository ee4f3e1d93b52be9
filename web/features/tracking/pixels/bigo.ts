import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { loadScript, valueOf, type PixelKind } from './pixel.ts'

/**
 * BIGO Ads' names of the events. BIGO Ads has no web events for a search or a subscription. So a search is sent as a
 * custom event, and a subscription as a purchase.
 */
const names = {
  PageView: 'page_view',
  ViewContent: 'ec_detail_view',
  Search: 'search',
  InitiateCheckout: 'ec_order',
  Purchase: 'ec_purchase',
  Subscribe: 'ec_purchase',
  CompleteRegistration: 'ec_register',
} as const satisfies Record<TrackedEvent['name'], string>

/** The BIGO Ads pixel. Its script, like Google's script, accepts only `arguments` objects in the queue, not arrays. */
export const bigo: PixelKind = {
  name: 'BIGO Ads',
  cookies: ['_bge_'],
  load(id) {
    const bgdataLayer: IArguments[] = []
    function bge(..._parts: unknown[]): void {
      // oxlint-disable-next-line prefer-rest-params
      bgdataLayer.push(arguments)
    }
    Object.assign(window, { bgdataLayer, bge })
    bge('init', id)
    loadScript(`https://api.imotech.video/ad/events.js?pixel_id=${encodeURIComponent(id)}`)
    return { send: (event) => bge('event', names[event.name], fieldsOf(event)) }
  },
}

function fieldsOf(event: TrackedEvent) {
  const { contentId, searchTerm, eventId } = event
  return {
    ...valueOf(event),
    ...(contentId ? { content_id: contentId } : {}),
    ...(searchTerm ? { query: searchTerm } : {}),
    ...(eventId ? { event_id: eventId } : {}),
  }
}
