import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runHealthChecks } from '#server/features/studio/system/health-checks.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { requiredEvents as paypalEvents } from './paypal/check-account.ts'
import { FakePaypal } from './paypal/fake/fake-paypal.ts'
import { requiredEvents as stripeEvents } from './stripe/report-missing-events.ts'

let stripe: FakeStripe
let paypal: FakePaypal
let site: TestSite

beforeAll(async () => {
  stripe = await startFakeStripe()
  paypal = await FakePaypal.start()
  site = await startTestSite({}, { ...stripe.env, ...paypal.settings })
})
afterAll(async () => {
  await site.close()
  await stripe.close()
  await paypal.close()
})

test.each([
  ['Stripe', stripeEvents],
  ['PayPal', paypalEvents],
])('the documentation names every required webhook event of %s', (_, needed) => {
  const page = readFileSync('docs/payments.md', 'utf8')
  expect(needed.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

describe('the required events that a webhook does not send', () => {
  const findHealth = async (component: string) =>
    (await runHealthChecks(site.context)).find((one) => one.component === component)
  const deliver = (events: readonly string[]) => {
    paypal.webhookEvents = [...events]
    for (const webhook of stripe.webhooks) webhook.enabled_events = [...events]
  }

  test('are named individually in the studio', async () => {
    deliver(
      [...stripeEvents, ...paypalEvents].filter((name) => !name.toLowerCase().endsWith('refund.failed')),
    )
    expect(await findHealth('gateway stripe')).toMatchObject({
      problem: 'webhookEventsMissing',
      detail: 'refund.failed',
    })
    expect(await findHealth('gateway paypal')).toMatchObject({
      problem: 'webhookEventsMissing',
      detail: 'PAYMENT.REFUND.FAILED',
    })
  })

  test('are not reported as a problem if the webhook sends all events', async () => {
    for (const events of [['*'], [...stripeEvents, ...paypalEvents]]) {
      deliver(events)
      expect(await findHealth('gateway stripe')).toMatchObject({ problem: null })
      expect(await findHealth('gateway paypal')).toMatchObject({ problem: null })
    }
  })

  test('are logged when the site starts', async () => {
    deliver(['charge.refunded', 'PAYMENT.CAPTURE.REFUNDED'])
    const log = vi.spyOn(site.context.log, 'error')
    for (const gateway of site.context.gateways) await gateway.prepare?.()
    expect(log.mock.calls.map(([details]) => details)).toEqual([
      { missing: stripeEvents.filter((name) => name !== 'charge.refunded') },
      { missing: paypalEvents.filter((name) => name !== 'PAYMENT.CAPTURE.REFUNDED') },
    ])
    log.mockRestore()
  })
})
