import { expect, onTestFinished, test } from 'vitest'
import { callGateway, requestRefund } from '#server/features/billing/gateways/call-gateway.ts'
import { createLog } from '#server/platform/log.ts'
import { gatewayShopper } from './gateway-shopper.ts'
import {
  networkFaults,
  type NetworkFault,
  type GatewayHarness,
  type GatewayTraits,
} from './gateway-harness.ts'

const log = createLog({ json: true, level: 'silent' })
/** Returns whether a fault lets the request reach the gateway and loses only the response. */
const reachesGateway = (fault: NetworkFault) => fault !== 'dropped before' && fault !== '429'

/** Tests requests that do not reach the gateway, and requests whose responses are lost. */
export function describeNetworkFaults(traits: GatewayTraits, harness: () => GatewayHarness): void {
  const { charge, pay, lookUp, renewal, saveRequest, lookUpSaving, paymentsOf } = gatewayShopper(
    traits,
    harness,
  )
  const startFault = (fault: NetworkFault) => {
    const end = harness().simulateFault?.(fault)
    if (!end) throw new Error('the harness has no simulateFault')
    onTestFinished(end)
    return end
  }
  /**
   * Returns the context of a gateway call. Only `time-out` gets a short time limit. A call with another fault must wait
   * for its response, because its request could otherwise arrive after the fault has ended.
   */
  const callContext = (fault: NetworkFault) =>
    fault === 'time-out' ? { log, gatewayTimeoutMs: 250 } : { log }

  test.each(networkFaults)(
    'a renewal with the fault "%s" is charged at most once, and found by our key if the gateway received it',
    async (fault) => {
      const charge = await renewal('pays')
      const endFault = startFault(fault)
      const { gateway } = harness()
      const outcome = await callGateway(callContext(fault), gateway, () => gateway.chargeSavedMethod(charge))
      expect(outcome).toBe('unknown')
      endFault()
      const payments = reachesGateway(fault) ? [{ status: 'succeeded', orderId: charge.orderId }] : []
      await expect.poll(() => paymentsOf(charge.orderId)).toMatchObject(payments)
      const found = await lookUp(charge)
      if (reachesGateway(fault)) expect(found).toMatchObject({ status: 'succeeded', orderId: charge.orderId })
      else expect(found).toBeNull()
    },
  )

  test.each(networkFaults)(
    'a first payment with the fault "%s" is found by our key if the gateway received it',
    async (fault) => {
      const request = charge({ save: true })
      const endFault = startFault(fault)
      const { gateway } = harness()
      expect(await callGateway(callContext(fault), gateway, () => gateway.createPayment(request))).toBe(
        'unknown',
      )
      endFault()
      const isRecorded = reachesGateway(fault) && !traits.discardsUnpaid
      if (isRecorded) await expect.poll(() => lookUp(request)).toMatchObject({ attemptId: request.attemptId })
      else expect(await lookUp(request)).toBeNull()
      expect(await paymentsOf(request.orderId)).toHaveLength(isRecorded ? 1 : 0)
    },
  )

  test.each(networkFaults)(
    'a setup with the fault "%s" is found by our key if the gateway received it',
    async (fault) => {
      const request = saveRequest()
      const endFault = startFault(fault)
      const { gateway } = harness()
      expect(await callGateway(callContext(fault), gateway, () => gateway.methodSetups.start(request))).toBe(
        'unknown',
      )
      endFault()
      if (reachesGateway(fault) && !traits.discardsUnpaid)
        await expect
          .poll(() => lookUpSaving(request))
          .toMatchObject({ setupId: request.setupId, status: 'requires_action' })
      else expect(await lookUpSaving(request)).toBeNull()
    },
  )

  test.each(networkFaults)(
    'a refund with the fault "%s" is made once if it is repeated with its key',
    async (fault) => {
      const { reference } = await pay('pays')
      const endFault = startFault(fault)
      const { gateway } = harness()
      const refund = { reference, amountCents: 400, key: `ref:${reference}` }
      expect(await requestRefund(callContext(fault), gateway, refund)).toBe('unknown')
      endFault()
      expect(await requestRefund({ log }, gateway, refund)).toBe('done')
      expect(await gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 400 })
    },
  )
}
