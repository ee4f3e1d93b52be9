import { describe } from 'vitest'
import { describeBadLine } from './describe-bad-line.ts'
import { describeKeeping } from './describe-keeping.ts'
import { describeMoneyBack } from './describe-money-back.ts'
import { describePayments } from './describe-payments.ts'
import type { GatewayHarness, GatewayTraits } from './gateway-harness.ts'

/**
 * The contract tests that every gateway adapter passes. An adapter's test file starts the gateway's fake, calls this at its top
 * level, and passes the gateway's traits; the harness is read within the tests only, so it may be created in `beforeAll`. A
 * gateway with several payment methods runs the suite for each.
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
