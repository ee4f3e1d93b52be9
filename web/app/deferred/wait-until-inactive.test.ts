import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitUntilInactive } from './wait-until-inactive.ts'

const page = new EventTarget()
let videos: { paused: boolean; ended: boolean }[]
let connection: { saveData?: boolean; effectiveType?: string }

beforeEach(() => {
  vi.useFakeTimers()
  videos = []
  connection = {}
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('document', { querySelectorAll: () => videos })
  vi.stubGlobal('navigator', { connection })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function wait() {
  const waiting = { isOver: false }
  void waitUntilInactive().then(() => (waiting.isOver = true))
  return waiting
}
const later = () => vi.advanceTimersByTimeAsync(10_000)

it('resolves after a period without input', async () => {
  const waiting = wait()
  await vi.advanceTimersByTimeAsync(2900)
  page.dispatchEvent(new Event('pointerdown'))
  await vi.advanceTimersByTimeAsync(2900)
  expect(waiting.isOver).toBe(false)
  await later()
  expect(waiting.isOver).toBe(true)
})

it('waits while a video plays and resolves when it is paused', async () => {
  videos = [{ paused: true, ended: false }]
  const video = { paused: false, ended: false }
  videos.push(video)
  const waiting = wait()
  await later()
  expect(waiting.isOver).toBe(false)
  video.paused = true
  await later()
  expect(waiting.isOver).toBe(true)
})

it.each([{ saveData: true }, { effectiveType: '2g' }, { effectiveType: 'slow-2g' }])(
  'waits on a metered or slow connection: %o',
  async (restriction) => {
    Object.assign(connection, restriction)
    const waiting = wait()
    await later()
    expect(waiting.isOver).toBe(false)
    Object.assign(connection, { saveData: false, effectiveType: '4g' })
    await later()
    expect(waiting.isOver).toBe(true)
  },
)
