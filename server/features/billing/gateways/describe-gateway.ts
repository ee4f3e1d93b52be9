import { describe } from 'vitest'
import { describeBadLine } from './describe-bad-line.ts'
import { describeKeeping } from './describe-keeping.ts'
import { describeMoneyBack } from './describe-money-back.ts'
import { describePayments } from './describe-payments.ts'
import type { GatewayHarness, GatewayTraits } from './gateway-harness.ts'

/**
 * The contract of the port (billing.md, "The port"): every adapter passes the same. A test file of the adapter brings its
 * gateway's stand-in up, calls this at its top level, and gives what is particular to the gateway; the harness is asked for
 * within the tests only, so it may be made in `beforeAll`. A gateway with several ways to pay runs the suite for each.
 */
export function describeGateway(name: string, traits: GatewayTraits, harness: () => GatewayHarness): void {
  describe(`the gateway ${name}`, () => {
    describePayments(traits, harness)
    describeKeeping(traits, harness)
    describeMoneyBack(traits, harness)
  })
  if (!traits.hasLine) return
  describe(`the gateway ${name} behind a bad line`, () => {
    describeBadLine(traits, harness)
  })
}
