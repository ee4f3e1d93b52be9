import { adClickIds } from './visit-parameters.ts'

/** Only the studio may frame the site (frame-ancestors), so a framed page is an operator's preview. */
const isPreview = globalThis.self !== globalThis.top

/** Records one of the site's own analytics events as a beacon: nothing waits for it, and its failure has no effect. */
export function sendEvent(event: string, fields: Record<string, string> = {}): void {
  if (isPreview) return
  const query = new URLSearchParams({ event, ...adClickIds(), ...fields })
  // Not an image, because the request must outlive the page.
  fetch(`/api/statics.png?${query.toString()}`, { keepalive: true, priority: 'low' }).catch(() => {})
}
