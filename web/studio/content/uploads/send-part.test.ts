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
  const reported = { hold: undefined as PauseReason | undefined, sent: 0 }
  const stop = new AbortController()
  const result = sendPart({ id: 'upl_1', part: 0 }, new Blob(['part']), {
    signal: stop.signal,
    onSent: (bytes) => void (reported.sent = bytes),
    onPause: (hold) => void (reported.hold = hold),
  })
  const request = (nth: number) =>
    vi.waitFor(() => Request.all[nth] ?? Promise.reject(new Error('not requested yet')), 60_000)
  return { reported, stop, result, request }
}

it('reports a lost network only until bytes are sent again', async () => {
  const { reported, result, request } = begin()
  ;(await request(0)).end(0)
  await vi.waitFor(() => expect(reported.hold).toBe('network'), 60_000)
  network.dispatchEvent(new Event('online'))
  const again = await request(1)
  again.progress(0)
  expect(reported.hold).toBe('network')
  again.progress(2)
  expect(reported).toEqual({ hold: undefined, sent: 2 })
  again.end(200, done)
  expect(await result).toBe(true)
})

it('reports a rate limit until the site accepts a part, even while bytes are sent', async () => {
  const { reported, result, request } = begin()
  ;(await request(0)).end(429)
  await vi.waitFor(() => expect(reported.hold).toBe('limit'), 60_000)
  network.dispatchEvent(new Event('online'))
  const again = await request(1)
  again.progress(2)
  expect(reported.hold).toBe('limit')
  again.end(200, done)
  await result
  expect(reported.hold).toBeUndefined()
})

it('stops at once when aborted, and resets the progress and the reason of a pause', async () => {
  const { reported, stop, result, request } = begin()
  ;(await request(0)).progress(2)
  expect(reported.sent).toBe(2)
  stop.abort()
  await expect(result).rejects.toThrow('abort')
  expect(reported).toEqual({ hold: undefined, sent: 0 })
})
