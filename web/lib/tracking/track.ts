import { consentAnswer } from './consent.ts'

/** An event for the operator's pixels, sent only after consent. */
export interface TrackedEvent {
  name:
    | 'PageView'
    | 'ViewContent'
    | 'Search'
    | 'InitiateCheckout'
    | 'Purchase'
    | 'Subscribe'
    | 'CompleteRegistration'
  /** The server reports conversions under the same id (the order's or the new member's), so that platforms count each once. */
  eventId?: string
  cents?: number
  currency?: string
  /** The id of the video, plan or episode. */
  contentId?: string
  /** The search words. */
  searchTerm?: string
}

type Listener = (event: TrackedEvent) => void

interface QueuedEvent {
  event: TrackedEvent
  /** The only page on which the event is reported; null for any page. */
  path: string | null
}

const maxQueued = 20
/** Events that are reported only once. */
const conversions: readonly TrackedEvent['name'][] = ['Purchase', 'Subscribe', 'CompleteRegistration']
let listener: Listener | null = null
let queue: QueuedEvent[] = []

/**
 * Delivers an event. Without a listener it waits while its page is shown. A conversion after consent waits longer, because its page
 * redirects at once and the listener may be registered only after that.
 */
export function track(event: TrackedEvent): void {
  if (listener) return listener(event)
  const isForAnyPage = consentAnswer() === true && conversions.includes(event.name)
  queue = [...queue.slice(1 - maxQueued), { event, path: isForAnyPage ? null : location.pathname }]
}

/**
 * Registers the listener. It receives events of the current page, but none of pages left before consent.
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
