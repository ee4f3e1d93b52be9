import { Fault } from '#contract/errors.ts'
import type { Clock } from './clock.ts'
import type { CountedCalls, SummedCalls } from './database/share-call-counts.ts'
import { countForNetworks, createCallCounter } from './http/limits/call-counter.ts'
import type { Log } from './log.ts'
import type { QuotaLimits, QuotaName } from './config/read-quotas.ts'

export interface NetworkQuotas {
  /** Spends an amount of a network's quota, if that much is left. @returns 0, or the seconds until it is available */
  spend(name: QuotaName, ip: string, amount?: number): number
  /** Like `spend`, for work that cannot be skipped. @throws Fault tooManyRequests with the seconds to wait */
  spendOrThrow(name: QuotaName, ip: string, amount?: number): void
  stop(): void
}

interface Options {
  limits: QuotaLimits
  clock: Clock
  log: Log
  /** Adds this process's counts to those of the other processes, and returns the sums. */
  share(counted: readonly CountedCalls[]): Promise<SummedCalls[]>
}

const everyMs = 1000

/**
 * Creates the quotas that limit how much each network may store. Each process counts in memory and shares its counts.
 */
export function openNetworkQuotas({ limits, clock, log, share }: Options): NetworkQuotas {
  const counter = createCallCounter(clock, share)
  const timer = setInterval(() => {
    counter
      .exchange()
      .catch((error: unknown) =>
        log.debug({ err: error }, 'The counts of network quotas could not be shared'),
      )
  }, everyMs).unref()
  const spend = (name: QuotaName, ip: string, amount?: number) =>
    countForNetworks(counter, name, ip, limits[name], amount)
  return {
    spend,
    spendOrThrow(name, ip, amount) {
      const wait = spend(name, ip, amount)
      if (wait > 0) throw new Fault('tooManyRequests', `${name} of this network`, wait)
    },
    stop: () => clearInterval(timer),
  }
}

/** Unlimited quotas, for work that no unauthenticated client causes. */
export const noQuotas: NetworkQuotas = { spend: () => 0, spendOrThrow: () => {}, stop: () => {} }
