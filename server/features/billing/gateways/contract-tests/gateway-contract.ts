import { describe } from 'vitest'
import { describeNetworkFaults } from './network-faults.ts'
import { describeSavedMethods } from './saved-methods.ts'
import { describeRefundsAndDisputes } from './refunds-and-disputes.ts'
import { describePayments } from './payments.ts'
import type { GatewayHarness, GatewayTraits } from './gateway-harness.ts'

/**
 * Registers the contract tests that every gateway adapter must pass. An adapter's test file starts the gateway's fake
 * and calls this function at its top level. `harness` is called only within the tests, so its result may be created in
 * `beforeAll`. For a gateway with several payment methods, call this function once per method.
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
  describe(`the gateway ${name} with network faults`, () => {
    describeNetworkFaults(traits, harness)
  })
}
