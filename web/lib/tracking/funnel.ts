import { sendEvent } from './events.ts'
import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'
import { referrerToken } from './visit-parameters.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

/* Events of the conversion funnel. Each is sent once per visit: the start of the visit, each opened video, and each
   video's paywall. A visit belongs to a tab; another campaign link starts a new visit. */

const key = 'funnel'

/** Marks an event as sent in this visit. @returns true if it was not marked before */
function markOnce(marker: string): boolean {
  const sent = readRecord<string[]>(key, tabStorage) ?? []
  if (sent.includes(marker)) return false
  saveRecord(key, [...sent, marker], tabStorage)
  return true
}

function send(event: string, fields: Record<string, string> = {}): void {
  const token = referrerToken()
  sendEvent(event, { ...(token ? { referrer_token: token } : {}), ...fields })
}

/** Runs a function when the page is idle, or when the user leaves the page before that. */
function whenIdleOrLeaving(work: () => void): void {
  let sent = false
  const sendOnce = () => {
    removeEventListener('pagehide', sendOnce)
    if (!sent) work()
    sent = true
  }
  whenIdle(sendOnce)
  addEventListener('pagehide', sendOnce)
}

/**
 * Counts the visit once per tab; called when a document is opened.
 * @param fromCampaignLink true if the URL was a campaign link, which starts a new visit
 */
export function trackVisit(fromCampaignLink: boolean): void {
  if (fromCampaignLink) tabStorage.remove(key)
  if (markOnce('visit')) whenIdleOrLeaving(() => send('visit'))
}

export function trackVideoVisit(videoId: string): void {
  if (markOnce(`video ${videoId}`)) whenIdleOrLeaving(() => send('visit_video', { video_id: videoId }))
}

/** Counts the paywall of a video once per visit. The visit's first paywall is sent with `first`. */
export function trackPaywall(videoId: string): void {
  const first = markOnce('paywall')
  if (markOnce(`paywall ${videoId}`)) send('paywall', { video_id: videoId, ...(first ? { first: '1' } : {}) })
}
