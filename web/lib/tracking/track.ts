import { consentAnswer } from './consent.ts'

/** An event for the operator's pixels. It is sent only after consent. */
export interface TrackedEvent {
  name:
    | 'PageView'
    | 'ViewContent'
    | 'Search'
    | 'InitiateCheckout'
    | 'Purchase'
    | 'Subscribe'
    | 'CompleteRegistration'
  /**
   * The id of the order or of the new member. The server reports the conversion with the same id, so that platforms
   * count it once.
   */
  eventId?: string
  cents?: number
  currency?: string
  /** The id of the video, episode, plan or top-up. */
  contentId?: string
  /** The search words. */
  searchTerm?: string
}

type Listener = (event: TrackedEvent) => void

interface QueuedEvent {
  event: TrackedEvent
  /**
   * The path of the page where the event happened. The event is reported only while that page is open. Null if any page
   * may report the event.
   */
  path: string | null
}

const maxQueued = 20
/** Events that happen only once. */
const conversions: readonly TrackedEvent['name'][] = ['Purchase', 'Subscribe', 'CompleteRegistration']
let listener: Listener | null = null
let queue: QueuedEvent[] = []

/**
 * Sends an event to the listener. Without a listener, the event is queued while its page is open. After consent, a
 * conversion is queued for any page, because its page redirects at once, possibly before a listener is registered.
 */
export function track(event: TrackedEvent): void {
  if (listener) return listener(event)
  const isForAnyPage = consentAnswer() === true && conversions.includes(event.name)
  queue = [...queue.slice(1 - maxQueued), { event, path: isForAnyPage ? null : location.pathname }]
}

/**
 * Sets the listener, and sends it the queued events of the current page, but not those of pages that were left before
 * consent.
 * @returns a function that removes it
 */
export function onTrackedEvent(newListener: Listener): () => void {
  listener = newListener
  const eventsOfPage = queue.filter(({ path }) => path === null || path === location.pathname)
  queue = []
  for (const { event } of eventsOfPage) newListener(event)
  return () => {
    listener = null
  }
}
