import { beforeEach, expect, test, vi } from 'vitest'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { unlockEpisode } from '#contract/billing.ts'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { getReports } from '#contract/tracking.ts'
import { stubStorage } from './stub-storage.ts'

const notify = vi.hoisted(() => vi.fn())
vi.mock('./notify.ts', () => ({ notifyError: notify }))

const sent: { url: string; init: RequestInit }[] = []
const beacons: string[] = []
let answer: () => Promise<Response>
let stored: Map<string, string>

function answers(body: object, status = 200, headers: Record<string, string> = {}): void {
  answer = async () => new Response(JSON.stringify(body), { status, headers })
}

beforeEach(() => {
  vi.resetModules()
  sent.length = 0
  beacons.length = 0
  stored = stubStorage()
  notify.mockClear()
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('navigator', { cookieEnabled: true, languages: ['de-AT'] })
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.startsWith('/api/statics.png')) return (beacons.push(url), new Response())
    sent.push({ url, init })
    return answer()
  })
})

const load = () => import('./api.ts')

test('code 200 returns info, or data if there is no info', async () => {
  const { call } = await load()
  answers({ code: 200, info: { id: 'vid_1' } })
  expect(await call(getVideo, { query: { id: 'vid_1' } })).toEqual({ id: 'vid_1' })
  answers({ code: 200, data: { list: [] } })
  expect(await call(getVideo, { query: { id: 'vid_1' } })).toEqual({ list: [] })
})

test('code 500 shows a toast and rejects', async () => {
  const { call } = await load()
  answers({ code: 500, message: 'The card was declined.', info: { field: 'number' } })
  await expect(call(getUser)).rejects.toMatchObject({
    name: 'ApiError',
    code: 500,
    field: 'number',
    message: 'The card was declined.',
  })
  expect(notify).toHaveBeenCalledExactlyOnceWith('The card was declined.')
})

test.each([
  [500, 'has already shown it'],
  [409, 'has not shown it'],
])('the message of code %i is shown once, whether or not the call %s', async (code) => {
  const { call, notifyRejection, ApiError } = await load()
  answers({ code, message: 'Not possible.' })
  await call(getUser).catch((error: unknown) => error instanceof ApiError && notifyRejection(error))
  expect(notify).toHaveBeenCalledExactlyOnceWith('Not possible.')
})

test('any code but 200 and 500 rejects without a toast', async () => {
  const { call } = await load()
  answers({ code: 402, message: 'Locked.', info: { price: {} } })
  await expect(call(unlockEpisode, { body: { episode_id: 'ep_1' } })).rejects.toMatchObject({
    code: 402,
    info: { price: {} },
  })
  expect(notify).not.toHaveBeenCalled()
  expect(beacons).toEqual([])
})

test('a call times out after 100000 ms', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  const { call } = await load()
  answers({ code: 200, info: {} })
  await call(getUser)
  expect(timeout).toHaveBeenCalledExactlyOnceWith(100_000)
  timeout.mockRestore()
})

test('an HTTP failure shows a toast and sends an event with path and status', async () => {
  const { call } = await load()
  answers({ code: 503, message: 'Back in a moment.' }, 503)
  await expect(call(getHomepage)).rejects.toMatchObject({ name: 'RequestError', status: 503 })
  expect(notify).toHaveBeenCalledWith('Back in a moment.')
  expect(beacons).toEqual([`/api/statics.png?event=${encodeURIComponent('http_error/api/homepage503')}`])
})

test('a failure has the retry delay that the server requests', async () => {
  const { call } = await load()
  answers({ code: 429, message: 'A moment.' }, 429, { 'retry-after': '90' })
  await expect(call(getHomepage)).rejects.toMatchObject({ status: 429, retryAfter: 90 })
})

test('a call that never arrived fails with status 0; an aborted call shows no message', async () => {
  const { call } = await load()
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  await expect(call(getHomepage)).rejects.toMatchObject({ name: 'RequestError', status: 0 })
  expect(notify).toHaveBeenCalledWith('toast.offline')
  notify.mockClear()
  answer = () => Promise.reject(new DOMException('', 'AbortError'))
  await expect(call(getHomepage)).rejects.toMatchObject({ name: 'AbortError' })
  expect(notify).not.toHaveBeenCalled()
})

