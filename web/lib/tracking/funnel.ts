import { sendEvent } from './events.ts'
import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'
import { referrerToken } from './visit.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

/*
 * What the site counts of the way to a payment, each once a visit: that it began, which videos were opened in it, where it met a locked
 * episode. A visit is one of a tab; another link begins another.
 */

const key = 'funnel'

/** @returns whether this is the first time in the visit */
function once(mark: string): boolean {
  const sent = readRecord<string[]>(key, tabStorage) ?? []
  if (sent.includes(mark)) return false
  saveRecord(key, [...sent, mark], tabStorage)
  return true
}

function send(event: string, fields: Record<string, string> = {}): void {
  const token = referrerToken()
  sendEvent(event, { ...(token ? { referrer_token: token } : {}), ...fields })
}

/** When idle, or when the page is left before that. */
function soon(work: () => void): void {
  let sent = false
  const sendOnce = () => {
    removeEventListener('pagehide', sendOnce)
    if (!sent) work()
    sent = true
  }
  whenIdle(sendOnce)
  addEventListener('pagehide', sendOnce)
}

/** The page was opened or shown again; `again` if a campaign link led there. */
export function noteVisit(again: boolean): void {
  if (again) tabStorage.remove(key)
  if (once('visit')) soon(() => send('visit'))
}

export function noteVideo(videoId: string): void {
  if (once(`video ${videoId}`)) soon(() => send('visit_video', { video_id: videoId }))
}

/** What a locked episode costs was shown. */
export function notePaywall(videoId: string): void {
  const first = once('paywall')
  if (once(`paywall ${videoId}`)) send('paywall', { video_id: videoId, ...(first ? { first: '1' } : {}) })
}
