import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askGateway, askRefund } from '#server/features/billing/call-gateway.ts'
import {
  GatewayRefused,
  NotificationRefused,
  type Charge,
  type DeclineCode,
  type Payment,
  type PaymentGateway,
  type PresentCharge,
  type SaveRequest,
  type Saving,
} from '#server/features/billing/gateway.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/tables.ts'
import { createLog } from '#server/platform/log.ts'

/** How a card, or the person with a wallet, behaves. `asks` waits for the person's answer. */
export type Behaviour = 'pays' | 'declined' | 'no funds' | 'asks' | 'declines later'

/**
 * What may go wrong with a request on the line. `before`: the gateway never saw it; `after`: it did its work and the answer
 * was lost or said 500; `time-out`: it did its work and does not answer while the fault lasts; `429`: it did nothing.
 */
export type Fault = 'dropped before' | 'dropped after' | '500 after' | 'time-out' | '429'
const faults: readonly Fault[] = ['dropped before', 'dropped after', '500 after', 'time-out', '429']

/** A notification as the gateway sends it now, one that somebody else signed, an old one, and one changed on its way. */
export type NotificationKind = 'genuine' | 'forged' | 'stale' | 'altered'

/** What is particular to a gateway, known before its stand-in runs. */
export interface GatewayTraits {
  /** How the suite pays with it. */
  method: PaymentMethod
  /** What the browser is told to do where the payment waits for the person's answer. */
  asksBy: 'authenticate' | 'redirect'
  /** The refusals that it knows while the person is there, in our words; the others are not tried. */
  declines: Partial<Record<Behaviour, DeclineCode>>
  /** The same for a renewal with a method that it kept of a payment that went through. */
  declinesLater: Partial<Record<Behaviour, DeclineCode>>
  /** The refusals that it knows where a method is to be kept without a payment. */
  refusesToKeep: Partial<Record<Behaviour, DeclineCode>>
  /** What is known of a method that it keeps. */
  kept: { brand: string | null; last4: string | null; fingerprint?: string }
  /** Whether a line that may break leads to it: not so where it lives within our own process. */
  hasLine: boolean
  /** It keeps no trace of what moved no money: of a waiting or refused payment without its name, or of one called off. */
  forgetsUnpaid?: true
  notifications: readonly Exclude<NotificationKind, 'genuine'>[]
}

/** What the suite needs beside the port. */
export interface GatewayHarness {
  gateway: PaymentGateway
  /**
   * Starts a payment and does the browser's and the person's part, until it is decided or, with `asks`, waits for their
   * answer. @returns it as the gateway has it then
   */
  pay(charge: PresentCharge, behaviour: Behaviour): Promise<Payment>
  /** The same for a method that is to be kept without a payment. */
  save(request: SaveRequest, behaviour: Behaviour): Promise<Saving>
  /** The person's answer to what a payment or a saving waits for. It counts once. */
  answer(reference: string, answer: 'yes' | 'no'): Promise<void>
  notification(reference: string, kind: NotificationKind): { body: Buffer; headers: Record<string, string> }
  /** The person has their bank take the money back, or the bank has decided; the latest notification says so. */
  dispute(reference: string, status: DisputeStatus): Promise<void>
  /** What was refunded of a payment comes back from the bank. */
  failRefunds(reference: string): Promise<void>
  /**
   * Lets every request that starts a payment, a saving or a refund meet a fault, and no other request; for a gateway with a line.
   * @returns what ends the fault, and lets answers through that were held back
   */
  fail?(fault: Fault): () => void
}

const log = createLog({ json: true, level: 'silent' })
/** What reaches the gateway although its answer does not reach us. */
const arrives = (fault: Fault) => fault !== 'dropped before' && fault !== '429'

/**
 * The contract of the port (billing.md, "The port"): every adapter passes the same. A test file of the adapter brings its
 * gateway's stand-in up, calls this at its top level, and gives what is particular to the gateway; the harness is asked for
 * within the tests only, so it may be made in `beforeAll`. A gateway with several ways to pay runs the suite for each.
 */
