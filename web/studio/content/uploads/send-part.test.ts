import { beforeEach, expect, it, vi } from 'vitest'
import { sendPart, type PauseReason } from './send-part.ts'

/** Requests that wait until a test completes them. */
class Request {
  static all: Request[] = []
  upload = new EventTarget()
  status = 0
  responseText = ''
  private listeners = new EventTarget()
  open() {}
  setRequestHeader() {}
  addEventListener(name: string, listener: () => void) {
    this.listeners.addEventListener(name, listener)
  }
  send() {
    Request.all.push(this)
  }
  abort() {
    this.end(0)
  }
  progress(loaded: number) {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded }))
  }
  end(status: number, answer = '') {
    Object.assign(this, { status, responseText: answer })
    this.listeners.dispatchEvent(new Event('loadend'))
  }
}

const network = new EventTarget()
vi.stubGlobal('XMLHttpRequest', Request)
vi.stubGlobal('addEventListener', network.addEventListener.bind(network))
vi.stubGlobal('removeEventListener', network.removeEventListener.bind(network))
vi.mock('#web/lib/language.ts', () => ({ currentLanguage: () => 'en', acceptLanguage: () => 'en' }))

beforeEach(() => void (Request.all = []))

const done = JSON.stringify({ code: 200, info: { complete: true } })

/** Starts to send one part. */
function begin() {
  const told = { hold: undefined as PauseReason | undefined, sent: 0 }
  const stop = new AbortController()
  const result = sendPart({ id: 'upl_1', part: 0 }, new Blob(['part']), {
    signal: stop.signal,
    onSent: (bytes) => void (told.sent = bytes),
    onPause: (hold) => void (told.hold = hold),
  })
  const request = (nth: number) =>
    vi.waitFor(() => Request.all[nth] ?? Promise.reject(new Error('not requested yet')), 10_000)
  return { told, stop, result, request }
}

it('reports a lost network until bytes are sent again, not until a part is complete', async () => {
  const { told, result, request } = begin()
  ;(await request(0)).end(0)
  await vi.waitFor(() => expect(told.hold).toBe('network'), 10_000)
  network.dispatchEvent(new Event('online'))
  const again = await request(1)
  again.progress(0)
  expect(told.hold).toBe('network')
  again.progress(2)
  expect(told).toEqual({ hold: undefined, sent: 2 })
  again.end(200, done)
  expect(await result).toBe(true)
})

it('reports a rate limit until the site accepts a part; sent bytes do not end it', async () => {
  const { told, result, request } = begin()
  ;(await request(0)).end(429)
  await vi.waitFor(() => expect(told.hold).toBe('limit'), 10_000)
  network.dispatchEvent(new Event('online'))
  const again = await request(1)
  again.progress(2)
  expect(told.hold).toBe('limit')
  again.end(200, done)
  await result
  expect(told.hold).toBeUndefined()
})

it('stops at once, and resets progress and hold', async () => {
  const { told, stop, result, request } = begin()
  ;(await request(0)).progress(2)
  expect(told.sent).toBe(2)
  stop.abort()
  await expect(result).rejects.toThrow('abort')
  expect(told).toEqual({ hold: undefined, sent: 0 })
})
