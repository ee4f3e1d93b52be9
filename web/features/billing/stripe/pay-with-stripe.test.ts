import { beforeEach, expect, test, vi } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { stripePayer } from './pay-with-stripe.ts'
import type { Confirmed } from './stripe-script.ts'

const payWithToken = vi.hoisted(() => vi.fn())
vi.mock('#web/features/billing/pay.ts', () => ({ payWithToken }))

const orderWith = (client_secret?: string, status = 'pending') =>
  // Only what the payer looks at.
  ({ id: 'ord_1', status, next: { type: 'card_form', client_secret } }) as Order
const person = { email: 'ada@example.com', first: 'Ada ', last: 'Lovelace' }
const number = { mount() {}, focus() {}, on() {} }
const confirmCardPayment = vi.fn<() => Promise<Confirmed>>()
const refuse = vi.fn()
const payer = () =>
  stripePayer({ confirmCardPayment, elements: () => ({ create: () => number }) }, { number, refuse })

beforeEach(() => {
  for (const mock of [payWithToken, confirmCardPayment, refuse]) mock.mockReset()
  confirmCardPayment.mockResolvedValue({ paymentIntent: { id: 'pi_1' } })
  payWithToken.mockResolvedValue(orderWith(undefined, 'paid'))
})

test("the card goes to the order's payment with the person's name, and then the server reads how it stands", async () => {
  const order = orderWith('pi_1_secret_1')
  expect(await payer()(order, person)).toMatchObject({ status: 'paid' })
  expect(confirmCardPayment).toHaveBeenCalledExactlyOnceWith('pi_1_secret_1', {
    payment_method: { card: number, billing_details: { name: 'Ada Lovelace', email: 'ada@example.com' } },
  })
  expect(payWithToken).toHaveBeenCalledExactlyOnceWith(order, 'pi_1', 'Ada ', 'Lovelace')
})

test.each<[string, () => Promise<Confirmed>]>([
  ['a decline', async () => ({ error: { type: 'card_error', code: 'card_declined' } })],
  ['a lost connection', async () => ({ error: { type: 'api_connection_error' } })],
  [
    'a script that throws',
    async () => {
      throw new Error('no')
    },
  ],
])('%s is no answer: the server says how the payment stands', async (_, outcome) => {
  confirmCardPayment.mockImplementation(outcome)
  expect(await payer()(orderWith('pi_7_secret_1'), person)).toMatchObject({ status: 'paid' })
  expect(payWithToken).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'pi_7', 'Ada ', 'Lovelace')
})

test('another try asks for the payment that there is to confirm now', async () => {
  const pay = payer()
  const order = orderWith('pi_1_secret_1')
  await pay(order, person)
  payWithToken.mockReset().mockResolvedValue(orderWith('pi_2_secret_2'))
  await pay(order, person)
  expect(payWithToken.mock.calls.map(([, token]) => token)).toEqual([undefined, 'pi_1'])
  expect(confirmCardPayment.mock.lastCall).toMatchObject(['pi_2_secret_2', {}])
})

test('an order that turns out to be paid is not paid again', async () => {
  expect(await payer()(orderWith(), person)).toMatchObject({ status: 'paid' })
  expect(confirmCardPayment).not.toHaveBeenCalled()
})

test.each([
  ['incomplete_number', 'cardNumber'],
  ['invalid_expiry_year_past', 'cardExpiry'],
  ['incomplete_cvc', 'cardCvc'],
] as const)('what Stripe finds unfinished (%s) is marked and no payment is used up', async (code, field) => {
  const pay = payer()
  confirmCardPayment.mockResolvedValueOnce({ error: { type: 'validation_error', code } })
  expect(await pay(orderWith('pi_1_secret_1'), person)).toBeNull()
  expect(refuse).toHaveBeenCalledExactlyOnceWith(field)
  await pay(orderWith('pi_1_secret_1'), person)
  expect(payWithToken).toHaveBeenCalledOnce()
})
