import { setTimeout as delay } from 'node:timers/promises'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** Time after which a client whose journey failed starts the next one. */
const retryAfterMs = 250
/** Minimum number of customer journeys that must succeed before and after each step of a drill. */
const journeysPerStep = 5

/**
 * Buys an episode.
 * @returns the id of the order, which the site reported as paid
 * @throws Error if the site did not report the order as paid
 */
export type Checkout = (shopper: Shopper, episodeId: string) => Promise<string>

export interface Buyers {
  /** Returns the durations of the successful journeys so far, in milliseconds. */
  journeys: () => readonly number[]
  /** Returns the failures of journeys so far. */
  failures: () => readonly string[]
  /** Waits until `journeysPerStep` more journeys have succeeded, at most `timeoutMs`. */
  completeMore(timeoutMs: number): Promise<void>
  /** Waits until the journeys that are under way have ended, at most `timeoutMs`. */
  finishCurrent(timeoutMs: number): Promise<void>
  /** Finishes the current journeys. @returns the failures, and the ids of the orders that were reported as paid */
  end(): Promise<{ failures: string[]; paid: string[] }>
}

/**
 * Simulates new visitors who browse, buy a locked episode and play it. Each of `clients` concurrent clients runs one
 * journey after the other.
 */
export function simulateBuyers(
  url: string,
  { id, episodes }: BuiltVideo,
  clients: number,
  checkOut: Checkout = payInSandbox,
): Buyers {
  const failures: string[] = []
  const paid: string[] = []
  const journeys: number[] = []
  let isEnding = false
  const visitor = visitorFactory(url)
  const locked = episodes.at(-1)?.id ?? ''
  /** Number of journeys that each client has ended. */
  const ended = Array.from({ length: clients }, () => 0)
  const buyContinuously = async (_: unknown, client: number) => {
    while (!isEnding) {
      try {
        const start = performance.now()
        const shopper = await Shopper.create({ visitor })
        await shopper.visitor.callOk(getHomepage)
        await shopper.visitor.callOk(getVideo, { query: { id } })
        paid.push(await checkOut(shopper, locked))
        await shopper.visitor.callOk(getEpisode, { query: { episode_id: locked } })
        journeys.push(performance.now() - start)
      } catch (error) {
        failures.push(String(error))
        await delay(retryAfterMs)
      }
      ended[client] = (ended[client] ?? 0) + 1
    }
  }
  const buyers = Array.from({ length: clients }, buyContinuously)
  return {
    journeys: () => journeys,
    failures: () => failures,
    async completeMore(timeoutMs) {
      const target = journeys.length + journeysPerStep
      await waitUntil('buyers continue to buy', () => journeys.length >= target, timeoutMs)
    },
    async finishCurrent(timeoutMs) {
      const before = [...ended]
      const haveEnded = () => before.every((number, client) => (ended[client] ?? 0) > number)
      await waitUntil('current journeys end', haveEnded, timeoutMs)
    },
    async end() {
      isEnding = true
      await Promise.all(buyers)
      return { failures, paid }
    },
  }
}

/** Pays by card in the sandbox, once. */
async function payInSandbox(shopper: Shopper, episodeId: string): Promise<string> {
  const { info: order, message } = await shopper.buy({ episode_id: episodeId, method: 'card' })
  if (order?.status !== 'paid') throw new Error(`the order is ${order?.status ?? message}`)
  return order.id
}
