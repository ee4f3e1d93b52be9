import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { changePaymentMethod, type PaymentMethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Envelope } from '#server/testing/site/visitor.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { applyWebhookEvent } from '#server/features/billing/webhooks/receive-webhook.ts'

const day = 86_400_000
const hour = 3_600_000

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => {
  delete site.gatewayOverrides.chargeSavedMethod
  delete site.gatewayOverrides.retrievePayment
  delete site.gatewayOverrides.methodSetups
})

async function change(
  { shopper }: Subscriber,
  params: BodyOf<typeof changePaymentMethod>,
): Promise<PaymentMethodChange> {
  const body = { first_name: 'Ada', last_name: 'Lovelace', ...params }
  const answer: Envelope<PaymentMethodChange> = (await shopper.visitor.call(changePaymentMethod, { body }))
    .answer
  if (!answer.info) throw new Error(JSON.stringify(answer))
  return answer.info
}

const byCard = async (person: Subscriber, card: string) =>
  change(person, { gateway: 'sandbox', payment_token: await person.shopper.cardToken(card) })

test('a late event about a replaced card does not prevent the charge of the new card', async () => {
  const person = await Subscriber.create(site)
  const setup = await byCard(person, testCards.requires3dsAlways)
  await person.shopper.answerBankPage(setup.next.url ?? '', 'yes')
  await change(person, { setup_id: setup.id })
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    await site.sandboxGateway.chargeSavedMethod(charge)
    throw new Error('the line broke')
  }
  site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
  await person.advanceAndRenew(7 * day)
  await byCard(person, testCards.pays)
  delete site.gatewayOverrides.chargeSavedMethod
  delete site.gatewayOverrides.retrievePayment
  site.advanceClock(hour)
  await runJanitor(site.context)
  expect(await person.subscriptionRow()).toMatchObject({
    status: 'past_due',
    next_charge_at: expect.any(Date),
  })
  await person.advanceAndRenew(day + hour)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
})

test('a card used for a manual payment is not replaced by a wallet that was approved earlier', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  const wallet = await change(person, { gateway: 'sandbox', method: 'wallet' })
  await person.shopper.answerBankPage(wallet.next.url ?? '', 'yes')
  site.advanceClock(60_000)
  const plan_id = (await person.shopper.plan(7)).id
  await person.shopper.buy({ kind: 'plan', plan_id })
  site.advanceClock(hour)
  await runJanitor(site.context)
  expect((await person.membership()).method).toEqual({ brand: 'visa', last4: '4242' })
})

test('a webhook event about a card remains unapplied while its gateway cannot be queried', async () => {
  const person = await Subscriber.create(site)
  const setup = await byCard(person, testCards.requires3dsAlways)
  const { db, clock } = site.context
  const { reference } = await db
    .selectFrom('payment_method_setups')
    .select('reference')
    .where('id', '=', setup.id)
    .executeTakeFirstOrThrow()
  const webhookEvent = { gateway: 'sandbox', event_id: setup.id, reference: reference ?? '' } as const
  await db
    .insertInto('webhook_events')
    .values({ ...webhookEvent, received_at: clock.now() })
    .execute()
  const isApplied = async () => {
    const rows = db.selectFrom('webhook_events').select('applied_at').where('event_id', '=', setup.id)
    return (await rows.executeTakeFirstOrThrow()).applied_at !== null
  }
  site.gatewayOverrides.methodSetups = {
    ...site.sandboxGateway.methodSetups,
    complete: () => Promise.reject(new Error('away')),
  }
  await applyWebhookEvent(site.context, webhookEvent)
  expect(await isApplied()).toBe(false)
  delete site.gatewayOverrides.methodSetups
  await applyWebhookEvent(site.context, webhookEvent)
  expect(await isApplied()).toBe(true)
})