test('a call shows no message if it is aborted while its response is read, but fails if the connection breaks', async () => {
  const { call } = await load()
  const breaksOff = (error: Error) => async () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(error) }))
  answer = breaksOff(new DOMException('', 'AbortError'))
  await expect(call(getHomepage)).rejects.toMatchObject({ name: 'AbortError' })
  expect([notify.mock.calls, beacons]).toEqual([[], []])
  answer = breaksOff(new TypeError('network error'))
  await expect(call(getHomepage)).rejects.toMatchObject({ name: 'RequestError' })
  expect(notify).toHaveBeenCalledWith('toast.offline')
})

test('the ad click ids are sent in headers, and in the query of a GET or the body of other calls', async () => {
  stored.set('fbclid', 'fb 1').set('ttclid', 'tt').set('referrer_token', 'ann')
  const { call } = await load()
  answers({ code: 200, info: {} })
  await call(getVideo, { query: { id: 'vid_1' } })
  await call(saveHistory, { body: { video_id: 'vid_1' } })
  expect(sent[0]?.url).toBe('/api/video?id=vid_1&fbclid=fb+1&ttclid=tt')
  expect(sent[1]?.url).toBe('/api/user/history')
  expect(JSON.parse(String(sent[1]?.init.body))).toEqual({ fbclid: 'fb 1', ttclid: 'tt', video_id: 'vid_1' })
  expect(sent[0]?.init.headers).toMatchObject({
    'x-fbclid': 'fb 1',
    'x-ttclid': 'tt',
    'x-referrer-token': 'ann',
    'accept-language': 'dy,de;q=0.8,en;q=0.7',
  })
})

test('a call that may store data sends the time zone of the browser', async () => {
  const { call } = await load()
  answers({ code: 200, info: {} })
  await call(getVideo, { query: { id: 'vid_1' } })
  await call(saveHistory, { body: { video_id: 'vid_1' } })
  const zones = sent.map(({ init }) => new Headers(init.headers).get('x-time-zone'))
  expect(zones).toEqual([null, new Intl.DateTimeFormat().resolvedOptions().timeZone])
})

test('the referrer token is sent percent-encoded, so that it may contain any characters', async () => {
  stored.set('referrer_token', 'Frühling 100%')
  const { call } = await load()
  answers({ code: 200, info: {} })
  await call(getUser)
  expect(sent[0]?.init.headers).toMatchObject({ 'x-referrer-token': 'Fr%C3%BChling%20100%25' })
})

test('the user token is stored and sent only if cookies are disabled', async () => {
  const { call } = await load()
  answers({ code: 200, info: {} }, 200, { 'x-user-token': 'secret' })
  await call(getUser)
  expect(stored.has('user_token')).toBe(false)
  vi.stubGlobal('navigator', { cookieEnabled: false, languages: [] })
  await call(getUser)
  await call(getUser)
  expect(sent.map(({ init }) => new Headers(init.headers).get('x-user-token'))).toEqual([
    null,
    null,
    'secret',
  ])
})

test('a prefetched call answers only the first call of the same URL', async () => {
  const { call, prefetchCall } = await load()
  answers({ code: 200, info: { id: 'vid_1' } })
  await prefetchCall(getVideo, { id: 'vid_1' })
  await call(getVideo, { query: { id: 'vid_1' } })
  expect(sent).toHaveLength(1)
  await call(getVideo, { query: { id: 'vid_1' } })
  expect(sent).toHaveLength(2)
})

test('prefetched calls are sent in order, each after the response to the previous call', async () => {
  const { prefetchCall } = await load()
  const waiting: (() => void)[] = []
  answer = () =>
    new Promise((resolve) =>
      waiting.push(() => resolve(new Response(JSON.stringify({ code: 200, info: {} }), { status: 200 }))),
    )
  const user = prefetchCall(getUser)
  const reports = prefetchCall(getReports, {}, user)
  const homepage = prefetchCall(getHomepage, {}, reports)
  for (const path of ['/api/user', '/api/reports', '/api/homepage']) {
    await expect.poll(() => sent.at(-1)?.url).toBe(path)
    waiting.pop()?.()
  }
  await homepage
  expect(sent).toHaveLength(3)
})
