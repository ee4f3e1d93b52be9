import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { openBillingHarness, type BillingHarness } from '#server/testing/billing-model/billing-harness.ts'
import { runUntilSettled } from '#server/testing/billing-model/advance-time.ts'
import { firstPurchase, sequences } from '#server/testing/billing-model/sequences.ts'
import { startSequence, checkFinalState, checkInvariants } from '#server/testing/billing-model/step.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'

/** The number of lanes that run sequences in parallel. Each lane has a separate site, database and clock. */
const laneCount = 4
const lanes: BillingHarness[] = []

beforeAll(async () => {
  const numbers = Array.from({ length: laneCount })
  lanes.push(...(await Promise.all(numbers.map(() => openBillingHarness()))))
}, 600_000)
afterAll(async () => {
  for (const lane of lanes) await lane.close()
}, 600_000)

test(
  'no money is lost, doubled or given away, whatever users, gateways and clocks do',
  { timeout: propertyTimeoutMs },
  async () => {
    const checks = lanes.map((lane, number) =>
      checkProperty(
        fc.asyncProperty(firstPurchase, sequences(process.env['PROPERTY_REPLAY']), async (first, steps) => {
          const model = await startSequence(lane)
          await first.run(model, lane)
          await fc.asyncModelRun(() => ({ model, real: lane }), steps)
          await runUntilSettled(lane)
          await checkInvariants(lane, model)
          await checkFinalState(lane, model)
        }),
        { lane: { number, of: laneCount } },
      ),
    )
    await Promise.all(checks)
  },
)
