import type { Clock } from '#server/platform/clock.ts'
import type { CountedCalls, SummedCalls } from '#server/platform/database/share-call-counts.ts'
import type { RateLimit } from '#server/platform/config/read-env.ts'
import { countedNetworks } from './client-network.ts'

/** Maximum callers counted at once in a process. Beyond it, callers far below their limit are dropped. */
const maxCallers = 50_000
/**
 * Once a caller's count reaches this part of the limit, it is shared with the other processes. Most callers never reach
 * it.
 */
const sharedThreshold = 1 / 20

/** The calls of one caller in the current window and in the previous one. */
interface Count {
  limit: RateLimit
  /** The number of the window since 1970. */
  timeWindow: number
  /** Calls not yet shared with the other processes. */
  fresh: number
  /** Calls already shared, including those of other processes. */
  shared: number
  before: number
}

/** A caller, or one of the networks that a call counts against, with its limit. */
interface LimitedCaller {
  caller: string
  limit: RateLimit
}

export interface CallCounter {
  /** Counts one call, or `amount`, if the limit allows it. @returns 0, or the seconds to wait before a retry */
  count(caller: string, limit: RateLimit, amount?: number): number
  /** Like `count`, for each of several callers. Counts for none of them if one is at its limit. */
  countEach(callers: readonly LimitedCaller[], amount?: number): number
  /** Exchanges counts with the other processes. Counts that could not be sent are sent the next time. */
  exchange(): Promise<void>
}

/**
 * Counts calls per caller in a sliding window. The calls of the previous window count in proportion to the part of it
 * that the sliding window still covers. Counting is in memory; `exchange`, run every second, sums the processes' counts
 * through `share`, so no call waits for a query.
 */
export function createCallCounter(
  clock: Clock,
  share: (counted: readonly CountedCalls[]) => Promise<SummedCalls[]>,
): CallCounter {
  const counts = new Map<string, Count>()
  const countEach = (callers: readonly LimitedCaller[], amount = 1) => {
    const now = clock.now().getTime()
    const counted: Count[] = []
    for (const { caller, limit } of callers) {
      const count = currentCount(counts, caller, limit, now)
      if (!count) continue
      const wait = secondsToWait(count, now, amount)
      if (wait > 0) return wait
      counted.push(count)
    }
    for (const count of counted) count.fresh += amount
    return 0
  }
  return {
    count: (caller, limit, amount) => countEach([{ caller, limit }], amount),
    countEach,
    async exchange() {
      if (counts.size === 0) return
      const now = clock.now().getTime()
      dropExpired(counts, now)
      const due = [...counts].filter(([, count]) => isDue(count, now)).map(toCountedCalls)
      if (due.length === 0) return
      const sums = new Map((await share(due)).map((sum) => [sum.caller, sum]))
      for (const { caller, timeWindow, calls } of due) {
        const [count, sum] = [counts.get(caller), sums.get(caller)]
        if (!sum || count?.timeWindow !== timeWindow) continue
        count.fresh -= calls
        count.shared = sum.calls
        count.before = Math.max(count.before, sum.before)
      }
    },
  }
}

/**
 * Counts a call, or `amount`, against each network of an address. Counts against none of them if one is at its limit.
 * @returns 0, or the seconds to wait for the first network that is at its limit
 */
export function countForNetworks(
  counter: CallCounter,
  name: string,
  ip: string,
  { max, seconds }: RateLimit,
  amount = 1,
): number {
  const callers = countedNetworks(ip).map(({ network, multiplier }) => ({
    caller: `${name} ${network}`,
    limit: { max: max * multiplier, seconds },
  }))
  return counter.countEach(callers, amount)
}

const timeWindowOf = ({ seconds }: RateLimit, now: number) => Math.floor(now / (seconds * 1000))
const used = ({ fresh, shared }: Count) => fresh + shared

/** Returns the caller's count, advanced to the current window; undefined if no more callers fit. */
function currentCount(
  counts: Map<string, Count>,
  caller: string,
  limit: RateLimit,
  now: number,
): Count | undefined {
  const timeWindow = timeWindowOf(limit, now)
  const known = counts.get(caller)
  if (known?.timeWindow === timeWindow) {
    // The limit may have been changed in the settings.
    known.limit = limit
    return known
  }
  if (!known && counts.size >= maxCallers) return undefined
  const before = known?.timeWindow === timeWindow - 1 ? used(known) : 0
  const count = { limit, timeWindow, fresh: 0, shared: 0, before }
  counts.set(caller, count)
  return count
}

function secondsToWait(count: Count, now: number, amount: number): number {
  const { limit, timeWindow, before } = count
  const overlap = timeWindow + 1 - now / (limit.seconds * 1000)
  const free = Math.max(0, limit.max - amount)
  if (used(count) + before * overlap <= free) return 0
  // If the calls of the current window alone are below the limit, waits until enough calls of the previous window have
  // left the sliding window. Otherwise waits until the current window has become the previous one, and enough of its
  // calls have left.
  const windows =
    used(count) <= free ? overlap - (free - used(count)) / before : overlap + 1 - free / used(count)
  return Math.max(1, Math.ceil(windows * limit.seconds))
}

function isDue(count: Count, now: number): boolean {
  const { limit, timeWindow, fresh } = count
  return timeWindow === timeWindowOf(limit, now) && fresh > 0 && used(count) >= limit.max * sharedThreshold
}

function toCountedCalls([caller, { limit, timeWindow, fresh }]: [string, Count]): CountedCalls {
  return {
    caller,
    timeWindow,
    calls: fresh,
    expiresAt: new Date((timeWindow + 2) * limit.seconds * 1000),
  }
}

function dropExpired(counts: Map<string, Count>, now: number): void {
  const full = counts.size >= maxCallers
  for (const [caller, count] of counts) {
    const over = count.timeWindow < timeWindowOf(count.limit, now) - 1
    if (over || (full && used(count) < count.limit.max * sharedThreshold)) counts.delete(caller)
  }
}
