import { describe } from 'vitest'
import { describeNetworkFaults } from './network-faults.ts'
import { describeSavedMethods } from './saved-methods.ts'
import { describeRefundsAndDisputes } from './refunds-and-disputes.ts'
import { describePayments } from './payments.ts'
import type { GatewayHarness, GatewayTraits } from './gateway-harness.ts'

/**
 * The contract tests that every gateway adapter passes. An adapter's test file starts the gateway's fake, calls this at its top
 * level, and passes the gateway's traits; the harness is read within the tests only, so it may be created in `beforeAll`. A
 * gateway with several payment methods runs the suite for each.
 */
export function describeGatewayContract(
  name: string,
  traits: GatewayTraits,
  harness: () => GatewayHarness,
): void {
  describe(`the gateway ${name}`, () => {
    describePayments(traits, harness)
    describeSavedMethods(traits, harness)
    describeRefundsAndDisputes(traits, harness)
  })
  if (!traits.isRemote) return
  describe(`the gateway ${name} behind a bad line`, () => {
    describeNetworkFaults(traits, harness)
  })
}
