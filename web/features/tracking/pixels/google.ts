import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { loadScript, valueOf, type PixelKind } from './pixel.ts'

const names = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  Search: 'search',
  InitiateCheckout: 'begin_checkout',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  CompleteRegistration: 'sign_up',
} as const satisfies Record<TrackedEvent['name'], string>

/** Google Analytics 4. Its script accepts only `arguments` objects in the queue, not arrays. */
export const google: PixelKind = {
  name: 'Google Analytics',
  cookies: ['_ga', '_gid', '_gat'],
  load(id) {
    const dataLayer: IArguments[] = []
    function gtag(..._parts: unknown[]): void {
      // oxlint-disable-next-line prefer-rest-params
      dataLayer.push(arguments)
    }
    Object.assign(window, { dataLayer, gtag })
    gtag('js', new Date())
    gtag('config', id, { send_page_view: false })
    loadScript(`https://www.googletagmanager.com/gtag/js?id=${encodeURIComponent(id)}`)
    return {
      send(event) {
        // Set explicitly, because the default includes the query and the fragment, which may contain secrets.
        gtag('set', { page_location: location.origin + location.pathname })
        gtag('event', names[event.name], { send_to: id, ...fieldsOf(event) })
      },
    }
  },
}

function fieldsOf(event: TrackedEvent) {
  const { contentId, searchTerm, eventId } = event
  return {
    ...valueOf(event),
    ...(contentId ? { items: [{ item_id: contentId }] } : {}),
    ...(searchTerm ? { search_term: searchTerm } : {}),
    ...(eventId ? { transaction_id: eventId, event_id: eventId } : {}),
  }
}
