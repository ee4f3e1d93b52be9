import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { simulateYear } from '#server/testing/billing-model/simulate-year.ts'
import { openTestPool } from '#server/testing/database/test-pool.ts'

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

test(
  'eight subscriptions are charged once per period for a year by two schedulers, and not after a cancellation',
  { timeout: 300_000 },
  async () => {
    const other = openTestPool(site.databaseUrl)
    onTestFinished(() => other.close())
    const options = {
      subscribersPerPeriod: 2,
      periodDays: [7, 30, 90, 365],
      cancelEvery: 5,
      stepMs: 24 * 3_600_000,
    }
    const year = await simulateYear(site.context, [site.context.db, other.db], options)
    expect(year).toMatchObject({ wrongCharges: 0, chargesAfterCancelling: 0 })
    const charges = year.lines.reduce((sum, line) => sum + line.charges, 0)
    expect(charges).toBe(year.lines.reduce((sum, line) => sum + line.periods, 0))
    expect(charges).toBeGreaterThan(100)
    expect(year.balances).toEqual({ ledgerCents: charges * 999, gatewayCents: charges * 999 })
  },
)
