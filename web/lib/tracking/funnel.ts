import { sendEvent } from './events.ts'
import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'
import { referrerToken } from './visit-parameters.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

/* Events of the conversion funnel, each sent once a visit: the visit's start, each opened video, and the first paywall. A visit
   belongs to a tab; another campaign link starts a new one. */

const key = 'funnel'

/** Records a marker. @returns whether it is the first time in the visit */
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

/** Runs when idle, or when the page is left before that. */
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

/** Records that the page was opened or shown again. @param fromCampaignLink whether a campaign link led there */
export function trackVisit(fromCampaignLink: boolean): void {
  if (fromCampaignLink) tabStorage.remove(key)
  if (markOnce('visit')) whenIdleOrLeaving(() => send('visit'))
}

export function trackVideoVisit(videoId: string): void {
  if (markOnce(`video ${videoId}`)) whenIdleOrLeaving(() => send('visit_video', { video_id: videoId }))
}

/** Records that a paywall was shown. */
export function trackPaywall(videoId: string): void {
  const first = markOnce('paywall')
  if (markOnce(`paywall ${videoId}`)) send('paywall', { video_id: videoId, ...(first ? { first: '1' } : {}) })
}
