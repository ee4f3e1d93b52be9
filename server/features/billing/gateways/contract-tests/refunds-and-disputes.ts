import { expect, test } from 'vitest'
import { requestRefund } from '#server/features/billing/gateways/call-gateway.ts'
import { GatewayRefused, WebhookRefused } from '#server/features/billing/gateways/gateway.ts'
import { createLog } from '#server/platform/log.ts'
import { gatewayShopper } from './gateway-shopper.ts'
import type { GatewayHarness, GatewayTraits } from './gateway-harness.ts'

const log = createLog({ json: true, level: 'silent' })

/** Tests refunds, disputes and webhook events. */
export function describeRefundsAndDisputes(traits: GatewayTraits, harness: () => GatewayHarness): void {
  const { pay, paymentsOf } = gatewayShopper(traits, harness)

  test('makes partial refunds once per key, and refuses to refund more than was paid', async () => {
    const { reference } = await pay('pays')
    const refund = (key: string, amountCents: number) =>
      harness().gateway.refundPayment({ reference, key: `${key}:${reference}`, amountCents })
    await Promise.allSettled([refund('one', 400), refund('one', 400), refund('one', 400)])
    await refund('one', 400)
    await refund('two', 500)
    await expect(refund('three', 100)).rejects.toThrow(GatewayRefused)
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({
      refundedCents: 900,
      status: 'succeeded',
    })
  })

  test('refunds the whole payment, and then refuses further refunds', async () => {
    const { reference } = await pay('pays')
    await harness().gateway.refundPayment({ reference, key: `ref:all:${reference}`, amountCents: 999 })
    const more = harness().gateway.refundPayment({ reference, key: `ref:more:${reference}`, amountCents: 1 })
    await expect(more).rejects.toThrow(GatewayRefused)
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({
      refundedCents: 999,
      status: 'succeeded',
    })
  })

  test('reports that a refund failed when the same refund is requested again', async () => {
    const { reference } = await pay('pays')
    const refund = { reference, key: `ref:late:${reference}`, amountCents: 400 }
    await harness().gateway.refundPayment(refund)
    await harness().failRefunds(reference)
    await expect(harness().gateway.refundPayment(refund)).rejects.toThrow(GatewayRefused)
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 0 })
    await harness().gateway.refundPayment({ ...refund, key: `ref:again:${reference}` })
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 400 })
  })

  test('returns the status and the amount of a dispute; the amount excludes earlier refunds', async () => {
    const { reference, orderId } = await pay('pays')
    const { gateway, dispute, webhook } = harness()
    await gateway.refundPayment({ reference, key: `ref:part:${reference}`, amountCents: 400 })
    for (const status of ['open', 'won', 'open', 'lost'] as const) {
      await dispute(reference, status)
      const { body, headers } = webhook(reference, 'genuine')
      expect(await gateway.parseWebhook(body, headers)).toMatchObject({ reference })
      const expected = { status: 'succeeded', refundedCents: 400, dispute: status, disputedCents: 599 }
      expect(await gateway.retrievePayment({ reference })).toMatchObject(expected)
      expect(await paymentsOf(orderId)).toMatchObject([expected])
    }
  })

  test('refuses to refund a disputed payment', async () => {
    const { reference } = await pay('pays')
    await harness().dispute(reference, 'open')
    const refund = { reference, key: `ref:taken:${reference}`, amountCents: 400 }
    expect(await requestRefund({ log }, harness().gateway, refund)).not.toBe('done')
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 0 })
  })

  test('parses its own webhook events', async () => {
    const { reference } = await pay('pays')
    const { body, headers } = harness().webhook(reference, 'genuine')
    expect(await harness().gateway.parseWebhook(body, headers)).toEqual({
      eventId: expect.any(String),
      reference,
    })
  })

  test.each(traits.invalidWebhooks)('refuses a webhook event that is %s', async (kind) => {
    const { reference } = await pay('pays')
    const { body, headers } = harness().webhook(reference, kind)
    const read = async () => harness().gateway.parseWebhook(body, headers)
    await expect(read()).rejects.toThrow(WebhookRefused)
  })

  test('refuses a webhook event without a signature', async () => {
    const { reference } = await pay('pays')
    const { body } = harness().webhook(reference, 'genuine')
    const read = async () => harness().gateway.parseWebhook(body, {})
    await expect(read()).rejects.toThrow(WebhookRefused)
  })
}
