import { sendEvent } from './events.ts'
import { saveRecord, readRecord, tabStorage } from '#web/lib/storage.ts'
import { referrerToken } from './visit.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

/* Events of the conversion funnel, each sent once a visit: the visit's start, each opened video, and the first paywall. A visit
   belongs to a tab; another campaign link starts a new one. */

const key = 'funnel'

/** Records a marker. @returns whether it is the first time in the visit */
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

/** Runs when idle, or when the page is left before that. */
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

/** Records that the page was opened or shown again. @param again whether a campaign link led there */
export function noteVisit(again: boolean): void {
  if (again) tabStorage.remove(key)
  if (once('visit')) soon(() => send('visit'))
}

export function noteVideo(videoId: string): void {
  if (once(`video ${videoId}`)) soon(() => send('visit_video', { video_id: videoId }))
}

/** Records that a paywall was shown. */
export function notePaywall(videoId: string): void {
  const first = once('paywall')
  if (once(`paywall ${videoId}`)) send('paywall', { video_id: videoId, ...(first ? { first: '1' } : {}) })
}
