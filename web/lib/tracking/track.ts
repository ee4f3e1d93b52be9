import { consentAnswer } from './consent.ts'

/** An event for the operator's pixels, once the person has agreed. */
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
  /** The video, plan or episode that it is about. */
  contentId?: string
  /** What was searched for. */
  words?: string
}

type Listener = (event: TrackedEvent) => void

interface Waiting {
  event: TrackedEvent
  /** The only page on which it is reported; null for any page. */
  path: string | null
}

const most = 20
/** Events that are reported only once. */
const conversions: readonly TrackedEvent['name'][] = ['Purchase', 'Subscribe', 'CompleteRegistration']
let listener: Listener | null = null
let waiting: Waiting[] = []

/**
 * Hands an event on; while nobody listens it waits for as long as its page is shown. A conversion of somebody who has agreed
 * waits longer: the page with the news leads on at once, and whoever listens may come after that.
 */
export function track(event: TrackedEvent): void {
  if (listener) return listener(event)
  const anywhere = consentAnswer() === true && conversions.includes(event.name)
  waiting = [...waiting.slice(1 - most), { event, path: anywhere ? null : location.pathname }]
}

/**
 * Listens from now on, and hears what happened on the page that is shown; of pages left before the person agreed nobody hears.
 * @returns what ends it
 */
export function onTracked(hear: Listener): () => void {
  listener = hear
  const here = waiting.filter(({ path }) => path === null || path === location.pathname)
  waiting = []
  for (const { event } of here) hear(event)
  return () => {
    listener = null
  }
}