export function describeGateway(name: string, traits: GatewayTraits, harness: () => GatewayHarness): void {
  const charge = (more: Partial<PresentCharge> = {}): PresentCharge => {
    const id = randomBytes(8).toString('hex')
    return {
      key: `pay:ord_${id}:1`,
      orderId: `ord_${id}`,
      attemptId: `att_${id}`,
      amountCents: 999,
      currency: 'USD',
      payer: { userId: `usr_${id}`, email: 'viewer@example.com', firstName: 'Ada', lastName: 'Lovelace' },
      method: traits.method,
      save: false,
      returnUrl: `http://localhost/order/result?order_id=ord_${id}`,
      ...more,
    }
  }
  const pay = (behaviour: Behaviour, more: Partial<PresentCharge> = {}) =>
    harness().pay(charge(more), behaviour)
  /** Looks a payment up by what we know where its name was never heard. */
  const lookUp = ({ key, attemptId }: Charge) => {
    const known = { key, attemptId, startedAt: new Date() }
    return harness().gateway.retrieve(known)
  }
  /** What is found of a payment that moved no money. */
  const unpaid = (expected: object) => (traits.forgetsUnpaid ? null : expect.objectContaining(expected))
  /** A renewal with the method of a payment that went through. */
  const renewal = async (behaviour: Behaviour) => {
    const first = await pay(behaviour, { save: true })
    if (first.status === 'requires_action') await harness().answer(first.reference, 'yes')
    const paid = await harness().gateway.complete(first.reference)
    expect(paid).toMatchObject({ status: 'succeeded' })
    return { ...charge(), methodReference: paid?.method?.reference ?? '' }
  }
  const saveRequest = (): SaveRequest => {
    const id = randomBytes(8).toString('hex')
    return {
      key: `method:pmc_${id}`,
      changeId: `pmc_${id}`,
      payer: charge().payer,
      method: traits.method,
      returnUrl: `http://localhost/my?change=pmc_${id}`,
      cancelUrl: `http://localhost/my?change=pmc_${id}`,
    }
  }
  const lookUpSaving = ({ key, changeId }: SaveRequest) =>
    harness().gateway.saver.retrieve({ key, changeId, startedAt: new Date() })
  const paymentsOf = async (orderId: string) => {
    const listed = await harness().gateway.listSince(new Date(Date.now() - 60_000))
    return listed.filter((payment) => payment.orderId === orderId)
  }

  describe(`the gateway ${name}`, () => {
    test('takes a payment and finds it by its name and by our key', async () => {
      const asked = charge()
      const paid = await harness().pay(asked, 'pays')
      const { orderId, attemptId, amountCents, currency } = asked
      expect(paid).toMatchObject({
        status: 'succeeded',
        orderId,
        attemptId,
        amountCents,
        currency,
        refundedCents: 0,
      })
      expect(paid.next).toBeUndefined()
      expect(await harness().gateway.retrieve({ reference: paid.reference })).toEqual(paid)
      expect(await lookUp(asked)).toEqual(paid)
    })

    test('knows nothing of a payment that was never asked for', async () => {
      expect(await lookUp(charge())).toBeNull()
      expect(await harness().gateway.retrieve({ reference: 'never' })).toBeNull()
    })

    test('makes one payment per key, also when asked many times at once, and refuses another request', async () => {
      const asked = charge()
      const { reference } = await harness().pay(asked, 'pays')
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, () => harness().gateway.start(asked)),
      )
      for (const answer of answers)
        if (answer.status === 'fulfilled') expect(answer.value.reference).toBe(reference)
      await expect(harness().gateway.start({ ...asked, amountCents: 1000 })).rejects.toThrow(GatewayRefused)
      expect(await paymentsOf(asked.orderId)).toHaveLength(1)
    })

    test('makes one payment where the first requests for a key come at once', async () => {
      const asked = charge({ save: true })
      const { gateway } = harness()
      const answers = await Promise.allSettled(Array.from({ length: 10 }, () => gateway.start(asked)))
      const named = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? [answer.value.reference] : [],
      )
      expect(new Set(named).size).toBe(1)
      expect(await paymentsOf(asked.orderId)).toHaveLength(traits.forgetsUnpaid ? 0 : 1)
    })

    test.each(Object.entries(traits.declines))(
      'says in our words why it did not go through: %s',
      async (behaviour, decline) => {
        const asked = charge()
        const refused = await harness().pay(asked, behaviour as Behaviour)
        expect(refused).toMatchObject({ status: 'failed', decline })
        expect(await lookUp(asked)).toEqual(unpaid({ status: 'failed', decline }))
      },
    )

    test.each([
      ['yes', ['succeeded']],
      ['no', traits.forgetsUnpaid ? ['requires_action'] : ['failed', 'cancelled']],
    ] as const)("waits for the person's answer, and after %s has %s", async (answer, statuses) => {
      const asked = charge()
      const waiting = await harness().pay(asked, 'asks')
      expect(waiting).toMatchObject({ status: 'requires_action', next: { type: traits.asksBy } })
      expect(await lookUp(asked)).toEqual(unpaid({ status: 'requires_action' }))
      await harness().answer(waiting.reference, answer)
      const decided = await harness().gateway.complete(waiting.reference)
      expect(statuses).toContain(decided?.status)
      expect(await harness().gateway.complete(waiting.reference)).toEqual(decided)
    })

    test('calls a waiting payment off, which then cannot be approved; a payment that was made stays', async () => {
      const waiting = await pay('asks')
      expect(await harness().gateway.cancel(waiting.reference)).toMatchObject({ status: 'cancelled' })
      await harness().answer(waiting.reference, 'yes')
      const called = await harness().gateway.retrieve(waiting)
      expect(called?.status).toBe(traits.forgetsUnpaid ? 'requires_action' : 'cancelled')
      const paid = await pay('pays')
      expect(await harness().gateway.cancel(paid.reference)).toMatchObject({ status: 'succeeded' })
    })

    test('keeps a method where asked, and charges it later, until it is forgotten', async () => {
      expect((await pay('pays')).method).toBeUndefined()
      const { method } = await pay('pays', { save: true })
      expect(method).toEqual({ reference: expect.any(String), ...traits.kept })
      const later = () => ({ ...charge(), methodReference: method?.reference ?? '' })
      const asked = later()
      const renewed = await harness().gateway.chargeSaved(asked)
      expect(renewed).toMatchObject({ status: 'succeeded', amountCents: 999, orderId: asked.orderId })
      expect(await lookUp(asked)).toMatchObject({ status: 'succeeded' })
      expect(await harness().gateway.isKept(method?.reference ?? '')).toBe(true)
      await harness().gateway.forget(method?.reference ?? '')
      await harness().gateway.forget(method?.reference ?? '')
      expect(await harness().gateway.isKept(method?.reference ?? '')).toBe(false)
      expect(await harness().gateway.chargeSaved(later())).toMatchObject({ status: 'failed' })
    })

    test.each(Object.entries(traits.declinesLater))(
      'may refuse a renewal with a method that paid at first, in our words: %s',
      async (behaviour, decline) => {
        const asked = await renewal(behaviour as Behaviour)
        expect(await harness().gateway.chargeSaved(asked)).toMatchObject({ status: 'failed', decline })
        expect(await lookUp(asked)).toEqual(unpaid({ status: 'failed', decline }))
      },
    )

    test('keeps a method without a payment, finds the saving by its name and by our key, and charges it later', async () => {
      const asked = saveRequest()
      const { gateway } = harness()
      const before = await gateway.listSince(new Date(Date.now() - 60_000))
      const saving = await harness().save(asked, 'pays')
      const { brand, last4 } = traits.kept
      expect(saving).toMatchObject({
        status: 'succeeded',
        changeId: asked.changeId,
        method: { brand, last4 },
      })
      expect(saving.next).toBeUndefined()
      expect(await gateway.saver.retrieve(saving)).toEqual(saving)
      expect(await gateway.saver.complete(saving.reference)).toEqual(saving)
      expect(await lookUpSaving(asked)).toEqual(traits.forgetsUnpaid ? null : saving)
      expect(await gateway.listSince(new Date(Date.now() - 60_000))).toHaveLength(before.length)
      const methodReference = saving.method?.reference ?? ''
      expect(await gateway.chargeSaved({ ...charge(), methodReference })).toMatchObject({
        status: 'succeeded',
      })
      await gateway.forget(methodReference)
      expect(await gateway.isKept(methodReference)).toBe(false)
    })

    test('knows nothing of a saving that was never asked for', async () => {
      expect(await lookUpSaving(saveRequest())).toBeNull()
      expect(await harness().gateway.saver.retrieve({ reference: 'never' })).toBeNull()
      expect(await harness().gateway.saver.complete('never')).toBeNull()
      expect(await harness().gateway.saver.cancel('never')).toBeNull()
    })

    test('makes one saving per key, and none for another request', async () => {
      const asked = saveRequest()
      const { saver } = harness().gateway
      const answers = await Promise.allSettled(Array.from({ length: 10 }, () => saver.start(asked)))
      const named = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? [answer.value.reference] : [],
      )
      expect(new Set(named).size).toBe(1)
      await expect(saver.start({ ...asked, changeId: 'pmc_other' })).rejects.toThrow(GatewayRefused)
    })

    test.each(Object.entries(traits.refusesToKeep))(
      'says in our words why a method is not kept: %s',
      async (behaviour, decline) => {
        const asked = saveRequest()
        const refused = await harness().save(asked, behaviour as Behaviour)
        expect(refused).toMatchObject({ status: 'failed', decline })
        expect(refused.method).toBeUndefined()
        expect(await lookUpSaving(asked)).toEqual(unpaid({ status: 'failed', decline }))
      },
    )

    test.each([
      ['yes', ['succeeded']],
      ['no', traits.forgetsUnpaid ? ['requires_action'] : ['failed', 'cancelled']],
    ] as const)(
      "keeps a method once the person's answer is there; after %s it has %s",
      async (answer, statuses) => {
        const waiting = await harness().save(saveRequest(), 'asks')
        expect(waiting).toMatchObject({ status: 'requires_action', next: { type: traits.asksBy } })
        await harness().answer(waiting.reference, answer)
        const decided = await harness().gateway.saver.complete(waiting.reference)
        expect(statuses).toContain(decided?.status)
        expect(decided?.method === undefined).toBe(answer === 'no')
        expect(await harness().gateway.saver.complete(waiting.reference)).toEqual(decided)
      },
    )

    test('calls a waiting saving off, which then keeps nothing; a method that is kept stays', async () => {
      const { saver } = harness().gateway
      const waiting = await harness().save(saveRequest(), 'asks')
      expect(await saver.cancel(waiting.reference)).toMatchObject({ status: 'cancelled' })
      await harness().answer(waiting.reference, 'yes')
      expect((await saver.retrieve(waiting))?.method).toBeUndefined()
      const saving = await harness().save(saveRequest(), 'pays')
      expect(await saver.cancel(saving.reference)).toEqual(saving)
    })

    test('refunds in parts, once per key, and no more than there is', async () => {
      const { reference } = await pay('pays')
      const refund = (key: string, amountCents: number) =>
        harness().gateway.refund({ reference, key: `${key}:${reference}`, amountCents })
      await Promise.allSettled([refund('one', 400), refund('one', 400), refund('one', 400)])
      await refund('one', 400)
      await refund('two', 500)
      await expect(refund('three', 100)).rejects.toThrow(GatewayRefused)
      expect(await harness().gateway.retrieve({ reference })).toMatchObject({
        refundedCents: 900,
        status: 'succeeded',
      })
    })

    test('refunds the whole, and nothing after that', async () => {
      const { reference } = await pay('pays')
      await harness().gateway.refund({ reference, key: `ref:all:${reference}`, amountCents: 999 })
      const more = harness().gateway.refund({ reference, key: `ref:more:${reference}`, amountCents: 1 })
      await expect(more).rejects.toThrow(GatewayRefused)
      expect(await harness().gateway.retrieve({ reference })).toMatchObject({
        refundedCents: 999,
        status: 'succeeded',
      })
    })

    test('says of a refund that failed later, when it is asked for again, that it is none', async () => {
      const { reference } = await pay('pays')
      const refund = { reference, key: `ref:late:${reference}`, amountCents: 400 }
      await harness().gateway.refund(refund)
      await harness().failRefunds(reference)
      await expect(harness().gateway.refund(refund)).rejects.toThrow(GatewayRefused)
      expect(await harness().gateway.retrieve({ reference })).toMatchObject({ refundedCents: 0 })
      await harness().gateway.refund({ ...refund, key: `ref:again:${reference}` })
      expect(await harness().gateway.retrieve({ reference })).toMatchObject({ refundedCents: 400 })
    })

    test('says how a dispute stands, and what it took: all that had not gone back', async () => {
      const { reference, orderId } = await pay('pays')
      const { gateway, dispute, notification } = harness()
      await gateway.refund({ reference, key: `ref:part:${reference}`, amountCents: 400 })
      for (const status of ['open', 'won', 'open', 'lost'] as const) {
        await dispute(reference, status)
        const { body, headers } = notification(reference, 'genuine')
        expect(await gateway.readNotification(body, headers)).toMatchObject({ reference })
        const expected = { status: 'succeeded', refundedCents: 400, dispute: status, disputedCents: 599 }
        expect(await gateway.retrieve({ reference })).toMatchObject(expected)
        expect(await paymentsOf(orderId)).toMatchObject([expected])
      }
    })

    test('refunds nothing of what a bank has taken', async () => {
      const { reference } = await pay('pays')
      await harness().dispute(reference, 'open')
      const refund = { reference, key: `ref:taken:${reference}`, amountCents: 400 }
      expect(await askRefund({ log }, harness().gateway, refund)).not.toBe('done')
      expect(await harness().gateway.retrieve({ reference })).toMatchObject({ refundedCents: 0 })
    })

    test('reads its own notifications', async () => {
      const { reference } = await pay('pays')
      const { body, headers } = harness().notification(reference, 'genuine')
      expect(await harness().gateway.readNotification(body, headers)).toEqual({
        eventId: expect.any(String),
        reference,
      })
    })

    test.each(traits.notifications)('refuses a notification that is %s', async (kind) => {
      const { reference } = await pay('pays')
      const { body, headers } = harness().notification(reference, kind)
      const read = async () => harness().gateway.readNotification(body, headers)
      await expect(read()).rejects.toThrow(NotificationRefused)
    })

    test('refuses a notification without a signature', async () => {
      const { reference } = await pay('pays')
      const { body } = harness().notification(reference, 'genuine')
      const read = async () => harness().gateway.readNotification(body, {})
      await expect(read()).rejects.toThrow(NotificationRefused)
    })

    test('lists what was paid since', async () => {
      const { reference, orderId } = await pay('pays')
      expect(await paymentsOf(orderId)).toMatchObject([{ reference, status: 'succeeded' }])
      expect(await harness().gateway.listSince(new Date(Date.now() + 60_000))).toEqual([])
    })
  })

  if (!traits.hasLine) return
  describe(`the gateway ${name} behind a bad line`, () => {
    const fail = (fault: Fault) => {
      const end = harness().fail?.(fault)
      if (!end) throw new Error('the harness knows no faults')
      onTestFinished(end)
      return end
    }
    /** As the engine calls, with little patience. */
    const impatient = { log, gatewayTimeoutMs: 250 }

    test.each(faults)(
      'a renewal that meets %s is found by our key, and charged once or never',
      async (fault) => {
        const asked = await renewal('pays')
        const end = fail(fault)
        const { gateway } = harness()
        const outcome = await askGateway(impatient, gateway, () => gateway.chargeSaved(asked))
        expect(outcome).toBe('unknown')
        end()
        const payments = arrives(fault) ? [{ status: 'succeeded', orderId: asked.orderId }] : []
        await expect.poll(() => paymentsOf(asked.orderId)).toMatchObject(payments)
        const found = await lookUp(asked)
        if (arrives(fault)) expect(found).toMatchObject({ status: 'succeeded', orderId: asked.orderId })
        else expect(found).toBeNull()
      },
    )

    test.each(faults)(
      'a first payment that meets %s is found by our key, or was never made',
      async (fault) => {
        const asked = charge({ save: true })
        const end = fail(fault)
        const { gateway } = harness()
        expect(await askGateway(impatient, gateway, () => gateway.start(asked))).toBe('unknown')
        end()
        const found = await lookUp(asked)
        const kept = arrives(fault) && !traits.forgetsUnpaid
        if (kept) expect(found).toMatchObject({ attemptId: asked.attemptId })
        else expect(found).toBeNull()
        expect(await paymentsOf(asked.orderId)).toHaveLength(kept ? 1 : 0)
      },
    )

    test.each(faults)('a saving that meets %s is found by our key, or was never made', async (fault) => {
      const asked = saveRequest()
      const end = fail(fault)
      const { gateway } = harness()
      expect(await askGateway(impatient, gateway, () => gateway.saver.start(asked))).toBe('unknown')
      end()
      const found = await lookUpSaving(asked)
      if (arrives(fault) && !traits.forgetsUnpaid)
        expect(found).toMatchObject({ changeId: asked.changeId, status: 'requires_action' })
      else expect(found).toBeNull()
    })

    test.each(faults)('a refund that meets %s is sent again under its key, and made once', async (fault) => {
      const { reference } = await pay('pays')
      const end = fail(fault)
      const { gateway } = harness()
      const refund = { reference, amountCents: 400, key: `ref:${reference}` }
      expect(await askRefund(impatient, gateway, refund)).toBe('unknown')
      end()
      expect(await askRefund(impatient, gateway, refund)).toBe('done')
      expect(await gateway.retrieve({ reference })).toMatchObject({ refundedCents: 400 })
    })
  })
}
