import { adClickIds } from './visit-parameters.ts'

/**
 * Only the studio may frame the site (frame-ancestors). A framed page is therefore an operator's preview and not
 * counted.
 */
const isPreview = globalThis.self !== globalThis.top

/**
 * Sends one of the site's own analytics events. The request outlives the page, nothing waits for it, and its failure is
 * ignored.
 */
export function sendEvent(event: string, fields: Record<string, string> = {}): void {
  if (isPreview) return
  const query = new URLSearchParams({ event, ...adClickIds(), ...fields })
  // `fetch` with keepalive instead of an image, because the request must outlive the page.
  fetch(`/api/statics.png?${query.toString()}`, { keepalive: true, priority: 'low' }).catch(() => {})
}
