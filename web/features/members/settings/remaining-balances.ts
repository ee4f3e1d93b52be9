import type { RemainingBalance as MoneyLeft } from '#contract/top-ups.ts'
import { ApiError } from '#web/lib/api.ts'

/** The paid money that a refusal to delete an account names; nothing where it was another. */
export function remainingBalancesFromError(error: unknown): MoneyLeft[] {
  const info = error instanceof ApiError ? error.info : undefined
  // The contract gives the balances as what goes with `balanceNotEmpty`.
  return typeof info === 'object' && info !== null && 'balances' in info ? (info.balances as MoneyLeft[]) : []
}
