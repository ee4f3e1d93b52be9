import type { RemainingBalance as RemainingAmount } from '#contract/top-ups.ts'
import { ApiError } from '#web/lib/api.ts'

/** Returns the paid balances that prevented the deletion of an account; empty for any other error. */
export function remainingBalancesFromError(error: unknown): RemainingAmount[] {
  const info = error instanceof ApiError ? error.info : undefined
  // By the contract, the error `balanceNotEmpty` contains `balances`.
  return typeof info === 'object' && info !== null && 'balances' in info
    ? (info.balances as RemainingAmount[])
    : []
}
