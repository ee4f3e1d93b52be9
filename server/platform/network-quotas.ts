import { Fault } from '#contract/errors.ts'
import type { Clock } from './clock.ts'
import type { CountedCalls, SummedCalls } from './database/share-rate-limits.ts'
import { countForNetworks, createCallCounter } from './http/count-calls.ts'
import type { Log } from './log.ts'
import type { QuotaLimits, QuotaName } from './config/read-quotas.ts'

export interface NetworkQuotas {
  /** Spends so much of a network's quota, unless less is left. @returns 0, or the seconds until there is */
  spend(name: QuotaName, ip: string, amount?: number): number
  /** The same for required work. @throws Fault tooMany with the seconds to wait */
  take(name: QuotaName, ip: string, amount?: number): void
  stop(): void
}

interface Options {
  limits: QuotaLimits
  clock: Clock
  log: Log
  /** Adds what was counted here to what the other processes counted, and gives the sums. */
  share(counted: readonly CountedCalls[]): Promise<SummedCalls[]>
}

const everyMs = 1000

/** Counts what each network leaves behind, over all processes, in memory. */
export function openNetworkQuotas({ limits, clock, log, share }: Options): NetworkQuotas {
  const counter = createCallCounter(clock, share)
  const timer = setInterval(() => {
    counter
      .exchange()
      .catch((error: unknown) =>
        log.debug({ err: error }, 'What networks leave behind could not be exchanged'),
      )
  }, everyMs).unref()
  const spend = (name: QuotaName, ip: string, amount?: number) =>
    countForNetworks(counter, name, ip, limits[name], amount)
  return {
    spend,
    take(name, ip, amount) {
      const wait = spend(name, ip, amount)
      if (wait > 0) throw new Fault('tooMany', `${name} of this network`, wait)
    },
    stop: () => clearInterval(timer),
  }
}

/** Quotas that nothing exhausts, for work that no stranger causes. */
export const noQuotas: NetworkQuotas = { spend: () => 0, take: () => {}, stop: () => {} }
