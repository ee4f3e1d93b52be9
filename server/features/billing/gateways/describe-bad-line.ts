import { expect, onTestFinished, test } from 'vitest'
import { askGateway, askRefund } from './call-gateway.ts'
import { createLog } from '#server/platform/log.ts'
import { gatewayShopper } from './gateway-shopper.ts'
import { faults, type Fault, type GatewayHarness, type GatewayTraits } from './gateway-harness.ts'

const log = createLog({ json: true, level: 'silent' })
/** Returns whether a fault lets the request reach the gateway and loses only the response. */
const arrives = (fault: Fault) => fault !== 'dropped before' && fault !== '429'

/** Tests requests whose responses are lost on the connection. */
export function describeBadLine(traits: GatewayTraits, harness: () => GatewayHarness): void {
  const { charge, pay, lookUp, renewal, saveRequest, lookUpSaving, paymentsOf } = gatewayShopper(
    traits,
    harness,
  )
  const fail = (fault: Fault) => {
    const end = harness().fail?.(fault)
    if (!end) throw new Error('the harness knows no faults')
    onTestFinished(end)
    return end
  }
  /**
   * Calls as the engine does, with a short time limit for faults without a response. Other faults are awaited: a request that
   * arrives after the fault meets none.
   */
  const calling = (fault: Fault) => (fault === 'time-out' ? { log, gatewayTimeoutMs: 250 } : { log })

  test.each(faults)(
    'a renewal that meets %s is found by our key, and charged once or never',
    async (fault) => {
      const asked = await renewal('pays')
      const end = fail(fault)
      const { gateway } = harness()
      const outcome = await askGateway(calling(fault), gateway, () => gateway.chargeSavedMethod(asked))
      expect(outcome).toBe('unknown')
      end()
      const payments = arrives(fault) ? [{ status: 'succeeded', orderId: asked.orderId }] : []
      await expect.poll(() => paymentsOf(asked.orderId)).toMatchObject(payments)
      const found = await lookUp(asked)
      if (arrives(fault)) expect(found).toMatchObject({ status: 'succeeded', orderId: asked.orderId })
      else expect(found).toBeNull()
    },
  )

  test.each(faults)('a first payment that meets %s is found by our key, or was never made', async (fault) => {
    const asked = charge({ save: true })
    const end = fail(fault)
    const { gateway } = harness()
    expect(await askGateway(calling(fault), gateway, () => gateway.createPayment(asked))).toBe('unknown')
    end()
    const kept = arrives(fault) && !traits.forgetsUnpaid
    if (kept) await expect.poll(() => lookUp(asked)).toMatchObject({ attemptId: asked.attemptId })
    else expect(await lookUp(asked)).toBeNull()
    expect(await paymentsOf(asked.orderId)).toHaveLength(kept ? 1 : 0)
  })

  test.each(faults)('a saving that meets %s is found by our key, or was never made', async (fault) => {
    const asked = saveRequest()
    const end = fail(fault)
    const { gateway } = harness()
    expect(await askGateway(calling(fault), gateway, () => gateway.methodSetups.start(asked))).toBe('unknown')
    end()
    if (arrives(fault) && !traits.forgetsUnpaid)
      await expect
        .poll(() => lookUpSaving(asked))
        .toMatchObject({ changeId: asked.changeId, status: 'requires_action' })
    else expect(await lookUpSaving(asked)).toBeNull()
  })

  test.each(faults)('a refund that meets %s is sent again under its key, and made once', async (fault) => {
    const { reference } = await pay('pays')
    const end = fail(fault)
    const { gateway } = harness()
    const refund = { reference, amountCents: 400, key: `ref:${reference}` }
    expect(await askRefund(calling(fault), gateway, refund)).toBe('unknown')
    end()
    expect(await askRefund({ log }, gateway, refund)).toBe('done')
    expect(await gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 400 })
  })
}
