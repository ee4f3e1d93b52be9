import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { walkPages } from '#server/testing/walk-pages.ts'
import { moveBillingRecords } from '#server/features/billing/personal-data/personal-data-queries.ts'
import { listOrders } from '#server/features/billing/checkout/load-orders.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

/** Creation times of orders, in milliseconds after the earliest. Several orders may have the same time. */
const creationTimes = fc.array(fc.nat({ max: 8 }), { maxLength: 9 })

test(
  'lists every earlier order of the member, and no order twice, while orders are created and a guest’s orders are merged',
  { timeout: propertyTimeoutMs },
  () =>
    checkProperty(
      fc.asyncProperty(
        fc.record({
          own: creationTimes,
          guests: creationTimes,
          sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
          signInAfter: fc.nat({ max: 4 }),
          newAfter: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
        }),
        async ({ own, guests, sizes, signInAfter, newAfter }) => {
          const { db } = site.context
          const [member, guest] = [newId('usr'), newId('usr')]
          const start = Date.now()
          const order = (userId: string, at: number) =>
            db.transaction().execute((tx) => insertPaidOrder(tx, userId, new Date(start + at)))
          await db.transaction().execute(async (tx) => {
            await insertUserRow(tx, member)
            await insertUserRow(tx, guest)
          })
          const throughout: string[] = []
          for (const at of own) throughout.push(await order(member, at))
          for (const at of guests) await order(guest, at)
          const seen = await walkPages({
            sizes,
            fetchPage: (paging) => listOrders(site.context, member, paging, 'en'),
            async betweenPages(page) {
              if (page === signInAfter)
                await db.transaction().execute((tx) => moveBillingRecords(tx, guest, member))
              for (const after of newAfter) if (after === page) await order(member, 100 + page)
            },
          })
          const ids = seen.map(({ id }) => id)
          expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
          expect(ids).toEqual(expect.arrayContaining(throughout))
        },
      ),
      { share: 1 / 3 },
    ),
)
