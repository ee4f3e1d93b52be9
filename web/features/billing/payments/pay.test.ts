import { beforeEach, expect, test, vi } from 'vitest'
import { RequestError, ApiError } from '#web/lib/api.ts'
import { createOrderReuser, payWithToken, createOneTapBuyer } from './pay.ts'

const call = vi.hoisted(() => vi.fn())
vi.mock('#web/lib/api.ts', async (original) => ({ ...(await original<object>()), call }))

const order = { id: 'ord_1', status: 'paid', next: { type: 'none' } }
const body = { kind: 'episode', episode_id: 'ep_1', gateway: 'sandbox', email: 'viewer@example.com' } as const
const keys = () =>
  call.mock.calls.map(([, { idempotencyKey }]) => String(idempotencyKey)).filter((key) => key !== 'undefined')

beforeEach(() => call.mockReset().mockResolvedValue(order))

test('an order whose response was lost is requested again with the same key', async () => {
  const orders = createOrderReuser()
  call.mockRejectedValueOnce(new RequestError(0, 'lost'))
  await expect(orders.createOrReuse(body)).rejects.toThrow('lost')
  expect(await orders.createOrReuse(body)).toBe(order)
  orders.reset()
  await orders.createOrReuse(body)
  const [first, second, third] = keys()
  expect(second).toBe(first)
  expect(third).not.toBe(first)
})

test('an order gets a new key after a refusal, and if its body has changed', async () => {
  const orders = createOrderReuser()
  call.mockRejectedValueOnce(new ApiError(500, {}, 'refused'))
  await expect(orders.createOrReuse(body)).rejects.toThrow('refused')
  call.mockRejectedValueOnce(new RequestError(0, 'lost'))
  await expect(orders.createOrReuse(body)).rejects.toThrow('lost')
  await orders.createOrReuse({ ...body, email: 'other@example.com' })
  expect(new Set(keys()).size).toBe(3)
})

test('a payment whose response was lost keeps its key for the same token', async () => {
  call.mockRejectedValueOnce(new RequestError(0, 'lost'))
  const made = { ...order } as Parameters<typeof payWithToken>[0]
  await payWithToken(made, 'tok_1', 'Ada', 'Lovelace')
  await payWithToken(made, 'tok_1', 'Ada', 'Lovelace')
  const [first, second] = keys()
  expect(second).toBe(first)
})

test('an order paid with a saved card is requested once more with the same key if its response was lost', async () => {
  const buy = createOneTapBuyer()
  call.mockRejectedValueOnce(new RequestError(0, 'lost'))
  expect(await buy(body)).toBe(order)
  const [first, second, ...more] = keys()
  expect(second).toBe(first)
  expect(more).toEqual([])
})

test.each([new ApiError(500, {}, 'refused'), new RequestError(429, 'A moment.', 90)])(
  'an order paid with a saved card is not requested again after an error response: $message',
  async (error) => {
    call.mockRejectedValueOnce(error)
    await expect(createOneTapBuyer()(body)).rejects.toThrow(error)
    expect(call).toHaveBeenCalledOnce()
  },
)

test('a rate-limit response rejects the payment, and does not count as a lost response', async () => {
  call.mockRejectedValueOnce(new RequestError(429, 'A moment.', 90))
  const made = { ...order } as Parameters<typeof payWithToken>[0]
  await expect(payWithToken(made, 'tok_2', 'Ada', 'Lovelace')).rejects.toMatchObject({ retryAfter: 90 })
  expect(call).toHaveBeenCalledOnce()
})
