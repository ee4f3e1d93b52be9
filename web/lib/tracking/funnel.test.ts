import { beforeEach, expect, test, vi } from 'vitest'

const sent: [string, object | undefined][] = []
vi.mock('./events.ts', () => ({ sendEvent: (event: string, fields?: object) => sent.push([event, fields]) }))
let whenIdle: (work: () => void) => void
vi.mock('#web/lib/when-idle.ts', () => ({ whenIdle: (work: () => void) => whenIdle(work) }))
const page = new EventTarget()
vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))

/** Loads the page again. */
async function load() {
  vi.resetModules()
  return import('./funnel.ts')
}

const stored = new Map<string, string>()
beforeEach(() => {
  sent.length = 0
  stored.clear()
  whenIdle = (work) => work()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})

test('sends a visit, its videos and its paywalls once, also across a reload', async () => {
  for (let loads = 0; loads < 2; loads++) {
    const { trackVisit, trackVideoVisit, trackPaywall } = await load()
    trackVisit(false)
    trackVideoVisit('vid_1')
    trackPaywall('vid_1')
    trackPaywall('vid_2')
  }
  expect(sent).toEqual([
    ['visit', {}],
    ['visit_video', { video_id: 'vid_1' }],
    ['paywall', { video_id: 'vid_1', first: '1' }],
    ['paywall', { video_id: 'vid_2' }],
  ])
})

test('starts a new visit for another campaign link', async () => {
  const { trackVisit, trackPaywall } = await load()
  trackVisit(false)
  trackPaywall('vid_1')
  trackVisit(true)
  trackPaywall('vid_1')
  expect(sent.map(([event]) => event)).toEqual(['visit', 'paywall', 'visit', 'paywall'])
  expect(sent[3]?.[1]).toEqual({ video_id: 'vid_1', first: '1' })
})

test('sends pending events when the page is left, once', async () => {
  const quiet: (() => void)[] = []
  whenIdle = (work) => void quiet.push(work)
  const { trackVisit, trackVideoVisit } = await load()
  trackVisit(false)
  trackVideoVisit('vid_1')
  expect(sent).toEqual([])
  page.dispatchEvent(new Event('pagehide'))
  for (const work of quiet) work()
  expect(sent.map(([event]) => event)).toEqual(['visit', 'visit_video'])
})

test("falls back to memory if the tab's storage is unavailable", async () => {
  vi.stubGlobal('sessionStorage', undefined)
  const { trackVisit } = await load()
  trackVisit(false)
  trackVisit(false)
  expect(sent).toHaveLength(1)
})
