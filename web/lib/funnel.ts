import { sendEvent } from './events.ts'
import { referrerToken } from './visit.ts'
import { whenIdle } from './when-idle.ts'

/*
 * What the site counts of the way to a payment, each once a visit: that it began, which videos were opened in it, where it met a locked
 * episode. A visit is one of a tab; another link begins another.
 */

const key = 'funnel'
let inMemory: string[] | undefined

/** What was told in this visit; the tab keeps it over a reload where it may. */
function told(): string[] {
  if (inMemory) return inMemory
  try {
    // Our own list.
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as string[]
  } catch {
    return []
  }
}

function remember(list: string[]): void {
  inMemory = list
  try {
    sessionStorage.setItem(key, JSON.stringify(list))
  } catch {
    // Memory has it.
  }
}

/** @returns whether this is the first time in the visit */
function once(mark: string): boolean {
  const list = told()
  if (list.includes(mark)) return false
  remember([...list, mark])
  return true
}

function send(event: string, fields: Record<string, string> = {}): void {
  const token = referrerToken()
  sendEvent(event, { ...(token ? { referrer_token: token } : {}), ...fields })
}

/** In a quiet moment, or as the page goes where it goes before. */
function soon(tell: () => void): void {
  let told = false
  const tellOnce = () => {
    if (!told) tell()
    told = true
  }
  whenIdle(tellOnce)
  addEventListener('pagehide', tellOnce, { once: true })
}

/** The page was opened, or came to the front again; `again` where it was by a link that brings people here. */
export function noteVisit(again: boolean): void {
  if (again) remember([])
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
