import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { eraseBilling, mergeBilling } from '#server/features/billing/billing.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Tx } from '#server/tables.ts'

let fake: FakeStripe
let site: TestSite
let offset = 0

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + offset) }
  fake = await startFakeStripe(clock)
  site = await startTestSite({ clock }, fake.env)
})
afterAll(async () => {
  await site.close()
  await fake.close()
})
beforeEach(() => fake.store.customers.clear())

/** Creates a subscriber who paid with a card at Stripe. */
async function subscriber() {
  const shopper = await Shopper.create(site)
  const orderParams = { gateway: 'stripe', kind: 'plan', plan_id: (await shopper.plan(30)).id } as const
  const { id, next } = await shopper.order(orderParams)
  await fake.confirm(next.client_secret ?? '', testCards.pays)
  expect(await shopper.getOrder(id)).toMatchObject({ status: 'paid' })
  return { shopper, id: (await shopper.visitor.callOk(getUser)).id }
}

const inTransaction = (work: (tx: Tx, now: Date) => Promise<void>) =>
  site.context.db.transaction().execute((tx) => work(tx, site.context.clock.now()))
const eraseAccount = (id: string) => inTransaction((tx, now) => eraseBilling(tx, id, now))
const loadCustomers = () => site.context.db.selectFrom('stripe_customers').selectAll().execute()

async function runJanitorAfter() {
  offset += 60_000
  await runJanitor(site.context)
}

test('a user who deletes the account is deleted at Stripe with the card, and other users are not', async () => {
  const [deleted, other] = [await subscriber(), await subscriber()]
  await eraseAccount(deleted.id)
  await runJanitorAfter()
  expect([...fake.store.customers.values()]).toMatchObject([{ metadata: { user_id: other.id } }])
  expect(fake.store.attachedMethodIds).toHaveLength(1)
  expect(await loadCustomers()).toMatchObject([{ user_id: other.id }])
  const requests = fake.requests.length
  await runJanitorAfter()
  expect(fake.requests).toHaveLength(requests)
})

test('a failed deletion of a customer is repeated later, even if Stripe has already deleted the customer', async () => {
  const deleted = await subscriber()
  await eraseAccount(deleted.id)
  fake.isDown = true
  await runJanitorAfter()
  expect(fake.store.customers.size).toBe(1)
  fake.isDown = false
  fake.store.customers.clear()
  await runJanitorAfter()
  expect((await loadCustomers()).map(({ user_id }) => user_id)).not.toContain(deleted.id)
})

test('deleting a member also deletes the Stripe customer of the guest who became the member', async () => {
  const [guest, member] = [await subscriber(), await Shopper.create(site)]
  const { id } = await member.visitor.callOk(getUser)
  await member.order({ gateway: 'stripe', kind: 'plan', plan_id: (await member.plan(7)).id })
  await inTransaction(async (tx, now) => {
    await mergeBilling(tx, guest.id, id, now)
    await tx.updateTable('users').set({ merged_into: id }).where('id', '=', guest.id).execute()
  })
  await eraseAccount(id)
  await runJanitorAfter()
  await runJanitorAfter()
  expect(fake.store.customers.size).toBe(0)
})

test('a user with a pending payment is deleted at Stripe after that payment has ended', async () => {
  const shopper = await Shopper.create(site)
  const orderParams = { gateway: 'stripe', kind: 'plan', plan_id: (await shopper.plan(30)).id } as const
  const { id } = await shopper.visitor.callOk(getUser)
  await shopper.order(orderParams)
  await eraseAccount(id)
  await runJanitorAfter()
  await runJanitorAfter()
  expect(fake.store.customers.size).toBe(0)
  expect([...fake.store.intents.values()].at(-1)).toMatchObject({ status: 'canceled' })
})
