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

describe('isOwned', () => {
  test('returns true for an episode that plays, and false for a locked one', async () => {
    call.mockResolvedValueOnce({ playback: {} })
    expect(await isOwned(params('episode'))).toBe(true)
    call.mockRejectedValueOnce(new ApiError(402, {}, 'locked'))
    expect(await isOwned(params('episode'))).toBe(false)
  })

  test('returns true for a video only if no episode is locked', async () => {
    call.mockResolvedValueOnce({ list: [{ state: 'free' }, { state: 'unlocked' }] })
    expect(await isOwned(params('video'))).toBe(true)
    call.mockResolvedValueOnce({ list: [{ state: 'free' }, { state: 'locked' }] })
    expect(await isOwned(params('video'))).toBe(false)
  })

  test.each([
    ['active', true],
    ['past_due', false],
    [null, false],
  ])('returns for a plan whether the membership is active (%s: %s)', async (status, owned) => {
    call.mockResolvedValueOnce({ membership: { status } })
    expect(await isOwned(params('plan'))).toBe(owned)
  })
})

test('only the framed form of the same site can report that the item is already owned', () => {
  const frame = {} as Window
  const event = (source: unknown, from = origin) =>
    ({ origin: from, source, data: { type: 'owned', made: true } }) as MessageEvent
  expect(readReport(event(frame), frame)).toEqual({ type: 'owned' })
  expect(readReport(event({}), frame)).toBeNull()
  expect(readReport(event(frame, 'http://elsewhere'), frame)).toBeNull()
})
