import type { BillingHarness, Fault } from './billing-harness.ts'
import type { Model } from './model.ts'

/** Runs `work` with a fault in the network to the gateway. */
export async function withFault<T>(
  { line }: BillingHarness,
  model: Model,
  fault: Fault,
  work: () => Promise<T>,
): Promise<T> {
  if (fault !== 'none') model.hadFaults = true
  line.fault = fault
  try {
    return await work()
  } finally {
    line.fault = 'none'
  }
}

export const faultSuffix = (fault: Fault) => (fault === 'none' ? '' : `, ${fault}`)
