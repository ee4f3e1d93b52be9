import { adIds } from './visit.ts'

/** Nobody else may frame the site (frame-ancestors), so whoever sees it in a frame is an operator at the studio's preview. */
const isPreview = globalThis.self !== globalThis.top

/** Records one of the site's own analytics events. A beacon: nobody waits for it, and its failure is nobody's trouble. */
export function sendEvent(event: string, fields: Record<string, string> = {}): void {
  if (isPreview) return
  const query = new URLSearchParams({ event, ...adIds(), ...fields })
  // Not an image: what is sent as the page goes must outlive it.
  fetch(`/api/statics.png?${query.toString()}`, { keepalive: true, priority: 'low' }).catch(() => {})
}
