import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api.ts'
import { readReport } from './order-report.ts'
import { isOwned } from './checkout-params.ts'

const call = vi.hoisted(() => vi.fn())
vi.mock('#web/lib/api.ts', async (original) => ({ ...(await original<object>()), call }))

const origin = 'http://localhost:3000'

beforeEach(() => {
  call.mockReset()
  vi.stubGlobal('location', { origin })
})

const params = (kind: 'episode' | 'video' | 'plan') =>
  ({ kind, id: `${kind}_1`, gateway: 'sandbox' }) as never

describe('a requested item', () => {
  test('is owned if the episode plays, and not if it is locked', async () => {
    call.mockResolvedValueOnce({ playback: {} })
    expect(await isOwned(params('episode'))).toBe(true)
    call.mockRejectedValueOnce(new ApiError(402, {}, 'locked'))
    expect(await isOwned(params('episode'))).toBe(false)
  })

  test('is owned if no episode of the video is locked', async () => {
    call.mockResolvedValueOnce({ list: [{ state: 'free' }, { state: 'owned' }] })
    expect(await isOwned(params('video'))).toBe(true)
    call.mockResolvedValueOnce({ list: [{ state: 'free' }, { state: 'locked' }] })
    expect(await isOwned(params('video'))).toBe(false)
  })

  test.each([
    ['active', true],
    ['past_due', false],
    [null, false],
  ])('is owned by the membership: %s', async (status, owned) => {
    call.mockResolvedValueOnce({ membership: { status } })
    expect(await isOwned(params('plan'))).toBe(owned)
  })
})

test('only the page’s own form can report that nothing needs to be paid', () => {
  const frame = {} as Window
  const event = (source: unknown, from = origin) =>
    ({ origin: from, source, data: { type: 'owned', made: true } }) as MessageEvent
  expect(readReport(event(frame), frame)).toEqual({ type: 'owned' })
  expect(readReport(event({}), frame)).toBeNull()
  expect(readReport(event(frame, 'http://elsewhere'), frame)).toBeNull()
})
