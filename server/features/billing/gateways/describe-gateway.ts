import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  GatewayRefused,
  NotificationRefused,
  type PaymentGateway,
  type PresentCharge,
} from '#server/features/billing/gateway.ts'

/** What the suite needs of a gateway's stand-in beside the port. */
export interface GatewayBench {
  gateway: PaymentGateway
  /** A token as the browser gets it, for a card that does this. */
  token(card: 'pays' | 'declined' | 'no funds' | 'asks' | 'declines later'): Promise<string>
  /** The person's answer to what the payment waits for. */
  answer(reference: string, answer: 'yes' | 'no'): Promise<void>
  /** A notification about a payment as the gateway would send it now. */
  notification(reference: string): { body: Buffer; headers: Record<string, string> }
}

/** The contract of the port (billing.md, "The port"): every adapter passes the same. */
export function describeGateway(name: string, bench: () => GatewayBench): void {
  const charge = (more: Partial<PresentCharge> = {}): PresentCharge => {
    const id = randomBytes(8).toString('hex')
    return {
      key: `pay:ord_${id}:1`,
      orderId: `ord_${id}`,
      attemptId: `att_${id}`,
      amountCents: 999,
      currency: 'USD',
      payer: { userId: `usr_${id}`, email: 'viewer@example.com', firstName: 'Ada', lastName: 'Lovelace' },
      method: 'card',
      save: false,
      returnUrl: `http://localhost/order/result?order_id=ord_${id}`,
      ...more,
    }
  }
  const started = async (card: Parameters<GatewayBench['token']>[0], more: Partial<PresentCharge> = {}) => {
    const { gateway, token } = bench()
    return gateway.start(charge({ token: await token(card), ...more }))
  }

  describe(`the gateway ${name}`, () => {
    test('takes a payment and finds it by its name and by our key', async () => {
      const asked = charge({ token: await bench().token('pays') })
      const paid = await bench().gateway.start(asked)
      const { orderId, attemptId, amountCents, currency } = asked
      expect(paid).toMatchObject({
        status: 'succeeded',
        orderId,
        attemptId,
        amountCents,
        currency,
        refundedCents: 0,
      })
      expect(await bench().gateway.retrieve({ reference: paid.reference })).toEqual(paid)
      expect(await bench().gateway.retrieve({ key: asked.key })).toEqual(paid)
    })

    test('knows nothing of a payment that was never asked for', async () => {
      expect(await bench().gateway.retrieve({ key: 'pay:ord_never:1' })).toBeNull()
      expect(await bench().gateway.retrieve({ reference: 'never' })).toBeNull()
    })

    test('gives the same payment for the same key, also when asked many times at once, and refuses another request', async () => {
      const asked = charge({ token: await bench().token('pays') })
      const payments = await Promise.all(Array.from({ length: 10 }, () => bench().gateway.start(asked)))
      expect(new Set(payments.map(({ reference }) => reference)).size).toBe(1)
      expect(payments.every(({ status }) => status === 'succeeded')).toBe(true)
      await expect(bench().gateway.start({ ...asked, amountCents: 1 })).rejects.toThrow(GatewayRefused)
    })

    test.each([
      ['declined', 'card_declined'],
      ['no funds', 'insufficient_funds'],
    ] as const)('says in our words why a card was refused: %s', async (card, decline) => {
      expect(await started(card)).toMatchObject({ status: 'failed', decline })
    })

    test.each([
      ['yes', 'succeeded'],
      ['no', 'failed'],
    ] as const)("waits for the bank's check, and after %s has %s", async (answer, status) => {
      const waiting = await started('asks')
      expect(waiting).toMatchObject({ status: 'requires_action', next: { type: 'authenticate' } })
      await bench().answer(waiting.reference, answer)
      expect(await bench().gateway.complete(waiting.reference)).toMatchObject({ status })
      expect(await bench().gateway.complete(waiting.reference)).toMatchObject({ status })
    })

    test('sends the person of a wallet away, and has the payment when they approve', async () => {
      if (!bench().gateway.methods.includes('wallet')) return
      const waiting = await bench().gateway.start(charge({ method: 'wallet' }))
      expect(waiting).toMatchObject({
        status: 'requires_action',
        next: { type: 'redirect', url: expect.any(String) },
      })
      await bench().answer(waiting.reference, 'yes')
      expect(await bench().gateway.complete(waiting.reference)).toMatchObject({ status: 'succeeded' })
    })

    test('calls a waiting payment off, which then cannot be approved; a payment that was made stays', async () => {
      const waiting = await started('asks')
      expect(await bench().gateway.cancel(waiting.reference)).toMatchObject({ status: 'cancelled' })
      await bench().answer(waiting.reference, 'yes')
      expect(await bench().gateway.retrieve(waiting)).toMatchObject({ status: 'cancelled' })
      const paid = await started('pays')
      expect(await bench().gateway.cancel(paid.reference)).toMatchObject({ status: 'succeeded' })
    })

    test('keeps a method where asked, and charges it later, until it is forgotten', async () => {
      expect((await started('pays')).method).toBeUndefined()
      const { method } = await started('pays', { save: true })
      expect(method).toMatchObject({ reference: expect.any(String), brand: 'visa', last4: '4242' })
      const renewal = () => ({ ...charge(), methodReference: method?.reference ?? '' })
      expect(await bench().gateway.chargeSaved(renewal())).toMatchObject({
        status: 'succeeded',
        amountCents: 999,
      })
      await bench().gateway.forget(method?.reference ?? '')
      expect(await bench().gateway.chargeSaved(renewal())).toMatchObject({ status: 'failed' })
    })

    test('may decline a renewal with a method that paid at first', async () => {
      const { status, method } = await started('declines later', { save: true })
      expect(status).toBe('succeeded')
      const renewal = { ...charge(), methodReference: method?.reference ?? '' }
      expect(await bench().gateway.chargeSaved(renewal)).toMatchObject({
        status: 'failed',
        decline: 'card_declined',
      })
    })

    test('refunds in parts, once per key, and no more than there is', async () => {
      const { reference } = await started('pays')
      const refund = (key: string, amountCents: number) =>
        bench().gateway.refund({ reference, key: `${key}:${reference}`, amountCents })
      await Promise.all([refund('one', 400), refund('one', 400), refund('one', 400)])
      await refund('two', 500)
      await expect(refund('three', 100)).rejects.toThrow(GatewayRefused)
      expect(await bench().gateway.retrieve({ reference })).toMatchObject({
        refundedCents: 900,
        status: 'succeeded',
      })
    })

    test('reads its own notifications and no others', async () => {
      const { reference } = await started('pays')
      const { body, headers } = bench().notification(reference)
      expect(await bench().gateway.readNotification(body, headers)).toEqual({
        eventId: expect.any(String),
        reference,
      })
      const read = async (changed: Buffer, sent: Record<string, string>) =>
        bench().gateway.readNotification(changed, sent)
      await expect(read(Buffer.concat([body, Buffer.from(' ')]), headers)).rejects.toThrow(
        NotificationRefused,
      )
      await expect(read(body, {})).rejects.toThrow(NotificationRefused)
    })

    test('lists what was paid since', async () => {
      const before = new Date(Date.now() - 60_000)
      const { reference } = await started('pays')
      const listed = await bench().gateway.listSince(before)
      expect(listed.map((payment) => payment.reference)).toContain(reference)
      expect(await bench().gateway.listSince(new Date(Date.now() + 60_000))).toEqual([])
    })
  })
}
