import { beforeEach, expect, test, vi } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { createIntentConfirmer, createCardConfirmer } from './confirm-with-stripe.ts'
import type { Confirmed } from './stripe-script.ts'

const [send, read] = [vi.fn(), vi.fn()]
const orderWith = (client_secret?: string, status = 'pending') =>
  // Only the fields that the tested functions read.
  ({ id: 'ord_1', status, next: { type: 'card_form', client_secret } }) as Order
const details = { email: 'ada@example.com', first: 'Ada ', last: 'Lovelace' }
const number = { mount() {}, focus() {}, on() {} }
const confirmCardPayment = vi.fn<() => Promise<Confirmed>>()
const markInvalid = vi.fn()
const confirmCardSetup = vi.fn<() => Promise<Confirmed>>()
const script = { confirmCardPayment, confirmCardSetup }
const payer = () => {
  const give = createCardConfirmer(script, { number, markInvalid })
  return (current: Order | null, by: typeof details) => give({ current, send, read }, by)
}

beforeEach(() => {
  for (const mock of [send, read, confirmCardPayment, confirmCardSetup, markInvalid]) mock.mockReset()
  confirmCardPayment.mockResolvedValue({})
  confirmCardSetup.mockResolvedValue({})
  for (const mock of [send, read]) mock.mockResolvedValue(orderWith(undefined, 'paid'))
})

test("the order's payment is confirmed with the card and the customer's name, and then the server reads the payment's status", async () => {
  const order = orderWith('pi_1_secret_1')
  expect(await payer()(order, details)).toMatchObject({ status: 'paid' })
  expect(confirmCardPayment).toHaveBeenCalledExactlyOnceWith('pi_1_secret_1', {
    payment_method: { card: number, billing_details: { name: 'Ada Lovelace', email: 'ada@example.com' } },
  })
  expect(read).toHaveBeenCalledExactlyOnceWith(order, 'pi_1', details)
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
])("%s is not a final response: the server reads the payment's status", async (_, outcome) => {
  confirmCardPayment.mockImplementation(outcome)
  expect(await payer()(orderWith('pi_7_secret_1'), details)).toMatchObject({ status: 'paid' })
  expect(read).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'pi_7', details)
})

test('a second attempt requests and confirms a new payment of the order', async () => {
  const pay = payer()
  const order = orderWith('pi_1_secret_1')
  await pay(order, details)
  send.mockResolvedValue(orderWith('pi_2_secret_2'))
  await pay(order, details)
  expect(send).toHaveBeenCalledExactlyOnceWith(undefined, details)
  expect(read.mock.calls.map(([, name]) => name)).toEqual(['pi_1', 'pi_2'])
  expect(confirmCardPayment.mock.lastCall).toMatchObject(['pi_2_secret_2', {}])
})

test('a card that is only saved is confirmed as a setup, and an empty e-mail address is omitted', async () => {
  send.mockResolvedValue(orderWith('seti_1_secret_1'))
  expect(await payer()(null, { ...details, email: '' })).toMatchObject({ status: 'paid' })
  expect(confirmCardSetup).toHaveBeenCalledExactlyOnceWith('seti_1_secret_1', {
    payment_method: { card: number, billing_details: { name: 'Ada Lovelace' } },
  })
  expect(confirmCardPayment).not.toHaveBeenCalled()
  expect(read).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'seti_1', expect.anything())
})

test('an order that turns out to be paid is not paid again', async () => {
  expect(await payer()(orderWith(), details)).toMatchObject({ status: 'paid' })
  expect(confirmCardPayment).not.toHaveBeenCalled()
})

test.each([
  ['incomplete_number', 'cardNumber'],
  ['invalid_expiry_year_past', 'cardExpiry'],
  ['incomplete_cvc', 'cardCvc'],
] as const)(
  'a field that Stripe finds invalid (%s) is marked, and the same payment can be confirmed again',
  async (code, field) => {
    const pay = payer()
    confirmCardPayment.mockResolvedValueOnce({ error: { type: 'validation_error', code } })
    expect(await pay(orderWith('pi_1_secret_1'), details)).toBeNull()
    expect(markInvalid).toHaveBeenCalledExactlyOnceWith(field)
    await pay(orderWith('pi_1_secret_1'), details)
    expect(read).toHaveBeenCalledOnce()
  },
)

test("a wallet payment is confirmed, and the server reads the payment's status whatever the script reports", async () => {
  const outcomes: Confirmed[] = [{}, { error: { type: 'validation_error', code: 'amount_mismatch' } }]
  for (const outcome of outcomes) {
    read.mockClear()
    const confirm = vi.fn(async () => outcome)
    const give = createIntentConfirmer(confirm)
    expect(await give({ current: orderWith('pi_9_secret_9'), send, read }, details)).toMatchObject({
      status: 'paid',
    })
    expect(confirm).toHaveBeenCalledExactlyOnceWith('pi_9_secret_9', details)
    expect(read).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'pi_9', details)
  }
})
