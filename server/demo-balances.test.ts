import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fillDemoBalances } from '#server/demo-balances.ts'
import { loadBalanceFigures } from '#server/features/billing/billing.ts'
import { expectBalancesConsistent } from '#server/testing/billing-model/expect-balances.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import {
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'

let site: BillingSite
let withoutBalances: BillingSite

beforeAll(async () => {
  site = await startBillingSite({ PREPAID_BALANCE: 'on' })
  withoutBalances = await startBillingSite({})
})
afterAll(() => Promise.all([site.close(), withoutBalances.close()]))
afterEach(async () => {
  await expectLedgerBalanced(site)
  await expectBalancesConsistent(site.context.db)
})

const orders = ({ context }: BillingSite) =>
  context.db.selectFrom('orders').select(['id', 'kind', 'status', 'amount_cents']).orderBy('id').execute()

test('creates the members with top-ups and purchases once, even if two processes start at the same time', async () => {
  await Promise.all([fillDemoBalances(site.context), fillDemoBalances(site.context)])
  await fillDemoBalances(site.context)
  const created = await orders(site)
  expect(created.map(({ kind }) => kind).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'episode'),
    ...Array.from({ length: 3 }, () => 'top_up'),
    'video',
  ])
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set(['paid']))
  const { liability, days } = await loadBalanceFigures(site.context.db, site.context.clock.now(), 1)
  expect(liability).not.toEqual([])
  expect(days).not.toEqual([])
})

test('creates no orders if balances are turned off', async () => {
  await buildVideo(withoutBalances.context)
  await fillDemoBalances(withoutBalances.context)
  expect(await orders(withoutBalances)).toEqual([])
})
